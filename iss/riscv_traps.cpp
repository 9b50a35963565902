// SPDX-License-Identifier: Apache-2.0
#include "iss/riscv_traps.h"

#include <array>

namespace tessera {

namespace {

constexpr std::uint64_t kSie = 1U << 1;
constexpr std::uint64_t kMie = 1U << 3;
constexpr std::uint64_t kSpie = 1U << 5;
constexpr std::uint64_t kMpie = 1U << 7;
constexpr std::uint64_t kSpp = 1U << 8;
constexpr unsigned kMppShift = 11;

/// Bits of mip, the first to be taken first.
constexpr std::array<unsigned, 6> kOrder = {11, 3, 7, 9, 1, 5};

std::optional<std::uint64_t> first_of(std::uint64_t pending) {
  for (const unsigned bit : kOrder) {
    if ((pending >> bit & 1) != 0) return kInterruptCause | bit;
  }
  return std::nullopt;
}

/// A vectored trap vector has an entry of four bytes for each interrupt.
std::uint64_t handler(std::uint64_t vector, std::uint64_t cause) {
  const std::uint64_t base = vector & ~std::uint64_t{3};
  const bool vectored = (vector & 1) != 0 && (cause & kInterruptCause) != 0;
  return vectored ? base + 4 * (cause & ~kInterruptCause) : base;
}

}  // namespace

void take_trap(TrapState& hart, std::uint64_t cause, std::uint64_t pc, std::uint64_t value) {
  const Privilege from = hart.privilege();
  const bool interrupt = (cause & kInterruptCause) != 0;
  const std::uint64_t delegated = hart.read(interrupt ? TrapCsr::kMideleg : TrapCsr::kMedeleg);
  const bool to_supervisor =
      from != Privilege::kMachine && (delegated >> (cause & ~kInterruptCause) & 1) != 0;
  if (to_supervisor) {
    std::uint64_t status = hart.read(TrapCsr::kSstatus);
    const std::uint64_t enabled = (status & kSie) != 0 ? kSpie : 0;
    status =
        (status & ~(kSie | kSpie | kSpp)) | enabled | (from == Privilege::kSupervisor ? kSpp : 0);
    hart.write(TrapCsr::kSstatus, status);
    hart.write(TrapCsr::kSepc, pc);
    hart.write(TrapCsr::kScause, cause);
    hart.write(TrapCsr::kStval, value);
    hart.set_privilege(Privilege::kSupervisor);
    hart.set_pc(handler(hart.read(TrapCsr::kStvec), cause));
    return;
  }
  std::uint64_t status = hart.read(TrapCsr::kMstatus);
  const std::uint64_t enabled = (status & kMie) != 0 ? kMpie : 0;
  status = (status & ~(kMie | kMpie | std::uint64_t{3} << kMppShift)) | enabled |
           std::uint64_t{static_cast<std::uint8_t>(from)} << kMppShift;
  hart.write(TrapCsr::kMstatus, status);
  hart.write(TrapCsr::kMepc, pc);
  hart.write(TrapCsr::kMcause, cause);
  hart.write(TrapCsr::kMtval, value);
  hart.set_privilege(Privilege::kMachine);
  hart.set_pc(handler(hart.read(TrapCsr::kMtvec), cause));
}

std::optional<std::uint64_t> next_interrupt(const TrapState& hart) {
  const std::uint64_t pending = hart.read(TrapCsr::kMip) & hart.read(TrapCsr::kMie);
  if (pending == 0) return std::nullopt;
  const std::uint64_t delegated = hart.read(TrapCsr::kMideleg);
  const std::uint64_t status = hart.read(TrapCsr::kMstatus);
  const Privilege mode = hart.privilege();
  if (mode != Privilege::kMachine || (status & kMie) != 0) {
    if (const auto machine = first_of(pending & ~delegated)) return machine;
  }
  const bool supervisor_takes =
      mode == Privilege::kUser || (mode == Privilege::kSupervisor && (status & kSie) != 0);
  return supervisor_takes ? first_of(pending & delegated) : std::nullopt;
}

}  // namespace tessera
