// SPDX-License-Identifier: Apache-2.0
#pragma once

// A kernel's trace in a spool file, CTA by CTA: random access, with memory for the static
// instructions and 16 bytes for each CTA (docs/decisions/traces-are-spooled.md).

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "stimuli/traces/kernel_check.h"
#include "stimuli/traces/spool_file.h"
#include "stimuli/traces/trace_instruction.h"

namespace tessera::traces {

/// Unit of the ranges that a trace touches.
inline constexpr std::uint64_t kChunkBytes = 64 * 1024;

class KernelSpool {
 public:
  /// A warp's records.
  struct WarpPart {
    std::uint32_t warp = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t instructions = 0;
  };

  /// Reads the kernel to its end. `progress` gets the part that is done, often. Throws InputError.
  KernelSpool(KernelTraceReader& reader, const std::function<void(double)>& progress);
  ~KernelSpool();

  const TraceKernel& kernel() const { return kernel_; }
  /// Warps of a CTA that have instructions. `cta` is below the grid's number of CTAs.
  std::vector<WarpPart> warps(std::uint64_t cta) const;
  /// Static part of an instruction, as trace and as SM see it.
  const TraceOperation& operation(std::uint32_t index) const { return operations_[index]; }
  const OpInfo& info(std::uint32_t index) const { return infos_[index]; }
  /// The exit of a warp whose last instruction is none.
  const OpInfo& exit_info() const { return infos_.back(); }
  /// "kernel-1.traceg, PC 0x10 'LDG.E.SYS'".
  std::string text(std::uint32_t index) const;
  std::size_t read(std::uint64_t offset, void* out, std::size_t bytes) const {
    return file_.read(offset, out, bytes);
  }

  /// Numbers of the chunks of global memory that the kernel touches.
  const std::unordered_set<std::uint64_t>& chunks() const { return chunks_; }
  /// The kernel's local addresses are in [local_begin(), local_end()), relative to the window.
  Address local_begin() const { return check_.local_begin(); }
  Address local_end() const { return check_.local_end(); }
  std::vector<std::string> warnings() const { return check_.warnings(); }
  /// Accesses with an address that is not a multiple of their width.
  std::uint64_t unaligned() const { return unaligned_; }
  std::uint64_t bulk_copies() const { return bulk_copies_; }
  /// Registers of a thread in the file's header, if no thread has as many; otherwise 0.
  /// kernel().registers is then the number that the records name.
  std::uint32_t impossible_registers() const { return impossible_registers_; }
  const std::vector<KernelTraceReader::Unknown>& unknown_opcodes() const { return unknown_; }

 private:
  struct Block {
    std::uint32_t cta = 0;
    std::uint64_t offset = 0;  ///< of the numbers of its warps
  };

  void read_block(KernelTraceReader& reader, const Dim3& at,
                  const std::function<void(double)>& progress);
  void note_addresses(TraceInstruction& i);
  void touch(Address begin, std::uint64_t bytes);
  std::uint32_t intern(const TraceOperation& o);
  void correct_registers();
  void finish();

  TraceKernel kernel_;
  KernelCheck check_;
  SpoolFile file_;
  std::vector<Block> blocks_;  ///< in ascending order of CTA
  std::vector<TraceOperation> operations_;
  std::unordered_set<std::string> opcodes_;  ///< to which operations refer
  std::vector<OpInfo> infos_;
  std::unordered_set<std::uint64_t> chunks_;
  std::uint64_t last_chunk_ = ~std::uint64_t{0};
  std::uint64_t unaligned_ = 0;
  std::uint64_t bulk_copies_ = 0;
  std::uint32_t impossible_registers_ = 0;
  std::uint64_t instructions_ = 0;
  std::vector<KernelTraceReader::Unknown> unknown_;

  // Of the reading alone.
  struct Interning;
  std::unique_ptr<Interning> interning_;
  std::string record_;
};

}  // namespace tessera::traces
