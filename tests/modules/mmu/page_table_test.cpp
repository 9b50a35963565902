// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_table.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "common/error.h"
#include "modules/mmu/page_slots.h"

namespace tessera::page_table_test {

namespace {

MemoryGeometry tiny() {
  MemoryGeometry g;
  g.channels = 4;
  g.banks_per_channel = 4;
  g.channel_bytes = 8 * 4096;  // 8 pages
  return g;
}

}  // namespace

TEST_CASE("a mapped page translates, byte by byte, and no other does") {
  const auto map = make_address_map("fixed-channel", MemoryGeometry{});
  PageTable table(*map);
  const std::uint64_t page = (std::uint64_t{1} << 32) / 4096 + 5;
  CHECK_FALSE(table.translate(page * 4096));
  const std::uint64_t physical = table.map(page, ChannelId(3));
  CHECK(physical == map->page_address(ChannelId(3), 0));
  CHECK(table.translate(page * 4096) == physical);
  CHECK(table.translate(page * 4096 + 4095) == physical + 4095);
  CHECK_FALSE(table.translate(page * 4096 - 1));
  CHECK_FALSE(table.translate(page * 4096 + 4096));
  CHECK_FALSE(table.translate(~std::uint64_t{0}));
  CHECK(table.pages_per_channel()[3] == 1);
  CHECK(table.mapped_pages() == 1);
  CHECK(table.placement_matters());
  table.unmap(page);
  CHECK_FALSE(table.translate(page * 4096));
  CHECK(table.pages_per_channel()[3] == 0);
  // The freed page is given out again.
  CHECK(table.map(page + 1, ChannelId(3)) == physical);
  table.clear();
  CHECK(table.mapped_pages() == 0);
  CHECK_FALSE(table.translate((page + 1) * 4096));
}

TEST_CASE("a lookup without time finds pages that were mapped earlier, not at the same time") {
  const auto map = make_address_map("fixed-channel", MemoryGeometry{});
  PageTable table(*map);
  table.allocation_of = [](std::uint64_t address) {
    return static_cast<std::uint32_t>(address >> 14);
  };
  const std::uint64_t page = 5;
  CHECK_FALSE(table.mapped_before_now(page));
  const std::uint64_t physical = table.map(page, ChannelId(3));
  table.map(page + 1, ChannelId(3));
  CHECK_FALSE(table.mapped_before_now(page));
  CHECK_FALSE(table.mapped_before_now(page + 1));
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
  table.map(page + 2, ChannelId(3));
  REQUIRE(table.mapped_before_now(page));
  CHECK(table.mapped_before_now(page)->physical() == physical);
  CHECK(table.mapped_before_now(page)->allocation() == 5 * 4096 >> 14);
  CHECK(table.mapped_before_now(page + 1));
  CHECK_FALSE(table.mapped_before_now(page + 2));
}

TEST_CASE("2 MB pages translate") {
  MemoryGeometry g;
  g.page_bytes = 2 << 20;
  const auto map = make_address_map("fixed-channel", g);
  PageTable table(*map);
  const std::uint64_t physical = table.map(7, ChannelId(31));
  CHECK(table.translate((std::uint64_t{7} << 21) + 12345) == physical + 12345);
  CHECK(map->locate(physical + 12345).channel == ChannelId(31));
}

TEST_CASE("a full channel spills to the emptiest one, a full memory is an error with a remedy") {
  const auto map = make_address_map("fixed-channel", tiny());
  PageTable table(*map);
  CHECK(table.capacity_pages() == 32);
  std::set<std::uint64_t> physical;
  for (std::uint64_t page = 0; page < 32; ++page) {
    physical.insert(table.map(page, ChannelId(2)));
    if (page == 7) CHECK(table.spilled_pages() == 0);
  }
  CHECK(physical.size() == 32);
  CHECK(table.spilled_pages() == 24);
  CHECK(table.pages_per_channel() == std::vector<std::uint64_t>(4, 8));
  CHECK_THROWS_AS(table.map(32, ChannelId(0)), RunError);
  CHECK_THROWS_WITH(table.map(32, ChannelId(0)), Catch::Contains("smaller scale"));
  CHECK_FALSE(table.translate(32 * 4096));
  CHECK(table.mapped_pages() == 32);
}

TEST_CASE("under pae pages are given out in turn, and every one has its own lines") {
  const auto map = make_address_map("pae", tiny());
  PageTable table(*map);
  CHECK_FALSE(table.placement_matters());
  CHECK(table.capacity_pages() == 32);
  for (std::uint64_t page = 0; page < 32; ++page) {
    CHECK(table.map(100 + page, ChannelId()) == page * 4096);
  }
  CHECK_THROWS_AS(table.map(1000, ChannelId()), RunError);
  table.unmap(110);
  CHECK(table.map(1000, ChannelId()) == 10 * 4096);
  CHECK(table.pages_per_channel() == std::vector<std::uint64_t>(4, 0));
}

TEST_CASE("misuse of the page table is refused") {
  const auto map = make_address_map("fixed-channel", tiny());
  PageTable table(*map);
  table.map(5, ChannelId(0));
  CHECK_THROWS_AS(table.map(5, ChannelId(0)), std::logic_error);
  CHECK_THROWS_AS(table.map(6, ChannelId(4)), std::logic_error);
  CHECK_THROWS_AS(table.unmap(6), std::logic_error);
  CHECK_THROWS_AS(table.map(std::uint64_t{1} << 36, ChannelId(0)), RunError);
}

TEST_CASE("a page table is a map: random mapping and unmapping against std::map") {
  MemoryGeometry g = tiny();
  g.channel_bytes = 64 * 4096;
  const auto map = make_address_map("fixed-channel", g);
  PageTable table(*map);
  std::map<std::uint64_t, std::uint64_t> reference;
  std::set<std::uint64_t> used;
  std::mt19937_64 random(4);
  for (unsigned step = 0; step < 20000; ++step) {
    const std::uint64_t page = random() % 300 * 1777;
    const auto it = reference.find(page);
    const auto found = table.translate(page * 4096 + 17);
    REQUIRE(found.has_value() == (it != reference.end()));
    if (it != reference.end()) {
      REQUIRE(*found == it->second + 17);
      used.erase(it->second);
      reference.erase(it);
      table.unmap(page);
    } else if (reference.size() < table.capacity_pages()) {
      const std::uint64_t physical =
          table.map(page, ChannelId(static_cast<std::uint32_t>(random() % 4)));
      REQUIRE(used.insert(physical).second);
      reference[page] = physical;
    }
    REQUIRE(table.mapped_pages() == reference.size());
  }
}

TEST_CASE("page slots find what was allocated, whatever the order of release") {
  PageSlots slots(16);
  std::map<std::uint64_t, PageSlots::Index> reference;
  std::mt19937_64 random(9);
  for (unsigned step = 0; step < 20000; ++step) {
    const std::uint64_t page = random() % 64 * 32;
    const auto it = reference.find(page);
    REQUIRE(slots.find(page) == (it == reference.end() ? PageSlots::kNone : it->second));
    if (it != reference.end()) {
      slots.release(it->second);
      reference.erase(it);
    } else if (!slots.full()) {
      reference[page] = slots.allocate(page);
    }
    REQUIRE(slots.used() == reference.size());
    REQUIRE(slots.full() == (reference.size() == 16));
  }
}

}  // namespace tessera::page_table_test
