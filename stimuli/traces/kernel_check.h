// SPDX-License-Identifier: Apache-2.0
#pragma once

// What each kernel's file must have, whoever reads it, and what is odd in it.

#include <string>
#include <vector>

#include "stimuli/traces/trace_instruction.h"

namespace tessera::traces {

/// A reader of a kernel calls begin_block(), begin_warp(), count() and finish() in the file's
/// order. Functions throw InputError with file, place and what was expected.
class KernelCheck {
 public:
  explicit KernelCheck(const TraceKernel& kernel) : kernel_(kernel) {}

  /// A CTA of the grid.
  void begin_block(const KernelTraceReader& reader, const Dim3& at);
  /// A warp that the CTA has not had.
  void begin_warp(const KernelTraceReader& reader, std::uint32_t warp);
  /// An instruction of the warp, with the addresses of the file.
  void count(const TraceInstruction& i);
  /// Each CTA of the grid once; local memory that a thread can have.
  void finish();

  /// The kernel's local addresses are in [local_begin(), local_end()), relative to the window.
  Address local_begin() const { return local_begin_; }
  Address local_end() const { return local_end_; }
  /// Texts with the file's name: warps without instructions, lanes without a thread, accesses
  /// without addresses.
  std::vector<std::string> warnings() const;

 private:
  void note_local(const TraceInstruction& i);
  std::string place_of(std::uint64_t cta) const;

  const TraceKernel kernel_;
  Dim3 at_;                           ///< the present CTA
  std::vector<bool> seen_;            ///< its warps
  std::uint32_t threads_ = 0;         ///< lanes of the present warp that are threads
  bool any_ = false;                  ///< the present warp has instructions
  std::vector<std::uint32_t> ctas_;   ///< in the file's order, until finish()
  std::uint64_t all_warps_ = 0;       ///< of the file's CTAs
  std::uint64_t filled_warps_ = 0;    ///< with instructions
  std::uint64_t beyond_ = 0;          ///< instructions with lanes that are no threads
  std::uint64_t without_places_ = 0;  ///< accesses without addresses
  Address local_begin_ = ~Address{0};
  Address local_end_ = 0;
};

}  // namespace tessera::traces
