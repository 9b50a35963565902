// SPDX-License-Identifier: Apache-2.0
#pragma once

// A launch of a decoded kernel, its CTAs and their warps.
//
// Timing facts that the SM sees: shared, local and parameter accesses are executed at issue in
// both modes (values_done); .local memory is kept here, not in device memory, and its addresses
// are relative to the CTA, laid out as the hardware does (the same word of consecutive lanes is
// contiguous). Constants are read as read-only global data. Loads that the read-only pass found
// carry the read-only bit, unless an argument of this launch that the kernel writes by is in the
// same allocation. A fence of an acquire or release
// access is an operation of its own.

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "stimuli/ptx/alu_table.h"
#include "stimuli/ptx/kernel.h"
#include "stimuli/ptx/program.h"

namespace tessera::ptx {

class Cta;

/// Bounds of the allocation that an instruction accessed last.
struct RecentRange {
  Address begin = 0;
  std::uint64_t bytes = 0;
};

class Launch final : public KernelProgram {
 public:
  Launch(std::shared_ptr<const Kernel> kernel, const LaunchRequest& request,
         const MemoryView& memory);

  const std::string& name() const override { return kernel_->name; }
  Dim3 grid() const override { return grid_; }
  Dim3 block() const override { return block_; }
  CtaResources resources() const override;
  unsigned register_names() const override { return kernel_->register_names; }
  std::unique_ptr<CtaProgram> start_cta(CtaId cta) override;

  const Kernel& kernel() const { return *kernel_; }
  const MemoryView& memory() const { return memory_; }
  std::uint32_t shared_bytes() const { return shared_bytes_; }
  unsigned warps_per_cta() const { return warps_; }
  unsigned warp_threads(unsigned warp) const;
  std::byte* launch_bank() { return launch_bank_.data(); }
  std::byte* parameters() { return parameters_.data(); }
  std::byte* thread_bank(unsigned warp) { return thread_bank_.data() + warp * 3 * kVector32; }
  RecentRange& recent(std::uint32_t pc) { return recent_[pc]; }
  /// Whether that load's requests carry the read-only bit.
  bool is_read_only(std::uint32_t pc) const { return read_only_[pc] != 0; }

  /// Storage of ended CTAs is used again.
  std::vector<std::byte> take_storage();
  void give_storage(std::vector<std::byte> storage);
  std::size_t warp_bytes() const { return warp_bytes_; }

 private:
  void place_parameters(const LaunchRequest& request);
  void fill_launch_bank(const LaunchRequest& request);
  void mark_read_only();
  Address pointer_value(const PointerOrigin& origin) const;

  std::shared_ptr<const Kernel> kernel_;
  MemoryView memory_;
  Dim3 grid_;
  Dim3 block_;
  std::uint32_t threads_ = 0;
  unsigned warps_ = 0;
  std::uint32_t shared_bytes_ = 0;
  std::size_t warp_bytes_ = 0;  ///< registers and local memory of one warp
  std::vector<std::byte> launch_bank_;
  std::vector<std::byte> parameters_;
  std::vector<std::byte> thread_bank_;
  std::vector<RecentRange> recent_;
  std::vector<std::uint8_t> read_only_;  ///< of each instruction
  std::vector<std::vector<std::byte>> pool_;
};

class Warp final : public WarpProgram {
 public:
  Warp(Cta& cta, unsigned index, std::byte* storage);

  const OpInfo& next() const override { return info_[pc_]; }
  void issue(const IssueContext& context, IssueResult& result) override;
  void complete(std::uint32_t pc, std::uint32_t active, const std::byte* data) override;
  std::string where() const override { return where(pc_); }
  std::string last_barrier() const override { return where(barrier_pc_); }

 private:
  /// A set of lanes that waits for its turn.
  struct Level {
    std::uint32_t pc = 0;
    std::uint32_t reconverge = 0;
    std::uint32_t mask = 0;
  };

  void go_to(std::uint32_t pc);
  void resume();
  void branch(const Decoded& d, std::uint32_t taken);
  void exit_lanes(std::uint32_t lanes, IssueResult& result);
  void barrier(const Decoded& d, std::uint32_t mask, IssueResult& result);
  void finish_reduction();

  // warp_memory.cpp
  void access(const Decoded& d, std::uint32_t mask, IssueResult& result);
  StateSpace resolve_generic(const Decoded& d, std::uint32_t mask, MemoryOp& op,
                             AddressSummary& summary) const;
  void check_global(const Decoded& d, const MemoryOp& op, const AddressSummary& summary);
  void check_window(const Decoded& d, const MemoryOp& op, const AddressSummary& summary,
                    std::uint64_t bytes, const char* what) const;
  void run_access(const Decoded& d, const MemoryOp& op, std::byte* base,
                  const std::uint64_t* offsets);
  void access_local(const Decoded& d, MemoryOp& op);

  // warp_system.cpp
  void print(const Decoded& d, std::uint32_t mask);
  [[noreturn]] void assertion_failed(const Decoded& d, std::uint32_t mask) const;
  std::uint64_t argument(Slot s, unsigned lane, unsigned bytes) const;
  std::uint64_t peek(unsigned lane, Address from, std::uint64_t bytes, void* to) const;
  std::string string_at(unsigned lane, Address from) const;
  std::uint64_t word_at(unsigned lane, Address from, unsigned bytes) const;

  std::string line_text(std::uint32_t pc) const;
  std::string where(std::uint32_t pc) const;
  [[noreturn]] void fail(unsigned lane, const std::string& what) const;
  [[noreturn]] void fail_access(const Decoded& d, const MemoryOp& op, unsigned lane,
                                const std::string& why) const;

  const Decoded* code_;
  const AluTable& alu_;
  const OpInfo* info_;
  Frame frame_;
  std::uint32_t pc_ = 0;
  std::uint32_t barrier_pc_ = 0;  ///< of the barrier it reached last
  std::uint32_t active_ = 0;
  std::uint32_t reconverge_ = 0;
  std::vector<Level> stack_;
  Cta& cta_;
  Launch& launch_;
  unsigned index_;
  /// A bar.red whose result is not written yet: its pc + 1, and the lanes.
  std::uint32_t reduction_pc_ = 0;
  std::uint32_t reduction_mask_ = 0;
  std::uint32_t reduction_round_ = 0;
};

/// Contributions to one bar.red of a CTA.
struct Reduction {
  std::uint32_t round = 0;
  std::uint32_t warps = 0;  ///< that have fetched the result
  std::uint32_t count = 0;  ///< threads with a true predicate
  std::uint32_t threads = 0;
};

class Cta final : public CtaProgram {
 public:
  Cta(Launch& launch, CtaId id);
  ~Cta() override;

  unsigned warp_count() const override { return launch_.warps_per_cta(); }
  WarpProgram& warp(unsigned index) override { return warps_[index]; }
  unsigned warp_threads(unsigned index) const override { return launch_.warp_threads(index); }

  Launch& launch() { return launch_; }
  Dim3 coordinates() const { return coordinates_; }
  std::byte* shared() { return shared_; }
  std::byte* cta_bank() { return bank_.data(); }
  Reduction& reduction(unsigned barrier, std::uint32_t round);

 private:
  Launch& launch_;
  Dim3 coordinates_;
  std::vector<std::byte> storage_;
  std::byte* shared_ = nullptr;
  alignas(32) std::array<std::byte, 3 * kVector32> bank_{};
  std::deque<Warp> warps_;
  /// Two rounds of each barrier may be in use: one being read, one being filled.
  std::array<std::array<Reduction, 2>, 16> reductions_{};
};

}  // namespace tessera::ptx
