// SPDX-License-Identifier: Apache-2.0
#include "modules/mdr/set_sampler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <random>
#include <vector>

namespace tessera::set_sampler_test {

namespace {

constexpr auto kLocal = AccessOrigin::kLocal;
constexpr auto kArriving = AccessOrigin::kRemoteArriving;
constexpr auto kLeaving = AccessOrigin::kRemoteLeaving;

/// One set of two ways.
struct OneSet {
  SetSampler sampler;
  bool replicating = false;

  explicit OneSet(bool keeps_arriving = true) : sampler({1, 2, 1, keeps_arriving}) {}
  void see(AccessOrigin origin, std::uint64_t line, bool read_only = true) {
    sampler.observe(0, line, origin, read_only, replicating);
  }
  void check(std::uint64_t home_lookups, std::uint64_t home_hits, std::uint64_t full_lookups,
             std::uint64_t full_hits) const {
    const SampleCounts& c = sampler.counts();
    CHECK(c.no_replication.lookups == home_lookups);
    CHECK(c.no_replication.hits == home_hits);
    CHECK(c.full_replication.lookups == full_lookups);
    CHECK(c.full_replication.hits == full_hits);
  }
};

}  // namespace

TEST_CASE("sampler: 8 of 48 sets, six apart, in every turn of the index") {
  const SetSampler sampler({48, 16, 8, true});
  unsigned sampled = 0;
  for (std::uint64_t i = 0; i < 96; ++i) {
    CHECK(sampler.samples(i) == (i % 6 == 0));
    sampled += sampler.samples(i) ? 1 : 0;
  }
  CHECK(sampled == 16);
  CHECK(sampler.samples(48 * 1'000'003ULL + 42));
}

TEST_CASE("sampler: sets that do not divide evenly are spread all the same") {
  const SetSampler sampler({10, 1, 4, true});
  std::vector<std::uint64_t> sampled;
  for (std::uint64_t i = 0; i < 10; ++i) {
    if (sampler.samples(i)) sampled.push_back(i);
  }
  CHECK(sampled == std::vector<std::uint64_t>{0, 2, 5, 7});
}

TEST_CASE("sampler: sampled sets do not share lines") {
  SetSampler sampler({4, 1, 2, true});
  sampler.observe(0, 100, kLocal, false, false);
  sampler.observe(2, 200, kLocal, false, false);
  sampler.observe(4, 100, kLocal, false, false);
  sampler.observe(6, 200, kLocal, false, false);
  CHECK(sampler.counts().no_replication.hits == 2);
}

TEST_CASE("sampler: local lines are looked up under both policies, least recently used first out") {
  OneSet s;
  for (const std::uint64_t line : {1, 2, 1, 3, 1, 2}) s.see(kLocal, line, false);
  // 1 2 miss, 1 hits, 3 drives 2 out, 1 hits, 2 misses.
  s.check(6, 2, 6, 2);
  CHECK(s.sampler.counts().local == 6);
  CHECK(s.sampler.counts().fraction_local() == 1);
}

TEST_CASE("sampler: own SMs' read-only lines take room under full replication alone") {
  OneSet s;
  s.see(kLocal, 1);
  s.see(kLeaving, 10);
  s.see(kLeaving, 11);
  s.see(kLocal, 1);
  // Without replication 1 has stayed; replicas 10 and 11 have driven it out.
  s.check(2, 1, 4, 0);
  CHECK(s.sampler.counts().leaving == 2);
  CHECK(s.sampler.counts().fraction_local() == 0.5);
}

TEST_CASE("sampler: what own SMs may write elsewhere counts as remote and is looked up nowhere") {
  OneSet s;
  s.see(kLeaving, 10, false);
  s.see(kLeaving, 10, false);
  s.check(0, 0, 0, 0);
  CHECK(s.sampler.counts().leaving == 2);
  CHECK_FALSE(s.sampler.counts().complete());
}

TEST_CASE("sampler: what other SMs may write is looked up at home under both policies") {
  for (const bool replicating : {false, true}) {
    OneSet s;
    s.replicating = replicating;
    s.see(kArriving, 1, false);
    s.see(kArriving, 1, false);
    s.check(2, 1, 2, 1);
    CHECK(s.sampler.counts().arriving == 2);
  }
}

TEST_CASE("sampler: not replicating, read-only arrivals stand for own replica misses, one each") {
  OneSet s;
  s.see(kArriving, 1);  // no own miss: under replication it would not have come
  s.see(kLeaving, 10);  // a miss
  s.see(kArriving, 2);  // stands for it: takes room beside 10
  s.see(kArriving, 3);  // does not
  s.see(kLeaving, 10);  // a hit, so
  s.see(kArriving, 4);  // does not either
  s.see(kLocal, 2);     // replication: the second use of 2
  // Without replication: 1 2 3 4 missed, and 2 again.
  s.check(5, 0, 3, 2);
}

TEST_CASE("sampler: replicating, read-only arrivals take room and are no misses of an L1") {
  OneSet s;
  s.replicating = true;
  s.see(kArriving, 1);
  s.see(kArriving, 2);
  s.see(kLocal, 1);
  s.check(3, 1, 1, 1);
}

TEST_CASE("sampler: replicating, own replica hits stand for arrivals that do not come, and hit") {
  OneSet s;
  s.replicating = true;
  s.see(kLeaving, 10);
  s.check(0, 0, 1, 0);
  s.see(kLeaving, 10);
  s.check(1, 1, 2, 1);
  CHECK(s.sampler.counts().complete());
}

TEST_CASE("sampler: a slice that only forwards what others miss keeps none of it") {
  for (const bool read_only : {false, true}) {
    OneSet s(false);
    s.replicating = true;
    s.see(kArriving, 1, read_only);
    s.see(kArriving, 1, read_only);
    CHECK(s.sampler.counts().no_replication.lookups == 2);
    CHECK(s.sampler.counts().no_replication.hits == 0);
    s.see(kLocal, 1);
    s.see(kArriving, 1, read_only);
    // The local access missed under both policies, and its line is there now.
    CHECK(s.sampler.counts().no_replication.hits == 1);
    CHECK(s.sampler.counts().full_replication.hits == (read_only ? 0 : 1));
  }
}

TEST_CASE("sampler: counts start anew, lines stay, and a flush drops lines only") {
  OneSet s;
  s.see(kLocal, 1);
  s.see(kLeaving, 10);
  s.sampler.start_counting();
  CHECK_FALSE(s.sampler.counts().complete());
  s.check(0, 0, 0, 0);
  s.see(kArriving, 2);  // the miss of 10 is of the epoch before: nothing to stand for
  s.see(kLocal, 1);
  s.see(kLeaving, 10);
  s.check(2, 1, 2, 2);
  s.sampler.forget_lines();
  s.see(kLocal, 1);
  s.see(kLeaving, 10);
  s.check(3, 1, 4, 2);
}

TEST_CASE("sampler agrees with naive LRU lists on random accesses") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const SetSampler::Shape shape{static_cast<std::uint32_t>(5 + random() % 20),
                                  static_cast<std::uint32_t>(1 + random() % 6),
                                  static_cast<std::uint32_t>(1 + random() % 5), true};
    SetSampler sampler(shape);
    using Lists = std::vector<std::list<std::uint64_t>>;
    Lists home(shape.sets);
    Lists full(shape.sets);
    const auto use = [&shape](std::list<std::uint64_t>& set, std::uint64_t line) {
      const auto it = std::find(set.begin(), set.end(), line);
      const bool hit = it != set.end();
      if (hit) set.erase(it);
      set.push_front(line);
      if (set.size() > shape.ways) set.pop_back();
      return hit ? 1U : 0U;
    };
    SampleCounts expected;
    std::uint64_t owed = 0;
    bool replicating = false;
    for (unsigned i = 0; i < 3'000; ++i) {
      if (random() % 200 == 0) replicating = !replicating;
      const std::uint64_t index = random() % 200;
      if (!sampler.samples(index)) continue;
      const std::uint64_t set = index % shape.sets;
      const auto origin = static_cast<AccessOrigin>(random() % 3);
      const bool read_only = random() % 2 == 0;
      const std::uint64_t line = index * 2 + (origin == kLeaving ? 1 : 0);
      sampler.observe(index, line, origin, read_only, replicating);
      if (origin == kLocal) {
        ++expected.local;
        ++expected.no_replication.lookups;
        ++expected.full_replication.lookups;
        expected.no_replication.hits += use(home[set], line);
        expected.full_replication.hits += use(full[set], line);
      } else if (origin == kLeaving) {
        ++expected.leaving;
        if (!read_only) continue;
        const unsigned hit = use(full[set], line);
        ++expected.full_replication.lookups;
        expected.full_replication.hits += hit;
        expected.no_replication.lookups += replicating ? hit : 0;
        expected.no_replication.hits += replicating ? hit : 0;
        owed += !replicating && hit == 0 ? 1 : 0;
      } else {
        ++expected.arriving;
        ++expected.no_replication.lookups;
        expected.no_replication.hits += use(home[set], line);
        if (!read_only) {
          ++expected.full_replication.lookups;
          expected.full_replication.hits += use(full[set], line);
        } else if (replicating || owed > 0) {
          owed -= replicating ? 0 : 1;
          use(full[set], line);
        }
      }
    }
    CAPTURE(seed);
    const SampleCounts& c = sampler.counts();
    CHECK(c.local == expected.local);
    CHECK(c.leaving == expected.leaving);
    CHECK(c.arriving == expected.arriving);
    CHECK(c.no_replication.lookups == expected.no_replication.lookups);
    CHECK(c.no_replication.hits == expected.no_replication.hits);
    CHECK(c.full_replication.lookups == expected.full_replication.lookups);
    CHECK(c.full_replication.hits == expected.full_replication.hits);
    CHECK(c.full_replication.hits > 0);
  }
}

}  // namespace tessera::set_sampler_test
