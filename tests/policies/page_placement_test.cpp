// SPDX-License-Identifier: Apache-2.0
#include "policies/page_placement.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "common/error.h"

using namespace tessera;

TEST_CASE("round-robin places pages on channels in turn") {
  const auto placement = make_page_placement("round-robin");
  const std::vector<std::uint64_t> pages(5);
  for (std::uint32_t i = 0; i < 12; ++i) {
    CHECK(placement->place({i, SmId(3), ChannelId(1)}, {pages}) == ChannelId(i % 5));
  }
}

TEST_CASE("first-touch places a page on the toucher's local channel") {
  const auto placement = make_page_placement("first-touch");
  const std::vector<std::uint64_t> pages(8);
  for (std::uint32_t c : {3U, 3U, 0U, 7U}) {
    CHECK(placement->place({9, SmId(1), ChannelId(c)}, {pages}) == ChannelId(c));
  }
}

TEST_CASE("two users of one policy name do not share state") {
  const std::vector<std::uint64_t> pages(4);
  const auto a = make_page_placement("round-robin");
  const auto b = make_page_placement("round-robin");
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

std::unique_ptr<PagePlacement> make_least_first() { return std::make_unique<LeastFirst>(); }

}  // namespace

TEST_CASE("a user's own placement can be registered and chosen by name") {
  register_page_placement("test-least-first", make_least_first);
  const auto names = page_placement_names();
  CHECK(std::count(names.begin(), names.end(), "test-least-first") == 1);
  const auto placement = make_page_placement("test-least-first");
  const std::vector<std::uint64_t> pages{2, 1, 3};
  CHECK(placement->place({}, {pages}) == ChannelId(1));
  CHECK_THROWS_AS(register_page_placement("first-touch", make_least_first), InputError);
}

TEST_CASE("an unknown placement is refused with the nearest name") {
  CHECK_THROWS_AS(make_page_placement("first-tuoch"), InputError);
  CHECK_THROWS_WITH(make_page_placement("first-tuoch"), Catch::Contains("'first-touch'"));
}

TEST_CASE("normalised page balance is the average over the maximum") {
  CHECK(normalised_page_balance({}) == 1);
  CHECK(normalised_page_balance({0, 0}) == 1);
  CHECK(normalised_page_balance({4, 4, 4, 4}) == 1);
  CHECK(normalised_page_balance({8, 0, 0, 0}) == Approx(0.25));
  CHECK(normalised_page_balance({3, 1}) == Approx(2.0 / 3));
}
