// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/tlb.h"

#include <catch2/catch.hpp>
#include <list>
#include <random>
#include <utility>

namespace tessera::tlb_test {

TEST_CASE("a TLB gives back what was inserted and forgets the least recently used") {
  Tlb tlb(2);
  CHECK(tlb.find(1) == nullptr);
  tlb.insert(1, PageEntry(0x1000));
  tlb.insert(2, PageEntry(0x2000));
  REQUIRE(tlb.find(1) != nullptr);
  CHECK(tlb.find(1)->bits() == 0x1000);
  tlb.insert(3, PageEntry(0x3000));  // 2 is the oldest
  CHECK(tlb.find(2) == nullptr);
  CHECK(tlb.find(1)->bits() == 0x1000);
  CHECK(tlb.find(3)->bits() == 0x3000);
  tlb.insert(1, PageEntry(0x9000));
  CHECK(tlb.find(1)->bits() == 0x9000);
  tlb.insert(4, PageEntry(0x4000));
  CHECK(tlb.find(3) == nullptr);
  tlb.invalidate_all();
  CHECK(tlb.find(1) == nullptr);
  CHECK(tlb.find(4) == nullptr);
}

TEST_CASE("random use of a TLB agrees with a list in order of use") {
  for (const std::uint32_t entries : {1U, 2U, 3U, 8U, 128U}) {
    INFO(entries);
    std::mt19937_64 random(entries);
    Tlb tlb(entries);
    std::list<std::pair<std::uint64_t, std::uint64_t>> reference;  // newest first
    const auto look = [&](std::uint64_t page) {
      for (auto it = reference.begin(); it != reference.end(); ++it) {
        if (it->first != page) continue;
        reference.splice(reference.begin(), reference, it);
        return true;
      }
      return false;
    };
    for (int step = 0; step < 20'000; ++step) {
      const std::uint64_t page = random() % (2 * entries + 1) * 0x10001;
      if (random() % 2 == 0) {
        const PageEntry* found = tlb.find(page);
        const bool there = look(page);
        REQUIRE((found != nullptr) == there);
        if (there) REQUIRE(found->bits() == reference.front().second);
      } else if (random() % 1000 == 0) {
        tlb.invalidate_all();
        reference.clear();
      } else {
        const std::uint64_t physical = random();
        tlb.insert(page, PageEntry(physical));
        if (look(page)) {
          reference.front().second = physical;
        } else {
          reference.emplace_front(page, physical);
          if (reference.size() > entries) reference.pop_back();
        }
      }
    }
  }
}

TEST_CASE("a page-table entry holds a page's address and the number of its allocation") {
  const std::uint64_t highest = (std::uint64_t{1} << 48) - 4096;
  const PageEntry entry(highest, 0xffff);
  CHECK(entry.physical() == highest);
  CHECK(entry.allocation() == 0xffff);
  CHECK(PageEntry(entry.bits()).allocation() == 0xffff);
  CHECK(PageEntry(0x1000, 0x10000).bits() == 0x1000);  // more allocations than numbers
  CHECK(PageEntry().allocation() == 0);
}

}  // namespace tessera::tlb_test
