// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/mshr.h"

#include <array>
#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tessera::mshr_test {

namespace {

template <class Access = int, class Entry>
std::vector<Access> waiting(const Entry& e) {
  std::vector<Access> all;
  e.for_each_waiting([&](const Access& access) { all.push_back(access); });
  return all;
}

}  // namespace

TEST_CASE("an MSHR table is full when every entry waits for a line") {
  Mshr<int> m(3, 2);
  CHECK(m.empty());
  CHECK_FALSE(m.full());
  m.allocate(1);
  m.allocate(2);
  CHECK_FALSE(m.full());
  CHECK(m.used() == 2);
  m.allocate(3);
  CHECK(m.full());
  CHECK_FALSE(m.empty());
  CHECK(m.find(4) == nullptr);
  m.release(*m.find(2));
  CHECK_FALSE(m.full());
  CHECK(m.find(2) == nullptr);
  CHECK(m.find(1) != nullptr);
  CHECK(m.find(3) != nullptr);
}

TEMPLATE_TEST_CASE("an MSHR entry merges as many accesses as it may and keeps their order", "",
                   Mshr<int>, (Mshr<int, MshrHolds::kNoAccess>)) {
  TestType m(1, 3);
  auto& e = m.allocate(7);
  for (int i = 0; i < 3; ++i) {
    CHECK(m.can_merge(e));
    e.add(i);
  }
  CHECK_FALSE(m.can_merge(e));
  CHECK(waiting(*m.find(7)) == std::vector<int>{0, 1, 2});
  m.release(e);
  // The next user of the entry finds it empty, and its accesses are its own.
  auto& next = m.allocate(8);
  CHECK(next.waiting() == 0);
  CHECK(waiting(next).empty());
  next.add(3);
  CHECK(waiting(next) == std::vector<int>{3});
}

TEST_CASE("an MSHR entry that holds no access takes half a host cache line") {
  STATIC_REQUIRE(sizeof(Mshr<void*, MshrHolds::kNoAccess>::Entry) == kHostLine / 2);
  STATIC_REQUIRE(sizeof(Mshr<std::array<void*, 3>>::Entry) == kHostLine);
}

TEST_CASE("draining an MSHR table visits and frees every entry") {
  Mshr<int> m(8, 1);
  for (std::uint64_t line = 100; line < 108; ++line) m.allocate(line).add(1);
  std::set<std::uint64_t> visited;
  m.for_each([&](Mshr<int>::Entry& e) { visited.insert(e.line); });
  CHECK(visited.size() == 8);
  CHECK(m.full());
  visited.clear();
  m.drain([&](Mshr<int>::Entry& e) { visited.insert(e.line); });
  CHECK(visited == std::set<std::uint64_t>{100, 101, 102, 103, 104, 105, 106, 107});
  CHECK(m.empty());
  for (std::uint64_t line = 100; line < 108; ++line) CHECK(m.find(line) == nullptr);
  CHECK(m.allocate(100).waiting() == 0);
}

TEST_CASE("random inserts, lookups and releases of lines that collide agree with a map") {
  // 16 slots: find lines with one home slot (the table's own hash), so that probes run into each
  // other and round the end.
  constexpr unsigned kEntries = 8;
  std::map<std::uint32_t, std::vector<std::uint64_t>> by_home;
  for (std::uint64_t line = 0; line < 4096; ++line) {
    by_home[static_cast<std::uint32_t>((line * 0x9e3779b97f4a7c15U) >> 32) & 15].push_back(line);
  }
  std::vector<std::uint64_t> lines;
  for (const std::uint32_t home : {14U, 15U, 0U}) {
    for (unsigned i = 0; i < 5; ++i) lines.push_back(by_home[home].at(i));
  }
  std::mt19937_64 random(1);
  Mshr<std::uint64_t> m(kEntries, 1000);
  std::map<std::uint64_t, std::vector<std::uint64_t>> reference;
  for (int step = 0; step < 100'000; ++step) {
    const std::uint64_t line = lines[random() % lines.size()];
    auto* e = m.find(line);
    const auto found = reference.find(line);
    REQUIRE((e != nullptr) == (found != reference.end()));
    if (e == nullptr) {
      REQUIRE(m.full() == (reference.size() == kEntries));
      if (m.full()) continue;
      m.allocate(line).add(random() % 100);
      reference[line] = waiting<std::uint64_t>(*m.find(line));
    } else {
      REQUIRE(e->line == line);
      REQUIRE(waiting<std::uint64_t>(*e) == found->second);
      if (random() % 2 == 0) {
        m.release(*e);
        reference.erase(found);
      } else if (e->waiting() < 10) {
        e->add(line);
        found->second.push_back(line);
      }
    }
    REQUIRE(m.used() == reference.size());
    REQUIRE(m.empty() == reference.empty());
  }
}

TEST_CASE("entries of one line are distinguished by their fetch and their words") {
  Mshr<int> m(4, 1);
  tlm::tlm_generic_payload fetches[3];
  const std::uint32_t word_mask[] = {0b0011, 0b0110, 0b0111};
  for (unsigned i = 0; i < 3; ++i) {
    auto& e = m.allocate(7);
    e.keep = true;
    e.word_mask = word_mask[i];
    e.fetch = &fetches[i];
  }
  for (unsigned i = 0; i < 3; ++i) CHECK(m.find(7, &fetches[i])->word_mask == word_mask[i]);
  CHECK(m.find(8, &fetches[0]) == nullptr);
  CHECK(m.find_containing(7, 0b1000) == nullptr);
  CHECK(m.find_containing(8, 0b0001) == nullptr);
  CHECK(m.find_containing(7, 0b0101) == m.find(7, &fetches[2]));
  // One with room goes first.
  m.find(7, &fetches[2])->add(1);
  CHECK(m.find_containing(7, 0b0001) == m.find(7, &fetches[0]));
  CHECK(m.find_containing(7, 0b0101) == m.find(7, &fetches[2]));
  // One that takes no more accesses is none.
  m.find(7, &fetches[0])->keep = false;
  CHECK(m.find_containing(7, 0b0001) == m.find(7, &fetches[2]));
  unsigned visited = 0;
  m.for_each_of(7, [&](Mshr<int>::Entry& e) { visited |= e.word_mask; });
  CHECK(visited == 0b0111);
  m.for_each_of(8, [&](Mshr<int>::Entry&) { visited = 0; });
  CHECK(visited == 0b0111);
}

TEST_CASE("lines that share a slot of the table are distinguished") {
  // Each slot has the 16 highest bits of the hash.
  Mshr<int> m(16, 1);
  std::map<std::uint64_t, std::uint64_t> seen;
  unsigned pairs = 0;
  for (std::uint64_t line = 0; pairs < 8; ++line) {
    const std::uint64_t hash = line * 0x9e3779b97f4a7c15U;
    const auto [peer, first] = seen.try_emplace(hash >> 48, line);
    if (first) continue;
    ++pairs;
    auto& e = m.allocate(peer->second);
    CHECK(m.find(line) == nullptr);
    auto& other = m.allocate(line);
    CHECK(m.find(peer->second) == &e);
    CHECK(m.find(line) == &other);
    m.release(e);
    CHECK(m.find(peer->second) == nullptr);
    CHECK(m.find(line) == &other);
    m.release(other);
  }
  CHECK(m.empty());
}

TEST_CASE("the largest MSHR table finds every line, and a larger one is refused") {
  using Table = Mshr<int>;
  CHECK_THROWS_AS(Table(Table::kMaxEntries + 1, 1), std::invalid_argument);
  Table m(Table::kMaxEntries, 1);
  for (std::uint64_t line = 0; line < Table::kMaxEntries; ++line) m.allocate(line * line);
  CHECK(m.full());
  // Every other one goes, in another order than they came.
  for (std::uint64_t i = Table::kMaxEntries; i >= 2; i -= 2) {
    m.release(*m.find((i - 1) * (i - 1)));
  }
  std::size_t wrong = 0;
  for (std::uint64_t line = 0; line < Table::kMaxEntries; ++line) {
    const auto* e = m.find(line * line);
    if ((e != nullptr) != (line % 2 == 0)) ++wrong;
    if (e != nullptr && e->line != line * line) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(m.used() == Table::kMaxEntries / 2);
}

TEST_CASE("random entries, several a line, agree with a multimap") {
  constexpr unsigned kEntries = 16;
  // 32 slots; three homes, the last of the table among them, so that probes wrap.
  std::map<std::uint32_t, std::vector<std::uint64_t>> by_home;
  for (std::uint64_t line = 0; line < 4096; ++line) {
    by_home[static_cast<std::uint32_t>((line * 0x9e3779b97f4a7c15U) >> 59)].push_back(line);
  }
  std::vector<std::uint64_t> lines;
  for (const std::uint32_t home : {30U, 31U, 0U}) {
    for (unsigned i = 0; i < 2; ++i) lines.push_back(by_home[home].at(i));
  }
  std::vector<tlm::tlm_generic_payload> fetches(kEntries);
  std::vector<tlm::tlm_generic_payload*> spare;
  for (auto& f : fetches) spare.push_back(&f);
  std::mt19937_64 random(3);
  Mshr<int> m(kEntries, 2);
  std::multimap<std::uint64_t, std::pair<tlm::tlm_generic_payload*, std::uint32_t>> reference;
  for (int step = 0; step < 100'000; ++step) {
    const std::uint64_t line = lines[random() % lines.size()];
    const auto [from, to] = reference.equal_range(line);
    std::size_t visited = 0;
    m.for_each_of(line, [&](Mshr<int>::Entry& e) {
      ++visited;
      REQUIRE(e.line == line);
    });
    REQUIRE(visited == reference.count(line));
    const std::uint32_t wanted = 1U << random() % 4 | 1U << random() % 4;
    bool contained = false;
    for (auto i = from; i != to; ++i) {
      auto* e = m.find(line, i->second.first);
      REQUIRE(e != nullptr);
      REQUIRE(e->word_mask == i->second.second);
      contained = contained || (wanted & ~e->word_mask) == 0;
    }
    const auto* found = m.find_containing(line, wanted);
    REQUIRE((found != nullptr) == contained);
    if (found != nullptr) REQUIRE((wanted & ~found->word_mask) == 0);
    REQUIRE((m.find(line) != nullptr) == (from != to));
    if (random() % 2 == 0 && from != to) {
      auto gone = from;
      std::advance(gone, random() % visited);
      m.release(*m.find(line, gone->second.first));
      spare.push_back(gone->second.first);
      reference.erase(gone);
    } else if (!m.full()) {
      auto& e = m.allocate(line);
      REQUIRE(e.waiting() == 0);
      e.keep = true;
      e.word_mask = static_cast<std::uint32_t>(random() % 16);
      e.fetch = spare.back();
      spare.pop_back();
      reference.emplace(line, std::make_pair(e.fetch, e.word_mask));
    }
    REQUIRE(m.used() == reference.size());
  }
}

static_assert(sizeof(Mshr<std::array<void*, 3>>::Entry) == 64, "an entry fills a host cache line");

}  // namespace tessera::mshr_test
