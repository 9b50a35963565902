// SPDX-License-Identifier: Apache-2.0
#include "iss/riscv_paging.h"

#include <catch2/catch.hpp>
#include <map>

namespace tessera::riscv_paging_test {

namespace {

constexpr std::uint64_t kMprv = 1U << 17;
constexpr std::uint64_t kMppSupervisor = 1U << 11;
constexpr std::uint64_t kSv39 = std::uint64_t{8} << 60;
constexpr std::uint64_t kSv48 = std::uint64_t{9} << 60;
constexpr std::uint64_t kLeaf = 0xf;  // V, R, W, X
constexpr std::uint64_t kBranch = 1;

std::uint64_t entry(std::uint64_t physical, std::uint64_t bits) {
  return physical >> 12 << 10 | bits;
}

/// The root is at 0x1000.
struct Hart {
  RiscvPaging state{Privilege::kSupervisor, 0, kSv39 | 1};
  std::map<std::uint64_t, std::uint64_t> words;

  std::optional<std::uint64_t> translate(std::uint64_t address, bool fetch = false) const {
    return riscv_translate(state, address, fetch, [this](std::uint64_t at, std::uint64_t& word) {
      const auto found = words.find(at);
      if (found == words.end()) return false;
      word = found->second;
      return true;
    });
  }
};

/// Maps 0xffffffc012345000 to 0x8765000: indices 0x100, 0x91 and 0x145.
Hart three_levels() {
  Hart h;
  h.words[0x1000 + 0x100 * 8] = entry(0x2000, kBranch);
  h.words[0x2000 + 0x091 * 8] = entry(0x3000, kBranch);
  h.words[0x3000 + 0x145 * 8] = entry(0x8765000, kLeaf);
  return h;
}

}  // namespace

TEST_CASE("RISC-V paging: machine mode and satp 0 do not translate") {
  Hart h;
  h.state.privilege = Privilege::kMachine;
  CHECK(h.translate(0x123456789) == 0x123456789);
  h.state.privilege = Privilege::kUser;
  h.state.satp = 0;
  CHECK(h.translate(0x123456789) == 0x123456789);
}

TEST_CASE("RISC-V paging: Sv39 walks three levels") {
  const Hart h = three_levels();
  CHECK(h.translate(0xffffffc012345678) == 0x8765678);
  CHECK(h.translate(0xffffffc012345678, true) == 0x8765678);
}

TEST_CASE("RISC-V paging: Sv48 walks four levels") {
  Hart h;
  h.state.satp = kSv48 | 1;
  h.words[0x1000 + 0x0ff * 8] = entry(0x2000, kBranch);
  h.words[0x2000 + 0x001 * 8] = entry(0x3000, kBranch);
  h.words[0x3000 + 0x002 * 8] = entry(0x4000, kBranch);
  h.words[0x4000 + 0x003 * 8] = entry(0x9000, kLeaf);
  const std::uint64_t address = 0xffULL << 39 | 1ULL << 30 | 2ULL << 21 | 3ULL << 12 | 0xabc;
  CHECK(h.translate(address) == 0x9abc);
}

TEST_CASE("RISC-V paging: a leaf of a higher level is a superpage") {
  Hart h;
  h.words[0x1000 + 2 * 8] = entry(0x40000000, kLeaf);
  CHECK(h.translate(0x80123456) == 0x40123456);
  h.words[0x1000 + 2 * 8] = entry(0x40200000, kLeaf);  // not aligned to 1 GiB
  CHECK_FALSE(h.translate(0x80123456));
}

TEST_CASE("RISC-V paging: no translation without a valid leaf") {
  Hart h = three_levels();
  SECTION("an address that is not canonical") { CHECK_FALSE(h.translate(0x0000004012345678)); }
  SECTION("another page") { CHECK_FALSE(h.translate(0xffffffc012346000)); }
  SECTION("an invalid entry") {
    h.words[0x3000 + 0x145 * 8] &= ~std::uint64_t{1};
    CHECK_FALSE(h.translate(0xffffffc012345678));
  }
  SECTION("an entry that is writable and not readable") {
    h.words[0x3000 + 0x145 * 8] = entry(0x8765000, 5);
    CHECK_FALSE(h.translate(0xffffffc012345678));
  }
  SECTION("a branch in the last level") {
    h.words[0x3000 + 0x145 * 8] = entry(0x8765000, kBranch);
    CHECK_FALSE(h.translate(0xffffffc012345678));
  }
  SECTION("an unknown mode") {
    h.state.satp = std::uint64_t{10} << 60 | 1;
    CHECK_FALSE(h.translate(0xffffffc012345678));
  }
}

TEST_CASE("RISC-V paging: MPRV lends loads of machine mode the translation of MPP") {
  Hart h = three_levels();
  h.state.privilege = Privilege::kMachine;
  h.state.mstatus = kMprv | kMppSupervisor;
  CHECK(h.translate(0xffffffc012345678) == 0x8765678);
  CHECK(h.translate(0xffffffc012345678, true) == 0xffffffc012345678);
  h.state.mstatus = kMppSupervisor;
  CHECK(h.translate(0xffffffc012345678) == 0xffffffc012345678);
}

}  // namespace tessera::riscv_paging_test
