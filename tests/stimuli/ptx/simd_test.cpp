// SPDX-License-Identifier: Apache-2.0
// The handlers for AVX2 and the portable ones leave the same bits behind.

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "common/text.h"
#include "stimuli/ptx/alu_table.h"
#include "stimuli/ptx/kernel.h"

namespace tessera::simd_test {

using namespace tessera::ptx;

TEST_CASE("both instruction sets give the same bits for every computing instruction") {
  const AluTable& best = AluTable::get();
  const AluTable& portable = AluTable::portable();
  REQUIRE(best.entries().size() == portable.entries().size());
  REQUIRE(best.entries().size() > 800);
  if (!best.uses_avx2()) WARN("this machine has no AVX2: nothing to compare");
  std::mt19937_64 random(2024);
  // Six operand vectors of 64-bit cells; every third value is an edge of some type.
  constexpr std::size_t kVectors = 6;
  static constexpr std::uint64_t kEdges[] = {
      0,          1,          0x80000000,         0x7fffffff,         0x7f800000,
      0xff800000, 0x7fc00000, 0x00000001,         0x807fffff,         0x3f800000,
      0x4f000000, 0x0000fc00, 0x00007e00,         0x7ff0000000000000, 0x7ff8000000000001,
      31,         32,         0x8000000000000000, 0x41dfffffffc00000, 0xffffffffffffffff};
  using Bank = std::vector<std::uint64_t>;
  for (const auto& [name, entry] : best.entries()) {
    if (name[0] == '_') continue;
    const AluEntry& other = *portable.find(name);
    REQUIRE(entry.cost == other.cost);
    for (int round = 0; round < 8; ++round) {
      Bank bank(kVectors * tessera::kWarpLanes);
      for (std::uint64_t& word : bank) {
        word = random() % 3 == 0 ? kEdges[random() % std::size(kEdges)] : random();
        // 32-bit cells stand in pairs: mix edges into both halves.
        if (random() % 3 == 0) word |= kEdges[random() % 13] << 32;
      }
      Bank copy = bank;
      Decoded d;
      for (std::uint32_t i = 0; i < kVectors; ++i) d.slot[i].offset = i * kVector64;
      d.aux = static_cast<std::uint32_t>(random()) & 0xff;
      if (tessera::begins_with(name, "set") || name.find("cc") != std::string::npos ||
          tessera::begins_with(name, "madc")) {
        d.aux &= 3;
      }
      if (tessera::begins_with(name, "isspacep")) d.aux = 0;  // no constant variables
      Frame frame;
      frame.mask = round % 2 == 0 ? kAllLanes : static_cast<std::uint32_t>(random()) | 1u;
      frame.bank[0] = reinterpret_cast<std::byte*>(bank.data());
      entry.run(frame, d);
      frame.bank[0] = reinterpret_cast<std::byte*>(copy.data());
      other.run(frame, d);
      INFO(name << " round " << round);
      REQUIRE(bank == copy);
    }
  }
}

}  // namespace tessera::simd_test
