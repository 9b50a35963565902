// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace tessera {

enum class IssStop : std::uint8_t;
struct IssFault;

/// Accesses of an instruction that a watchpoint looks for.
enum class IssWatch : std::uint8_t { kStores = 1, kLoads = 2, kBoth = 3 };

/// Why a hart has stopped for its debugger.
struct IssBreak {
  enum class Kind : std::uint8_t {
    kBreakpoint,  ///< before the instruction at it
    kWatchpoint,  ///< after the access
    kStep,        ///< after one instruction, or the trap that it has taken
  };
  Kind kind = Kind::kStep;
  IssWatch watch = IssWatch::kStores;  ///< of the watchpoint
  std::uint64_t address = 0;           ///< of the access: its first byte in the watchpoint's range
};

/// An instruction before its execution.
struct IssInstruction {
  std::uint64_t instructions = 0;  ///< executed before it: the same unit as Iss::instructions()
  std::uint64_t pc = 0;
  std::uint32_t code = 0;  ///< 16 or 32 bits
  unsigned bytes = 0;      ///< 2 or 4
  unsigned privilege = 0;  ///< 0, 1 or 3
  bool loads = false;
  bool stores = false;  ///< atomics do both
  unsigned access_bytes = 0;
  std::uint64_t address = 0;                   ///< virtual, of the access
  std::optional<std::uint64_t> physical = {};  ///< of the access; none if no page is there
};

/// What debuggers and traces use of a hart. Addresses are virtual, as the hart executes.
///
/// A hart with a trace, a watchpoint or a step executes slowly; one with breakpoints alone at its
/// full speed. A stop at a breakpoint or watchpoint does not change what the hart executes, and
/// when: a run with stops has the instruction counts, the quanta and the interrupts of one without.
class IssDebug {
 public:
  virtual ~IssDebug() = default;

  /// `number`: RiscvRegister. False: the hart has no such register, or it cannot be read now.
  virtual bool read_register(unsigned number, std::uint64_t& value) = 0;
  /// False also in an instruction's access to a device.
  virtual bool write_register(unsigned number, std::uint64_t value) = 0;
  /// The physical address that a load of the present mode accesses; none if no page is there.
  virtual std::optional<std::uint64_t> translate(std::uint64_t address) = 0;
  /// Must be called when memory has changed without the hart: it may have been code.
  virtual void forget_code() = 0;

  virtual void add_breakpoint(std::uint64_t address) = 0;
  virtual void remove_breakpoint(std::uint64_t address) = 0;
  virtual void add_watchpoint(std::uint64_t address, std::uint64_t bytes, IssWatch watch) = 0;
  virtual void remove_watchpoint(std::uint64_t address, std::uint64_t bytes, IssWatch watch) = 0;
  /// run() stops after one instruction, and the hart takes no interrupt before it. WFI does not
  /// wait. Until the next stop.
  virtual void step(bool on) = 0;

  /// After run() has returned IssStop::kBreak.
  virtual IssBreak last_break() const = 0;
  /// run() for the rest of the same quantum. A breakpoint at the pc of the last stop is passed if
  /// it was that stop's reason.
  virtual IssStop resume(std::uint64_t instructions) = 0;

  /// Called before each instruction, from the first one at `from` on. An empty function ends it.
  virtual void set_on_instruction(std::function<void(const IssInstruction&)> on_instruction,
                                  std::optional<std::uint64_t> from) = 0;
  /// Called at each trap: exceptions and interrupts (kInterruptCause). `pc` is mepc or sepc.
  virtual void set_on_trap(std::function<void(const IssFault&)> on_trap) = 0;
};

}  // namespace tessera
