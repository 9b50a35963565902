// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "modules/cache/cache_array.h"
#include "policies/cache_replacement.h"
#include "tests/support/policy_settings.h"

namespace tessera::replacement_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

using Choice = PolicyChoice<CacheReplacement>;
using Bytes = CacheArray::Bytes;

/// One set; lines are numbered as they come.
struct Set {
  explicit Set(std::uint32_t ways, const Choice& choice)
      : array(1, ways, 128, Bytes::kPerLine, choice) {}
  /// The line that goes to make room for `line`, or -1.
  int insert(std::uint64_t line) {
    const CacheArray::Way f = array.victim(0);
    const int gone = array.occupied(f) ? static_cast<int>(array.line(f)) : -1;
    array.install(f, line);
    return gone;
  }
  void use(std::uint64_t line) { array.touch(array.find(0, line)); }
  CacheArray array;
};

/// The line that was used last goes first.
class Mru final : public CacheReplacement {
 public:
  explicit Mru(const CacheShape& shape) : shape_(shape) {}
  void reset(std::uint64_t* state) const override { state[0] = 0; }
  void insert(std::uint64_t* state, std::uint32_t way, bool evicted) override {
    evictions_ += evicted ? 1 : 0;
    state[0] = way;
  }
  void hit(std::uint64_t* state, std::uint32_t way) override { state[0] = way; }
  std::uint32_t victim(const std::uint64_t* state, std::uint64_t candidates) const override {
    if ((candidates >> state[0] & 1) != 0) return static_cast<std::uint32_t>(state[0]);
    return static_cast<std::uint32_t>(__builtin_ctzll(candidates));
  }
  std::vector<PolicyCounter> counters() const override {
    return {{"mru_evictions", "line", "lines that went", &evictions_}};
  }

 private:
  CacheShape shape_;
  std::uint64_t evictions_ = 0;
};

std::unique_ptr<CacheReplacement> make_mru(const CacheShape& shape) {
  if (shape.ways > 8) throw InputError("test-mru takes 8 ways at most");
  return std::make_unique<Mru>(shape);
}

const PolicyRegistration<CacheReplacement> kRegistered("test-mru", "most recently used", make_mru);

}  // namespace

TEST_CASE("lru: the line that was not used for longest goes") {
  Set s(3, {"lru", {}});
  for (const int line : {0, 1, 2}) CHECK(s.insert(line) == -1);
  s.use(0);
  CHECK(s.insert(3) == 1);
  CHECK(s.insert(4) == 2);
  CHECK(s.insert(5) == 0);
}

TEST_CASE("srrip: lines without a hit go first in order of ways, but a scan evicts none with one") {
  Set s(4, {"srrip", {}});
  for (const int line : {0, 1, 2, 3}) CHECK(s.insert(line) == -1);  // RRPV 2 2 2 2
  s.use(1);                                                         // 2 0 2 2
  CHECK(s.insert(4) == 0);                                          // 3 1 3 3, then 2 1 3 3
  CHECK(s.insert(5) == 2);                                          // 2 1 2 3
  CHECK(s.insert(6) == 3);                                          // 2 1 2 2
  CHECK(s.insert(7) == 4);                                          // 3 2 3 3, then 2 2 3 3
  CHECK(s.insert(8) == 5);                                          // 2 2 2 3
  CHECK(s.insert(9) == 6);                                          // 2 2 2 2
  CHECK(s.insert(10) == 7);
}

TEST_CASE("srrip: with one bit it is not-recently-used") {
  Set s(2, {"srrip", policy_settings<CacheReplacement>({{"srrip.bits", 1}})});
  s.insert(0);
  s.insert(1);  // 0 0
  CHECK(s.insert(2) == 0);
  CHECK(s.insert(3) == 1);
}

TEST_CASE("random: one seed gives one sequence, another another, and every way goes at times") {
  const auto gone = [](double seed) {
    Set s(4, {"random", policy_settings<CacheReplacement>({{"random.seed", seed}})});
    std::vector<int> all;
    for (int line = 0; line < 200; ++line) all.push_back(s.insert(static_cast<unsigned>(line)));
    return all;
  };
  CHECK(gone(1) == gone(1));
  CHECK(gone(1) != gone(2));
  Set s(4, {"random", {}});
  for (const int line : {0, 1, 2, 3}) s.insert(static_cast<unsigned>(line));
  std::set<CacheArray::Way> ways;
  for (unsigned line = 4; line < 104; ++line) {
    const CacheArray::Way f = s.array.victim(0);
    ways.insert(f);
    s.array.install(f, line);
  }
  CHECK(ways.size() == 4);
}

TEST_CASE("a victim is the same when it is asked for twice, and is never locked") {
  for (const char* name : {"lru", "srrip", "random"}) {
    CAPTURE(name);
    Set s(8, {name, {}});
    for (unsigned line = 0; line < 8; ++line) s.insert(line);
    for (unsigned round = 0; round < 50; ++round) {
      const CacheArray::Way f = s.array.victim(0);
      CHECK(s.array.victim(0) == f);
      s.array.lock(f, true);
      CHECK(s.array.victim(0) != f);
      s.array.lock(f, false);
      s.array.install(s.array.victim(0), 8 + round);
    }
    for (CacheArray::Way f = 0; f < 8; ++f) s.array.lock(f, true);
    CHECK(s.array.victim(0) == CacheArray::kNone);
  }
}

TEST_CASE("a replacement policy of one's own is registered with its file and chosen by name") {
  Set s(3, {"test-mru", {}});
  for (const int line : {0, 1, 2}) CHECK(s.insert(static_cast<unsigned>(line)) == -1);
  CHECK(s.insert(3) == 2);
  s.use(0);
  CHECK(s.insert(4) == 0);
  REQUIRE(s.array.replacement().counters().size() == 1);
  CHECK(*s.array.replacement().counters()[0].value == 2);
  CHECK_THROWS_WITH((Set(9, {"test-mru", {}})), "test-mru takes 8 ways at most");
}

TEST_CASE("an unknown replacement policy is refused with the nearest name") {
  CHECK_THROWS_WITH((Set(4, {"sripp", {}})), Catch::Contains("did you mean 'srrip'"));
}

}  // namespace tessera::replacement_test
