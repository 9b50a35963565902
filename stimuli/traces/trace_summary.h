// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a kernel's trace contains: instructions, accesses, and their transactions.

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "stimuli/traces/kernel_spool.h"
#include "stimuli/traces/trace_instruction.h"

namespace tessera::traces {

/// Bytes of a cache line and of its sectors.
inline constexpr std::uint64_t kLineBytes = 128;
inline constexpr std::uint64_t kSectorBytes = 32;

/// Accesses of one space and kind.
struct AccessCounts {
  std::uint64_t instructions = 0;
  std::uint64_t lanes = 0;
  /// Global memory: lines and sectors that the lanes of an instruction touch, and bytes. A byte
  /// that several lanes touch counts once.
  std::uint64_t lines = 0;
  std::uint64_t sectors = 0;
  std::uint64_t bytes = 0;

  AccessCounts& operator+=(const AccessCounts& other);
};

class TraceSummary {
 public:
  /// Reads a kernel to its end. `progress` gets the part that is done. Throws InputError.
  void add(KernelTraceReader& reader, const std::function<void(double)>& progress);
  TraceSummary& operator+=(const TraceSummary& other);

  std::uint64_t ctas() const { return ctas_; }
  std::uint64_t warps() const { return warps_; }  ///< with instructions
  std::uint64_t warp_instructions() const { return warp_instructions_; }
  std::uint64_t thread_instructions() const { return thread_instructions_; }
  /// Warp instructions by class (docs/guide/captured-traces.md, "Classes of instructions"): "alu",
  /// "alu_multi_slot", "int_mul", "fp64", "sfu", "matrix", "memory", "barrier", "fence", "wait",
  /// "exit".
  const std::map<std::string, std::uint64_t>& classes() const { return classes_; }
  /// By "global load", "shared atomic", "global copy" (asynchronous) and so on.
  const std::map<std::string, AccessCounts>& accesses() const { return accesses_; }
  /// Of accesses to global memory.
  AccessCounts global() const;
  /// Bytes of the different sectors of global memory.
  std::uint64_t bytes_touched() const;
  const std::map<std::string, std::uint64_t>& unknown_opcodes() const { return unknown_; }
  /// Of the last kernel that was read.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  using Sectors = std::bitset<kChunkBytes / kSectorBytes>;

  void count(const TraceInstruction& i);
  void count_bytes(const TraceInstruction& i, AccessCounts& out);

  std::uint64_t ctas_ = 0;
  std::uint64_t warps_ = 0;
  std::uint64_t warp_instructions_ = 0;
  std::uint64_t thread_instructions_ = 0;
  std::map<std::string, std::uint64_t> classes_;
  std::map<std::string, AccessCounts> accesses_;
  std::map<std::string, std::uint64_t> unknown_;
  std::vector<std::string> warnings_;
  std::unordered_map<std::uint64_t, Sectors> touched_;  ///< by chunk
  std::uint64_t last_chunk_ = ~std::uint64_t{0};
  Sectors* last_sectors_ = nullptr;
  std::vector<std::pair<Address, Address>> spans_;  ///< of the present instruction's lanes
};

}  // namespace tessera::traces
