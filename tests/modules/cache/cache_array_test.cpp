// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/cache_array.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

namespace tessera::cache_array_test {

namespace {

/// One set as a list of lines, most recently used first.
struct ReferenceSet {
  std::list<std::uint64_t> lines;
  std::set<std::uint64_t> locked;
};

CacheArray::Way put(CacheArray& a, std::uint64_t line) {
  const CacheArray::Way f = a.victim(line);
  REQUIRE(f != CacheArray::kNone);
  a.install(f, line);
  return f;
}

}  // namespace

TEST_CASE("an array fills its empty ways before it replaces the least recently used line") {
  CacheArray a(2, 3, 128);
  CHECK(a.sets() == 2);
  CHECK(a.ways() == 3);
  CHECK(a.all_ways() == 6);
  std::set<CacheArray::Way> used;
  for (std::uint64_t line : {0U, 2U, 4U}) used.insert(put(a, line));
  CHECK(used.size() == 3);
  CHECK(a.find(1, 1) == CacheArray::kNone);
  CHECK(a.line(a.victim(0)) == 0);
  a.touch(a.find(0, 0));
  CHECK(a.line(a.victim(0)) == 2);
  // A look is not a use.
  CHECK(a.find(2, 2) != CacheArray::kNone);
  CHECK(a.line(a.victim(0)) == 2);
  // The other set is untouched.
  CHECK_FALSE(a.occupied(a.victim(1)));
}

TEST_CASE("an array has 1 to 64 ways") {
  CHECK_THROWS_AS(CacheArray(4, 0, 128), std::invalid_argument);
  CHECK_THROWS_AS(CacheArray(4, 65, 128), std::invalid_argument);
}

TEST_CASE("a locked way is never a victim") {
  CacheArray a(1, 2, 64);
  const auto f0 = put(a, 10);
  const auto f1 = put(a, 11);
  a.lock(f0, true);
  CHECK(a.locked(f0));
  CHECK(a.victim(0) == f1);
  a.lock(f1, true);
  CHECK(a.victim(0) == CacheArray::kNone);
  a.lock(f0, false);
  CHECK(a.victim(0) == f0);
  a.lock(f0, true);
  a.invalidate(f0);
  CHECK_FALSE(a.occupied(f0));
  CHECK_FALSE(a.locked(f0));
  CHECK(a.victim(0) == f0);
  a.invalidate_all();
  CHECK_FALSE(a.occupied(f1));
  CHECK_FALSE(a.locked(f1));
}

TEST_CASE("installing a line clears what its way knew") {
  CacheArray a(1, 1, 128);
  const auto f = put(a, 5);
  a.set_valid(f, ByteMask::first(128));
  a.set_dirty(f, ByteMask::range(4, 8));
  a.lock(f, true);
  a.install(f, 6);
  CHECK(a.line(f) == 6);
  CHECK(a.valid(f).none());
  CHECK(a.dirty(f).none());
  CHECK_FALSE(a.locked(f));
  CHECK(a.find(0, 5) == CacheArray::kNone);
}

TEST_CASE("a number of sets that is no power of two spreads lines by remainder") {
  CacheArray a(48, 1, 128);
  for (std::uint64_t line = 0; line < 48; ++line) put(a, line);
  for (std::uint64_t line = 0; line < 48; ++line) CHECK(a.find(line, line) == line);
  CHECK(a.victim(48 * 7 + 5) == 5);
  // The index and the line number are separate: tags are whole line numbers.
  CHECK(a.find(48 + 3, 3) == 3);
  CHECK(a.find(3, 48 + 3) == CacheArray::kNone);
}

TEST_CASE("any number of sets and any line number: the set is the remainder") {
  std::mt19937_64 random(1);
  for (const std::uint32_t sets : {3U, 5U, 6U, 7U, 48U, 96U, 1000003U}) {
    const CacheArray a(sets, 1, 128, CacheArray::Bytes::kPerLine);
    const std::uint64_t last = ~std::uint64_t{0} / sets * sets;
    for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{sets} - 1,
                                      std::uint64_t{sets}, last - 1, last, ~std::uint64_t{0}}) {
      CHECK(a.set_of(index) == index % sets);
    }
    for (unsigned i = 0; i < 10000; ++i) {
      const std::uint64_t index = random() >> (i % 64);
      REQUIRE(a.set_of(index) == index % sets);
    }
  }
}

TEST_CASE("a way's bytes: none, all or some valid, none or some dirty, whatever was before") {
  for (const unsigned bytes : {32U, 128U}) {
    const ByteMask none;
    const ByteMask whole = ByteMask::first(bytes);
    const ByteMask some = ByteMask::range(4, 8);
    for (const ByteMask valid_before : {none, some, whole}) {
      for (const ByteMask dirty_before : {none, some}) {
        for (const ByteMask valid : {none, some, whole}) {
          for (const ByteMask dirty : {none, some}) {
            CacheArray a(1, 1, bytes);
            const auto f = put(a, 5);
            a.set_valid(f, valid_before);
            a.set_dirty(f, dirty_before);
            a.set_valid(f, valid);
            CHECK(a.valid(f) == valid);
            CHECK(a.dirty(f) == dirty_before);
            a.set_dirty(f, dirty);
            CHECK(a.valid(f) == valid);
            CHECK(a.dirty(f) == dirty);
            a.invalidate(f);
            a.set_valid(f, some);
            CHECK(a.valid(f) == some);
            CHECK(a.dirty(f).none());
          }
        }
      }
    }
  }
}

TEST_CASE("data is zeroed at the first call, one line a way, and stays") {
  CacheArray a(2, 2, 32);
  for (CacheArray::Way f = 0; f < a.all_ways(); ++f) {
    for (unsigned i = 0; i < 32; ++i) REQUIRE(a.data(f)[i] == 0);
  }
  CHECK(a.data(1) == a.data(0) + 32);
  std::fill_n(a.data(2), 32, static_cast<unsigned char>(7));
  CHECK(a.data(1)[31] == 0);
  CHECK(a.data(3)[0] == 0);
  CHECK(a.data(2)[31] == 7);
}

TEST_CASE("random use of an array agrees with lists in order of use") {
  // One word of ways, not filled and filled; several.
  for (const unsigned ways : {1U, 4U, 6U, 8U, 12U, 64U}) {
    const unsigned sets = ways == 4 ? 6 : ways % 3 + 1;
    std::mt19937_64 random(ways);
    CacheArray a(sets, ways, 128);
    std::vector<ReferenceSet> reference(sets);
    for (int step = 0; step < 20000; ++step) {
      const std::uint64_t line = random() % (sets * ways * 2);
      ReferenceSet& r = reference[line % sets];
      const auto found = std::find(r.lines.begin(), r.lines.end(), line);
      const CacheArray::Way f = a.find(line, line);
      REQUIRE((f != CacheArray::kNone) == (found != r.lines.end()));
      if (f != CacheArray::kNone) {
        REQUIRE(a.line(f) == line);
        REQUIRE(a.locked(f) == (r.locked.count(line) != 0));
        switch (random() % 4) {
          case 0:
            a.lock(f, !a.locked(f));
            if (r.locked.erase(line) == 0) {
              r.locked.insert(line);
            } else {
              // What it waited for has come: that is a use.
              r.lines.splice(r.lines.begin(), r.lines, found);
            }
            break;
          case 1:
            a.invalidate(f);
            r.lines.erase(found);
            r.locked.erase(line);
            break;
          default:
            if (a.locked(f)) break;
            a.touch(f);
            r.lines.splice(r.lines.begin(), r.lines, found);
        }
        continue;
      }
      const CacheArray::Way v = a.victim(line);
      if (r.lines.size() < ways) {
        REQUIRE(v != CacheArray::kNone);
        REQUIRE_FALSE(a.occupied(v));
      } else {
        const auto oldest = std::find_if(r.lines.rbegin(), r.lines.rend(),
                                         [&](std::uint64_t l) { return r.locked.count(l) == 0; });
        if (oldest == r.lines.rend()) {
          REQUIRE(v == CacheArray::kNone);
          continue;
        }
        REQUIRE(v != CacheArray::kNone);
        REQUIRE(a.line(v) == *oldest);
        r.lines.remove(std::uint64_t{*oldest});
      }
      a.install(v, line);
      r.lines.push_front(line);
    }
  }
}

}  // namespace tessera::cache_array_test
