// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a kernel in the PTX interpreter and compares the address of each executed global access with
// the address that its index expression predicts for the thread, the CTA, the iterations of the
// loops and the values that the thread has loaded. The iterations are counted here, from the blocks
// that a thread executes, and not by the analysis.

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "stimuli/device_memory.h"
#include "stimuli/kernel_source.h"
#include "stimuli/ptx/analysis/locality_table.h"
#include "stimuli/ptx/analysis/loops.h"

namespace tessera::test {

/// Counts for one access, in executed thread accesses.
struct AccessCheck {
  std::uint64_t executed = 0;
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  /// Values of the one unknown symbol of an expression, which compared accesses imply. A prediction
  /// with a choice between uniform values has few of them.
  std::set<std::int64_t> implied;
  std::string first_wrong;
};

class AddressCheck {
 public:
  AddressCheck(const ptx::Module& module, const std::string& kernel);

  const ptx::LocalityTable& table() const { return table_; }
  /// Runs all CTAs of a launch of this kernel, and compares the accesses of kMostCtas of them: the
  /// first, the last, and others in between. Values are in `memory`.
  static constexpr std::uint64_t kMostCtas = 12;
  void run(KernelProgram& program, const LaunchRequest& request, const FlatMemory& memory);
  /// By index of IndexAnalysis::accesses.
  const std::vector<AccessCheck>& accesses() const { return checks_; }
  /// Empty, or why the kernel's instructions cannot be identified by line.
  const std::string& obstacle() const { return obstacle_; }

 private:
  struct Thread {
    std::vector<bool> inside;              ///< by loop
    std::vector<std::int64_t> iterations;  ///< by loop
    std::vector<std::int64_t> trips;       ///< by loop
    std::map<std::pair<std::size_t, int>, std::int64_t> loaded;
    Dim3 tid;
    std::uint32_t block = ptx::kNoBlock;  ///< that it has entered last
  };
  class Values;

  void run_cta(KernelProgram& program, CtaId cta, bool checked);
  void enter_after(Thread& t, std::uint32_t block);
  void issued(const OpInfo& info, const IssueResult& result, unsigned warp);
  void enter(Thread& t, std::uint32_t block);
  void reset_inside(Thread& t, unsigned loop);
  void compare(std::size_t access, const Thread& t, std::uint64_t address);
  void record_loads(std::size_t instruction, Thread& t, std::uint64_t address);

  ptx::LocalityTable table_;
  ptx::Function function_;
  ptx::LoopNest nest_;
  std::string obstacle_;
  std::map<unsigned, std::size_t> instruction_of_;  ///< by line
  std::map<std::size_t, std::size_t> access_of_;    ///< by instruction
  std::map<std::size_t, std::size_t> group_of_;     ///< by access
  std::vector<std::size_t> markers_;                ///< first unpredicated instruction of a block
  std::vector<AccessCheck> checks_;
  std::map<std::string, std::uint64_t> variables_;  ///< addresses that accesses have shown
  const LaunchRequest* request_ = nullptr;
  const FlatMemory* memory_ = nullptr;
  Dim3 ctaid_;
  std::vector<Thread> threads_;  ///< of the CTA
};

}  // namespace tessera::test
