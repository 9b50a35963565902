// SPDX-License-Identifier: Apache-2.0
#include "policies/page_placement.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "common/error.h"
#include "tests/support/policy_settings.h"

namespace tessera::page_placement_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

TEST_CASE("round-robin places pages on channels in turn") {
  const auto placement = make_policy<PagePlacement>("round-robin");
  const std::vector<std::uint64_t> pages(5);
  for (std::uint32_t i = 0; i < 12; ++i) {
    CHECK(placement->place({i, SmId(3), ChannelId(1)}, {pages}) == ChannelId(i % 5));
  }
}

TEST_CASE("first-touch places a page on the toucher's local channel") {
  const auto placement = make_policy<PagePlacement>("first-touch");
  const std::vector<std::uint64_t> pages(8);
  for (std::uint32_t c : {3U, 3U, 0U, 7U}) {
    CHECK(placement->place({9, SmId(1), ChannelId(c)}, {pages}) == ChannelId(c));
  }
}

TEST_CASE("interleave goes by the page's number, in any order of touches") {
  const auto placement = make_policy<PagePlacement>("interleave");
  const std::vector<std::uint64_t> pages(4);
  for (const std::uint64_t page : {9U, 4U, 9U, 7U, 6U}) {
    CHECK(placement->place({page, SmId(3), ChannelId(1)}, {pages}) == ChannelId(page % 4));
  }
}

TEST_CASE("kernel-wide gives each memory one contiguous part of an allocation") {
  const auto placement = make_policy<PagePlacement>("kernel-wide");
  const std::vector<std::uint64_t> pages(4);
  const auto homes = [&](std::uint64_t first, std::uint64_t count) {
    std::vector<std::uint32_t> all;
    for (std::uint64_t p = first; p < first + count; ++p) {
      all.push_back(placement->place({p, SmId(0), ChannelId(0), first, count}, {pages}).value);
    }
    return all;
  };
  CHECK(homes(100, 8) == std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(homes(7, 5) == std::vector<std::uint32_t>{0, 0, 1, 2, 3});
  CHECK(homes(7, 2) == std::vector<std::uint32_t>{0, 2});
  CHECK(homes(7, 1) == std::vector<std::uint32_t>{0});
}

TEST_CASE("two users of one policy name do not share state") {
  const std::vector<std::uint64_t> pages(4);
  const auto a = make_policy<PagePlacement>("round-robin");
  const auto b = make_policy<PagePlacement>("round-robin");
  CHECK(a->place({}, {pages}) == ChannelId(0));
  CHECK(a->place({}, {pages}) == ChannelId(1));
  CHECK(b->place({}, {pages}) == ChannelId(0));
}

namespace {

class LeastFirst final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest&, const PlacementView& view) override {
    const auto& pages = view.pages_per_channel;
    return ChannelId(
        static_cast<std::uint32_t>(std::min_element(pages.begin(), pages.end()) - pages.begin()));
  }
};

std::unique_ptr<PagePlacement> make_least_first(const PolicyContext&) {
  return std::make_unique<LeastFirst>();
}

const PolicyRegistration<PagePlacement> kRegistered("test-least-first", "a user's own",
                                                    make_least_first);

PolicySettings<PagePlacement> lab_threshold(double t) {
  return policy_settings<PagePlacement>({{"lab.threshold", t}});
}

std::unique_ptr<PagePlacement> make_lab(double threshold) {
  return make_policy<PagePlacement>("lab", {}, lab_threshold(threshold));
}

}  // namespace

TEST_CASE("a user's own placement is registered with its file and chosen by name") {
  const auto names = policy_names<PagePlacement>();
  CHECK(std::count(names.begin(), names.end(), "test-least-first") == 1);
  const auto placement = make_policy<PagePlacement>("test-least-first");
  const std::vector<std::uint64_t> pages{2, 1, 3};
  CHECK(placement->place({}, {pages}) == ChannelId(1));
}

namespace {

using Pages = std::vector<std::uint64_t>;

/// Where pages 0, 1, ... go that are touched from these channels, one after the other.
std::vector<std::uint32_t> place_all(PagePlacement& placement, std::size_t channels,
                                     const std::vector<std::uint32_t>& touchers) {
  Pages pages(channels);
  std::vector<std::uint32_t> out;
  for (const std::uint32_t local : touchers) {
    const ChannelId c = placement.place({out.size(), SmId(local), ChannelId(local)}, {pages});
    REQUIRE(c.value < channels);
    ++pages[c.value];
    out.push_back(c.value);
  }
  return out;
}

std::uint32_t place_one(const std::string& policy, const Pages& pages, std::uint32_t local,
                        double threshold = 0.9) {
  return make_policy<PagePlacement>(policy, {}, lab_threshold(threshold))
      ->place({0, SmId(0), ChannelId(local)}, {pages})
      .value;
}

}  // namespace

TEST_CASE("least-first takes the channel with the fewest pages, the lowest of equals") {
  CHECK(place_one("least-first", {0, 0, 0}, 2) == 0);
  CHECK(place_one("least-first", {3, 1, 2}, 0) == 1);
  CHECK(place_one("least-first", {3, 2, 5, 2}, 0) == 1);
  CHECK(place_one("least-first", {3, 3, 3, 2}, 0) == 3);
}

// Page P_i is the i-th to be touched. The paper's text has two slips, which we read as: round-robin
// puts P3 into M1 (printed: M2, of two modules), and P1, which SM0 touches first, goes to M0 under
// first-touch (printed: M1).
TEST_CASE("NUBA figure 6, low sharing: P0 and P3 by SM1, P1 and P2 by SM0") {
  const std::vector<std::uint32_t> touchers{1, 0, 0, 1};
  const auto first = make_policy<PagePlacement>("first-touch");
  const auto turn = make_policy<PagePlacement>("round-robin");
  const auto lab = make_policy<PagePlacement>("lab");
  CHECK(place_all(*first, 2, touchers) == touchers);
  CHECK(place_all(*turn, 2, touchers) == std::vector<std::uint32_t>{0, 1, 0, 1});
  // LAB: balance 1, 1/2, 1, 3/4 before P0 to P3; local, least (M0), local, least (M1).
  CHECK(place_all(*lab, 2, touchers) == touchers);
}

TEST_CASE("NUBA figure 6, high sharing: P0, P2 and P3 by SM1, P1 by SM0") {
  const std::vector<std::uint32_t> touchers{1, 0, 1, 1};
  const auto first = make_policy<PagePlacement>("first-touch");
  const auto lab = make_policy<PagePlacement>("lab");
  CHECK(place_all(*first, 2, touchers) == std::vector<std::uint32_t>{1, 0, 1, 1});
  // As first-touch for three pages; then the balance is 3/4, and P3 goes to M0.
  CHECK(place_all(*lab, 2, touchers) == std::vector<std::uint32_t>{1, 0, 1, 0});
}

TEST_CASE("lab: 40 pages of one toucher over 4 channels, by hand") {
  const auto lab = make_policy<PagePlacement>("lab");
  // Each row begins with a local page, where the balance was above 0.9. After pages 18 and 36 the
  // counts are 5 5 4 4 and 10 9 9 8: 18/20 and 36/40 are exactly 0.9, which is not above it.
  const std::vector<std::uint32_t> by_hand{0, 1, 2, 3,  // 1 1 1 1
                                           0, 1, 2, 3,  // 2 2 2 2
                                           0, 1, 2,     // 3 3 3 2, 11/12
                                           0, 3, 1, 2,  // 4 4 4 3, 15/16
                                           0, 3, 1, 2,  // 5 5 5 4, 19/20
                                           0, 3, 1,     // 6 6 5 5, 22/24
                                           0, 2, 3, 1,  // 7 7 6 6, 26/28
                                           0, 2, 3,     // 8 7 7 7, 29/32
                                           0, 1, 2, 3,  // 9 8 8 8, 33/36
                                           0, 1, 2, 3,  // 10 9 9 9, 37/40
                                           0, 1, 2};    // 11 10 10 9
  CHECK(place_all(*lab, 4, std::vector<std::uint32_t>(40, 0)) == by_hand);
}

TEST_CASE("lab places locally above the threshold, not at it") {
  // 36/40 = 0.9, 37/40 = 0.925; 27/30 = 0.9 over 3 channels, 18/20 over 10.
  CHECK(place_one("lab", {10, 9, 9, 8}, 0) == 3);
  CHECK(place_one("lab", {10, 9, 9, 9}, 0) == 0);
  CHECK(place_one("lab", {10, 9, 8}, 0) == 2);
  CHECK(place_one("lab", {2, 2, 2, 2, 2, 2, 2, 2, 1, 1}, 4) == 8);
  CHECK(place_one("lab", {10, 9, 9, 8}, 0, 0.8999) == 0);
  CHECK(place_one("lab", {5, 3}, 0, 0.8) == 1);
  CHECK(place_one("lab", {5, 3}, 0, 0.79) == 0);
}

TEST_CASE("lab: with no page placed the first is local, and at threshold 1 it is least-first") {
  CHECK(place_one("lab", {0, 0, 0, 0}, 2) == 2);
  CHECK(place_one("lab", {0, 0, 0, 0}, 2, 1) == 0);
  const auto lab = make_lab(1);
  const auto least = make_policy<PagePlacement>("least-first");
  const std::vector<std::uint32_t> touchers(50, 3);
  CHECK(place_all(*lab, 7, touchers) == place_all(*least, 7, touchers));
}

TEST_CASE("lab agrees with equation 1 in whole numbers on random touches, and repeats") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t channels = 1 + random() % 33;
    const std::uint64_t tenths = 1 + random() % 10;
    std::vector<std::uint32_t> touchers;
    // Skewed: some channels touch far more than others.
    for (unsigned i = 0; i < 500; ++i) {
      touchers.push_back(static_cast<std::uint32_t>(random() % (1 + random() % channels)));
    }
    std::vector<std::uint32_t> expected;
    Pages pages(channels);
    for (const std::uint32_t local : touchers) {
      std::uint64_t sum = 0;
      std::uint64_t most = 0;
      std::uint32_t least = 0;
      for (std::uint32_t c = 0; c < channels; ++c) {
        sum += pages[c];
        most = std::max(most, pages[c]);
        if (pages[c] < pages[least]) least = c;
      }
      // sum / (n most) > tenths / 10; the balance of nothing is 1.
      const bool above = most == 0 ? tenths < 10 : 10 * sum > tenths * channels * most;
      expected.push_back(above ? local : least);
      ++pages[expected.back()];
    }
    const auto once = make_lab(static_cast<double>(tenths) / 10);
    const auto again = make_lab(static_cast<double>(tenths) / 10);
    CAPTURE(seed, channels, tenths);
    CHECK(place_all(*once, channels, touchers) == expected);
    CHECK(place_all(*again, channels, touchers) == expected);
  }
}

TEST_CASE("a lab threshold out of range is refused, and concerns no other policy") {
  for (const double t :
       {0.0, -0.1, 1.0001, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS(make_lab(t), InputError);
    CHECK_NOTHROW(make_policy<PagePlacement>("least-first", {}, lab_threshold(t)));
  }
  CHECK_THROWS_WITH(make_lab(1.5), Catch::Contains("1.5; expected above 0"));
}

TEST_CASE("an unknown placement is refused with the nearest name") {
  CHECK_THROWS_AS(make_policy<PagePlacement>("first-tuoch"), InputError);
  CHECK_THROWS_WITH(make_policy<PagePlacement>("first-tuoch"), Catch::Contains("'first-touch'"));
}

TEST_CASE("normalised page balance is the average over the maximum") {
  CHECK(normalised_page_balance({}) == 1);
  CHECK(normalised_page_balance({0, 0}) == 1);
  CHECK(normalised_page_balance({4, 4, 4, 4}) == 1);
  CHECK(normalised_page_balance({8, 0, 0, 0}) == Approx(0.25));
  CHECK(normalised_page_balance({3, 1}) == Approx(2.0 / 3));
}

}  // namespace tessera::page_placement_test
