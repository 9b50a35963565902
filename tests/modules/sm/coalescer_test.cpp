// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/coalescer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace tessera::coalescer_test {

namespace {

constexpr std::uint64_t kLine = 128;

/// Lane i at base + i * stride.
MemoryOp strided(std::uint64_t base, std::uint64_t stride, unsigned bytes,
                 std::uint32_t active = ~0U) {
  MemoryOp op;
  op.lane_bytes = static_cast<std::uint8_t>(bytes);
  op.active = active;
  for (unsigned i = 0; i < kWarpLanes; ++i) op.address[i] = base + i * stride;
  return op;
}

CoalescedAccess lines_of(const MemoryOp& op) {
  CoalescedAccess c;
  coalesce(op, kLine, c);
  return c;
}

/// Byte by byte, and lines in the order of their first lane.
void check_against_reference(const MemoryOp& op) {
  std::vector<std::uint64_t> order;
  std::map<std::uint64_t, std::set<unsigned>> bytes;
  std::map<std::uint64_t, std::uint32_t> lanes;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    if ((op.active >> lane & 1) == 0) continue;
    const std::uint64_t line = op.address[lane] / kLine;
    if (bytes.count(line) == 0) order.push_back(line);
    for (unsigned b = 0; b < op.lane_bytes; ++b) {
      bytes[line].insert(static_cast<unsigned>((op.address[lane] + b) % kLine));
    }
    lanes[line] |= 1U << lane;
  }
  const CoalescedAccess c = lines_of(op);
  REQUIRE(c.count == order.size());
  for (unsigned i = 0; i < c.count; ++i) {
    REQUIRE(c.lines[i].line == order[i]);
    REQUIRE(c.lines[i].lanes == lanes[order[i]]);
    for (unsigned b = 0; b < kLine; ++b) {
      REQUIRE(c.lines[i].mask.test(b) == (bytes[order[i]].count(b) != 0));
    }
  }
}

/// Groups of lanes by width; in each, the most distinct words in one bank.
unsigned reference_passes(const MemoryOp& op, unsigned banks) {
  const unsigned group = op.lane_bytes == 16 ? 8 : op.lane_bytes == 8 ? 16 : 32;
  unsigned passes = 0;
  for (unsigned first = 0; first < kWarpLanes; first += group) {
    std::map<std::uint64_t, std::set<std::uint64_t>> words;
    for (unsigned lane = first; lane < first + group; ++lane) {
      if ((op.active >> lane & 1) == 0) continue;
      for (unsigned b = 0; b < op.lane_bytes; ++b) {
        const std::uint64_t word = (op.address[lane] + b) / 4;
        words[word % banks].insert(word);
      }
    }
    std::size_t worst = 0;
    for (const auto& w : words) worst = std::max(worst, w.second.size());
    passes += static_cast<unsigned>(worst);
  }
  return std::max(passes, 1U);
}

}  // namespace

TEST_CASE("consecutive words of an aligned warp make one whole line") {
  const CoalescedAccess c = lines_of(strided(0x1000, 4, 4));
  REQUIRE(c.count == 1);
  CHECK(c.lines[0].line == 0x1000 / kLine);
  CHECK(c.lines[0].mask == ByteMask::first(128));
  CHECK(c.lines[0].lanes == ~0U);
  CHECK(sectors_touched(c.lines[0].mask) == 4);
}

TEST_CASE("16-byte lanes make four whole lines of eight lanes each") {
  const CoalescedAccess c = lines_of(strided(0x1000, 16, 16));
  REQUIRE(c.count == 4);
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(c.lines[i].line == 0x1000 / kLine + i);
    CHECK(c.lines[i].mask == ByteMask::first(128));
    CHECK(c.lines[i].lanes == 0xffU << (8 * i));
  }
}

TEST_CASE("consecutive lanes of every width touch the lines and sectors they must") {
  for (const unsigned bytes : {1U, 2U, 4U, 8U, 16U}) {
    INFO(bytes);
    const CoalescedAccess c = lines_of(strided(0x2000, bytes, bytes));
    CHECK(c.count == std::max(1U, 32 * bytes / 128));
    CHECK(c.lines[0].mask.count() == std::min(128U, 32 * bytes));
    CHECK(sectors_touched(c.lines[0].mask) == std::min(4U, bytes));
  }
}

TEST_CASE("a warp that starts in the middle of a line touches two") {
  const CoalescedAccess c = lines_of(strided(0x1040, 4, 4));
  REQUIRE(c.count == 2);
  CHECK(c.lines[0].mask == ByteMask::range(64, 64));
  CHECK(c.lines[0].lanes == 0x0000ffffU);
  CHECK(c.lines[1].mask == ByteMask::first(64));
  CHECK(c.lines[1].lanes == 0xffff0000U);
}

TEST_CASE("scattered lanes make a line each, in lane order") {
  MemoryOp op = strided(0, 0, 4);
  for (unsigned i = 0; i < 32; ++i) op.address[i] = 0x100000 - i * 4096 + 4 * i;
  const CoalescedAccess c = lines_of(op);
  REQUIRE(c.count == 32);
  for (unsigned i = 0; i < 32; ++i) {
    CHECK(c.lines[i].line == (0x100000 - i * 4096 + 4 * i) / kLine);
    CHECK(c.lines[i].lanes == 1U << i);
    CHECK(sectors_touched(c.lines[i].mask) == 1);
  }
}

TEST_CASE("lanes of one address share their bytes, and inactive lanes touch nothing") {
  const CoalescedAccess same = lines_of(strided(0x1004, 0, 4));
  REQUIRE(same.count == 1);
  CHECK(same.lines[0].mask == ByteMask::range(4, 4));
  CHECK(same.lines[0].lanes == ~0U);
  const CoalescedAccess some = lines_of(strided(0x1000, 4, 4, 0x80000010U));
  REQUIRE(some.count == 1);
  CHECK(some.lines[0].mask == (ByteMask::range(16, 4) | ByteMask::range(124, 4)));
  CHECK(some.lines[0].lanes == 0x80000010U);
  CHECK(lines_of(strided(0x1000, 4, 4, 0)).count == 0);
}

TEST_CASE("random warps coalesce as byte-by-byte grouping does") {
  std::mt19937_64 random(3);
  for (int n = 0; n < 2000; ++n) {
    MemoryOp op;
    op.lane_bytes = static_cast<std::uint8_t>(1U << random() % 5);
    op.active = static_cast<std::uint32_t>(random());
    if (random() % 3 == 0) op.active &= static_cast<std::uint32_t>(random() & random());
    const std::uint64_t span = std::uint64_t{1} << (4 + random() % 12);
    for (auto& a : op.address) {
      a = 0x7000'0000 + random() % span / op.lane_bytes * op.lane_bytes;
    }
    check_against_reference(op);
  }
}

TEST_CASE("shared memory takes one pass without conflicts and for a broadcast") {
  CHECK(shared_memory_passes(strided(0, 4, 4), 32) == 1);
  CHECK(shared_memory_passes(strided(64, 4, 4), 32) == 1);
  CHECK(shared_memory_passes(strided(128, 0, 4), 32) == 1);
  CHECK(shared_memory_passes(strided(0, 1, 1), 32) == 1);
  CHECK(shared_memory_passes(strided(0, 2, 2), 32) == 1);
  CHECK(shared_memory_passes(strided(0, 4 * 33, 4), 32) == 1);
  CHECK(shared_memory_passes(strided(0, 128, 4, 0x100), 32) == 1);
  CHECK(shared_memory_passes(strided(0, 128, 4, 0), 32) == 1);
}

TEST_CASE("shared memory takes a pass for each word that a bank must give") {
  CHECK(shared_memory_passes(strided(0, 8, 4), 32) == 2);
  CHECK(shared_memory_passes(strided(0, 16, 4), 32) == 4);
  CHECK(shared_memory_passes(strided(0, 128, 4), 32) == 32);
  CHECK(shared_memory_passes(strided(0, 128, 4, 0xff), 32) == 8);
  CHECK(shared_memory_passes(strided(0, 4, 4), 16) == 2);
}

TEST_CASE("wide shared accesses go by half and quarter warps") {
  CHECK(shared_memory_passes(strided(0, 8, 8), 32) == 2);
  CHECK(shared_memory_passes(strided(0, 16, 16), 32) == 4);
  CHECK(shared_memory_passes(strided(0, 16, 8), 32) == 4);
  CHECK(shared_memory_passes(strided(0, 128, 8), 32) == 32);
  CHECK(shared_memory_passes(strided(0, 0, 16), 32) == 4);
  CHECK(shared_memory_passes(strided(0, 8, 8, 0xffff), 32) == 1);
}

TEST_CASE("random shared accesses take as many passes as counting words by bank says") {
  std::mt19937_64 random(4);
  for (int n = 0; n < 3000; ++n) {
    MemoryOp op;
    op.lane_bytes = static_cast<std::uint8_t>(1U << random() % 5);
    op.active = static_cast<std::uint32_t>(random() | random());
    const std::uint64_t span = std::uint64_t{1} << (5 + random() % 9);
    for (auto& a : op.address) a = random() % span / op.lane_bytes * op.lane_bytes;
    const unsigned banks = random() % 2 == 0 ? 32 : 16;
    REQUIRE(shared_memory_passes(op, banks) == reference_passes(op, banks));
  }
}

}  // namespace tessera::coalescer_test
