// SPDX-License-Identifier: Apache-2.0
#include "iss/riscv_traps.h"

#include <catch2/catch.hpp>
#include <map>

namespace tessera::riscv_traps_test {

namespace {

constexpr std::uint64_t kMie = 1U << 3;
constexpr std::uint64_t kMpie = 1U << 7;
constexpr std::uint64_t kSie = 1U << 1;
constexpr std::uint64_t kSpie = 1U << 5;
constexpr std::uint64_t kSpp = 1U << 8;

/// sstatus is a view of mstatus.
class Hart final : public TrapState {
 public:
  std::uint64_t read(TrapCsr csr) const override {
    const auto found = csrs.find(plain(csr));
    return found == csrs.end() ? 0 : found->second;
  }
  void write(TrapCsr csr, std::uint64_t value) override { csrs[plain(csr)] = value; }
  Privilege privilege() const override { return mode; }
  void set_privilege(Privilege p) override { mode = p; }
  void set_pc(std::uint64_t value) override { pc = value; }

  std::map<TrapCsr, std::uint64_t> csrs;
  Privilege mode = Privilege::kMachine;
  std::uint64_t pc = 0;

 private:
  static TrapCsr plain(TrapCsr csr) { return csr == TrapCsr::kSstatus ? TrapCsr::kMstatus : csr; }
};

}  // namespace

TEST_CASE("traps: an exception goes to machine mode, and mstatus keeps mode and interrupt enable") {
  Hart h;
  h.mode = Privilege::kUser;
  h.write(TrapCsr::kMstatus, kMie);
  h.write(TrapCsr::kMtvec, 0x80000101);  // vectored: exceptions go to the base
  take_trap(h, kCauseLoadAccess, 0x80001234, 0x5000);
  CHECK(h.mode == Privilege::kMachine);
  CHECK(h.pc == 0x80000100);
  CHECK(h.read(TrapCsr::kMepc) == 0x80001234);
  CHECK(h.read(TrapCsr::kMcause) == kCauseLoadAccess);
  CHECK(h.read(TrapCsr::kMtval) == 0x5000);
  CHECK(h.read(TrapCsr::kMstatus) == kMpie);  // MPP = U
}

TEST_CASE("traps: a delegated exception of user mode goes to supervisor mode") {
  Hart h;
  h.mode = Privilege::kUser;
  h.write(TrapCsr::kMedeleg, std::uint64_t{1} << kCauseUserCall);
  h.write(TrapCsr::kMstatus, kSie | kSpp | kMie);
  h.write(TrapCsr::kStvec, 0x80000200);
  take_trap(h, kCauseUserCall, 0x80001000, 0);
  CHECK(h.mode == Privilege::kSupervisor);
  CHECK(h.pc == 0x80000200);
  CHECK(h.read(TrapCsr::kSepc) == 0x80001000);
  CHECK(h.read(TrapCsr::kScause) == kCauseUserCall);
  CHECK(h.read(TrapCsr::kMstatus) == (kSpie | kMie));  // SPP = U
}

TEST_CASE("traps: delegation does not apply to machine mode") {
  Hart h;
  h.write(TrapCsr::kMedeleg, ~std::uint64_t{0});
  h.write(TrapCsr::kMtvec, 0x80000300);
  take_trap(h, kCauseIllegal, 0x80000010, 0xffff);
  CHECK(h.mode == Privilege::kMachine);
  CHECK(h.pc == 0x80000300);
  CHECK(h.read(TrapCsr::kMstatus) == 3U << 11);
}

TEST_CASE("traps: an interrupt of a vectored handler has an entry of its own") {
  Hart h;
  h.write(TrapCsr::kMtvec, 0x80000101);
  take_trap(h, kInterruptCause | 7, 0x80000010, 0);
  CHECK(h.pc == 0x80000100 + 4 * 7);
  CHECK(h.read(TrapCsr::kMcause) == (kInterruptCause | 7));
}

TEST_CASE("traps: which interrupt is taken") {
  Hart h;
  h.write(TrapCsr::kMip, 0xaaa);
  SECTION("none that mie disables") { CHECK_FALSE(next_interrupt(h)); }
  h.write(TrapCsr::kMie, 0xaaa);
  SECTION("none in machine mode with MIE clear") { CHECK_FALSE(next_interrupt(h)); }
  SECTION("in lower modes those of machine mode always") {
    h.mode = Privilege::kSupervisor;
    CHECK(next_interrupt(h) == (kInterruptCause | 11));
  }
  h.write(TrapCsr::kMstatus, kMie);
  SECTION("external, software, timer, machine mode's first") {
    for (const unsigned bit : {11U, 3U, 7U, 9U, 1U, 5U}) {
      REQUIRE(next_interrupt(h) == (kInterruptCause | bit));
      h.write(TrapCsr::kMip, h.read(TrapCsr::kMip) & ~(std::uint64_t{1} << bit));
    }
    CHECK_FALSE(next_interrupt(h));
  }
  SECTION("delegated ones not in machine mode") {
    h.write(TrapCsr::kMideleg, 0x222);
    h.write(TrapCsr::kMip, 0x222);
    CHECK_FALSE(next_interrupt(h));
    h.mode = Privilege::kSupervisor;
    CHECK_FALSE(next_interrupt(h));  // SIE is clear
    h.mode = Privilege::kUser;
    CHECK(next_interrupt(h) == (kInterruptCause | 9));
    h.mode = Privilege::kSupervisor;
    h.write(TrapCsr::kMstatus, kSie);
    CHECK(next_interrupt(h) == (kInterruptCause | 9));
  }
}

}  // namespace tessera::riscv_traps_test
