// SPDX-License-Identifier: Apache-2.0
// The sampler sees one slice under the policy that is running, and must say what both policies
// would do. Here is the truth beside it: a GPU of alike slices, run under each policy.
#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <random>
#include <vector>

#include "modules/mdr/set_sampler.h"

namespace tessera::symmetric_slices_test {

namespace {

constexpr std::uint32_t kSlices = 4;
constexpr std::uint32_t kSets = 12;
constexpr std::uint32_t kWays = 8;

struct Access {
  std::uint32_t slice;  ///< the requester's
  std::uint32_t home;
  std::uint64_t slice_line;
  bool read_only;
  std::uint64_t line() const { return slice_line * kSlices + home; }
};

/// Lines that all SMs read, that all SMs write, and that one SM uses alone.
struct Traffic {
  double read_only = 0.7;
  double read_write = 0.1;
  std::uint64_t read_only_lines = 100;
  std::uint64_t read_write_lines = 40;
  std::uint64_t own_lines = 40;

  Access draw(std::uint32_t slice, std::mt19937_64& random) const {
    const double kind = std::uniform_real_distribution<>()(random);
    // The smaller of two draws: some lines are hotter than others.
    const auto pick = [&](std::uint64_t n) { return std::min(random() % n, random() % n); };
    if (kind < read_only) {
      const std::uint64_t l = pick(read_only_lines);
      return {slice, static_cast<std::uint32_t>(l % kSlices), l / kSlices, true};
    }
    if (kind < read_only + read_write) {
      const std::uint64_t l = pick(read_write_lines);
      return {slice, static_cast<std::uint32_t>(l % kSlices), 100'000 + l / kSlices, false};
    }
    return {slice, slice, 200'000 + pick(own_lines), false};
  }
};

class LruSlice {
 public:
  bool look_up(const Access& a) {
    std::list<std::uint64_t>& set = sets_[a.slice_line % kSets];
    const auto it = std::find(set.begin(), set.end(), a.line());
    const bool hit = it != set.end();
    if (hit) set.erase(it);
    set.push_front(a.line());
    if (set.size() > kWays) set.pop_back();
    return hit;
  }

 private:
  std::vector<std::list<std::uint64_t>> sets_{kSets};
};

struct Truth {
  double hit_rate = 0;  ///< of L1 misses, where they are looked up first
  SampleCounts sampled;
};

Truth run(const Traffic& traffic, bool replicating, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<LruSlice> slices(kSlices);
  SetSampler sampler({kSets, kWays, kSets, true});
  SampledHits hits;
  constexpr unsigned kWarmUp = 4'000;
  constexpr unsigned kRounds = 20'000;
  for (unsigned round = 0; round < kRounds; ++round) {
    if (round == kWarmUp) {
      sampler.start_counting();
      hits = SampledHits{};
    }
    for (std::uint32_t s = 0; s < kSlices; ++s) {
      const Access a = traffic.draw(s, random);
      const bool home = a.home == s;
      const auto observe = [&](std::uint32_t slice, AccessOrigin origin) {
        if (slice != 0) return;
        sampler.observe(a.slice_line, a.line(), origin, a.read_only, replicating);
      };
      observe(s, home ? AccessOrigin::kLocal : AccessOrigin::kRemoteLeaving);
      const bool here = home || (replicating && a.read_only);
      bool hit = here && slices[s].look_up(a);
      if (!home && !hit) {
        observe(a.home, AccessOrigin::kRemoteArriving);
        const bool hit_at_home = slices[a.home].look_up(a);
        if (!here) hit = hit_at_home;
      }
      ++hits.lookups;
      hits.hits += hit ? 1 : 0;
    }
  }
  return {hits.rate(), sampler.counts()};
}

/// The sampler, under either policy, against the truth of both.
void check_estimates(const Traffic& traffic) {
  const Truth home = run(traffic, false, 1);
  const Truth full = run(traffic, true, 1);
  CAPTURE(traffic.read_only_lines);
  // One slice's lookups (8000 to 16 000) against those of all four: their noise, and no bias.
  constexpr double kMargin = 0.015;
  for (const Truth& t : {home, full}) {
    CHECK(t.sampled.no_replication.rate() == Approx(home.hit_rate).margin(kMargin));
    CHECK(t.sampled.full_replication.rate() == Approx(full.hit_rate).margin(kMargin));
  }
  CHECK(home.sampled.fraction_local() == Approx(full.sampled.fraction_local()).margin(1e-9));
}

}  // namespace

TEST_CASE("hit rates of both policies, whichever runs: shared lines that fit, crowd and thrash") {
  for (const std::uint64_t lines : {20, 60, 100, 150, 200, 300, 400, 800, 1600}) {
    Traffic traffic;
    traffic.read_only_lines = lines;
    check_estimates(traffic);
  }
}

TEST_CASE("hit rates of both policies, whichever runs: nearly all loads read-only") {
  for (const std::uint64_t lines : {100, 200, 400, 1600}) {
    Traffic traffic;
    traffic.read_only = 0.95;
    traffic.read_write = 0;
    traffic.read_only_lines = lines;
    check_estimates(traffic);
  }
}

TEST_CASE("hit rates of both policies, whichever runs: much written by all") {
  for (const std::uint64_t lines : {40, 150}) {
    Traffic traffic;
    traffic.read_only = 0.3;
    traffic.read_write = 0.5;
    traffic.read_only_lines = lines;
    traffic.read_write_lines = 600;
    check_estimates(traffic);
  }
}

}  // namespace tessera::symmetric_slices_test
