// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tessera {

/// CSRs of traps and of translation (RISC-V privileged architecture 1.10, chapters 3 and 4).
enum class TrapCsr : std::uint16_t {
  kSstatus = 0x100,
  kStvec = 0x105,
  kSepc = 0x141,
  kScause = 0x142,
  kStval = 0x143,
  kSatp = 0x180,
  kMstatus = 0x300,
  kMedeleg = 0x302,
  kMideleg = 0x303,
  kMie = 0x304,
  kMtvec = 0x305,
  kMepc = 0x341,
  kMcause = 0x342,
  kMtval = 0x343,
  kMip = 0x344,
};

enum class Privilege : std::uint8_t { kUser = 0, kSupervisor = 1, kMachine = 3 };

/// A hart's state that traps read and write.
class TrapState {
 public:
  virtual ~TrapState() = default;
  virtual std::uint64_t read(TrapCsr csr) const = 0;
  virtual void write(TrapCsr csr, std::uint64_t value) = 0;
  virtual Privilege privilege() const = 0;
  virtual void set_privilege(Privilege privilege) = 0;
  virtual void set_pc(std::uint64_t pc) = 0;
};

/// mcause of an interrupt.
inline constexpr std::uint64_t kInterruptCause = std::uint64_t{1} << 63;

/// Causes of exceptions.
inline constexpr std::uint64_t kCauseFetchAccess = 1;
inline constexpr std::uint64_t kCauseIllegal = 2;
inline constexpr std::uint64_t kCauseBreakpoint = 3;
inline constexpr std::uint64_t kCauseLoadAccess = 5;
inline constexpr std::uint64_t kCauseStoreAccess = 7;
inline constexpr std::uint64_t kCauseUserCall = 8;

/// The hart takes a trap at `pc`: to supervisor mode if the cause is delegated and the hart is in
/// no higher mode, else to machine mode. `cause`: with kInterruptCause if it is an interrupt.
void take_trap(TrapState& hart, std::uint64_t cause, std::uint64_t pc, std::uint64_t value);

/// The interrupt that the hart takes now, with kInterruptCause; none if all that are pending are
/// disabled. The order of simultaneous ones: external, software, timer, machine mode's first.
std::optional<std::uint64_t> next_interrupt(const TrapState& hart);

}  // namespace tessera
