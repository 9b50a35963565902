// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace tessera {

/// The accesses of a hart outside of its memory.
class IssBus {
 public:
  virtual ~IssBus() = default;
  /// `bytes`: 1, 2, 4 or 8. False: the target has refused the access.
  virtual bool load(std::uint64_t address, void* data, unsigned bytes) = 0;
  virtual bool store(std::uint64_t address, const void* data, unsigned bytes) = 0;
  /// The `time` CSR.
  virtual std::uint64_t time() = 0;
  /// Reads memory without an access's effects and time. False: it is not memory.
  virtual bool read_debug(std::uint64_t address, void* data, unsigned bytes) = 0;
};

class IssDebug;

/// Why Iss::run() has returned.
enum class IssStop : std::uint8_t {
  kQuantum,  ///< the instructions have been executed
  kStopped,  ///< stop()
  kWaits,    ///< WFI, and no interrupt that is enabled is pending
  kBreak,    ///< for the debugger: IssDebug::last_break()
  kHeld,     ///< the debugger holds the hart: the quantum passes without instructions
  kLost,     ///< a fault at the first instruction of the trap handler: there is none
};

/// A fault that the hart has taken, for messages.
struct IssFault {
  std::uint64_t cause = 0;  ///< mcause
  std::uint64_t pc = 0;
  std::uint64_t value = 0;  ///< mtval: the address, if there is one
};

/// An instruction-set simulator of one RISC-V hart (RV64GC, M, S and U mode).
class Iss {
 public:
  /// Bits of mip that wires set.
  static constexpr std::uint64_t kMsip = 1U << 3;
  static constexpr std::uint64_t kMtip = 1U << 7;
  static constexpr std::uint64_t kSeip = 1U << 9;
  static constexpr std::uint64_t kMeip = 1U << 11;

  virtual ~Iss() = default;

  /// Memory that the hart accesses without its bus. Multiples of 4 KiB.
  virtual void map_memory(std::uint64_t address, std::uint64_t bytes, unsigned char* host,
                          bool writable) = 0;
  /// Addresses whose accesses go to the bus. Multiples of 4 KiB. Others are access faults.
  virtual void map_device(std::uint64_t address, std::uint64_t bytes) = 0;
  virtual void unmap(std::uint64_t address, std::uint64_t bytes) = 0;

  /// To machine mode at `pc`; a0 is the hart's number, a1 `argument`.
  virtual void reset(std::uint64_t pc, std::uint64_t argument) = 0;
  /// Executes at least `instructions`: to the end of the basic block. None in WFI, if no interrupt
  /// that is enabled is pending.
  virtual IssStop run(std::uint64_t instructions) = 0;
  /// From a callback of the bus: run() returns before the next basic block.
  virtual void stop() = 0;
  /// The wires to mip.
  virtual void set_pending(std::uint64_t mip) = 0;
  /// Executed since the reset: all basic blocks that have begun.
  virtual std::uint64_t instructions() const = 0;
  /// Fences of memory writes before device writes since the reset; in a callback of the bus, those
  /// before the access.
  virtual std::uint64_t fences() const = 0;
  /// Called at each synchronous exception that the hart takes.
  virtual void set_on_fault(std::function<void(const IssFault&)> on_fault) = 0;

  virtual std::uint64_t pc() const = 0;
  /// What debuggers and traces use; the same object at each call. Null: the simulator has none.
  virtual IssDebug* debug() { return nullptr; }
};

/// The function "tessera_make_iss" of a shared object that has an instruction-set simulator. Throws
/// std::runtime_error.
using MakeIss = Iss*(std::uint32_t hart, IssBus* bus);

}  // namespace tessera
