// SPDX-License-Identifier: Apache-2.0
#pragma once

// Warp instructions of a trace in memory, whatever the format of its files is, and the interface by
// which a reader of a format delivers them. Traces have no values: an instruction says what an SM
// must know of its time and of its accesses.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/device_memory.h"
#include "stimuli/warp_program.h"

namespace tessera::traces {

enum class TraceAction : std::uint8_t {
  kCompute,
  kMemory,
  kBarrier,        ///< the warp waits for the CTA's other warps
  kBarrierArrive,  ///< the warp is counted at the barrier and continues
  kFence,
  kCommitCopies,  ///< ends a group of asynchronous copies (LDGDEPBAR)
  kWaitCopies,    ///< waits for groups of asynchronous copies (DEPBAR)
  kExit,
};

/// Scoreboard names: general, uniform, predicate and uniform predicate registers.
inline constexpr unsigned kRegisterNames = 1024;

/// The static part of an instruction.
struct TraceOperation {
  /// Destinations and sources of one instruction; a reader drops those beyond it.
  static constexpr unsigned kMaxRegisters = OpInfo::kMaxRegisters;

  TraceAction action = TraceAction::kCompute;
  Unit unit = Unit::kAlu;
  std::uint8_t cost = 1;  ///< issue slots of the unit
  bool matrix = false;    ///< a matrix product; for counts only
  // Of kMemory.
  AccessKind access = AccessKind::kLoad;
  Space space = Space::kGlobal;
  CacheScope scope = CacheScope::kL1;
  bool read_only = false;
  bool asynchronous = false;
  std::uint8_t lane_bytes = 4;  ///< 1, 2, 4, 8, 16 or 32
  /// kWaitCopies: groups that can still be outstanding.
  std::uint8_t groups = 0;
  std::uint8_t read_count = 0;
  std::uint8_t write_count = 0;
  std::array<std::uint16_t, kMaxRegisters> registers{};  ///< sources, then destinations
  std::uint32_t pc = 0;
  std::uint32_t line = 0;   ///< of the kernel's source; 0: not known
  std::string_view opcode;  ///< valid as long as the reader
};

/// A warp instruction. `address` has values for the lanes of the mask, if the action is kMemory.
struct TraceInstruction {
  TraceOperation operation;
  std::uint32_t mask = 0;  ///< lanes that execute it; bit i is lane i
  /// A memory opcode with active lanes whose record has no addresses: a kCompute.
  bool lacks_addresses = false;
  std::array<Address, kWarpLanes> address;
  /// Of a bulk copy, which is an access of the whole warp: addresses of its pieces, each of
  /// `piece_bytes` bytes. `address` has no values then.
  std::vector<Address> pieces;
  std::uint32_t piece_bytes = 0;
};

/// A launch, from a kernel file's header.
struct TraceKernel {
  std::string file;  ///< for messages
  std::string name;
  std::uint64_t id = 0;
  Dim3 grid;
  Dim3 block;
  std::uint32_t shared_bytes = 0;
  std::uint32_t registers = 0;  ///< of a thread
  std::uint32_t binary_version = 0;
  std::uint64_t stream = 0;
  Address shared_base = 0;  ///< window of generic addresses; 0: not known
  Address local_base = 0;
  unsigned version = 0;  ///< of the format
  bool has_lines = false;

  /// Warps of a CTA.
  unsigned warps() const {
    return static_cast<unsigned>((block.count() + kWarpLanes - 1) / kWarpLanes);
  }
};

/// "(1,2,3)", for messages.
inline std::string text_of(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

/// Windows of generic addresses have this size.
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{16} << 20;

/// Reader of one kernel: CTAs in the file's order, the warps of each, the instructions of each
/// warp. Functions throw InputError with file, place and what was expected.
class KernelTraceReader {
 public:
  virtual ~KernelTraceReader() = default;
  KernelTraceReader() = default;
  KernelTraceReader(const KernelTraceReader&) = delete;
  KernelTraceReader& operator=(const KernelTraceReader&) = delete;

  virtual const TraceKernel& kernel() const = 0;
  /// The next CTA's coordinates; false after the last one.
  virtual bool next_block(Dim3& coordinates) = 0;
  /// The next warp of the CTA, by its number; false after the last one. The instructions of the
  /// warp before have been read.
  virtual bool next_warp(std::uint32_t& warp) = 0;
  /// The next instruction of the warp; false after the last one.
  virtual bool next_instruction(TraceInstruction& out) = 0;
  /// "kernel-1.traceg:12" of what was read last.
  virtual std::string place() const = 0;
  /// Part of the file that has been read, 0 to 1.
  virtual double done() const = 0;
  /// Opcodes that are not in the table, with their numbers.
  struct Unknown {
    std::string opcode;
    std::uint64_t count = 0;
  };
  virtual std::vector<Unknown> unknown_opcodes() const = 0;
};

}  // namespace tessera::traces
