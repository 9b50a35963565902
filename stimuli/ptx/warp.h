// SPDX-License-Identifier: Apache-2.0
#pragma once

// A CTA of a launch and its warps.

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "stimuli/ptx/alu_table.h"
#include "stimuli/ptx/async_copies.h"
#include "stimuli/ptx/async_form.h"
#include "stimuli/ptx/launch.h"
#include "stimuli/ptx/mbarrier.h"
#include "stimuli/ptx/texture_sampling.h"

namespace tessera::ptx {

class Cta;

/// One bar.red of a CTA: the contributions of its warps between two releases of the barrier.
struct Reduction {
  std::uint32_t expected = 0;  ///< threads; 0: all threads of the CTA
  std::uint32_t warps = 0;     ///< number of warps that have contributed
  std::uint32_t count = 0;     ///< threads with a true predicate
  std::uint32_t threads = 0;
  bool fetched = false;  ///< a warp that the barrier has released has read the result

  /// Whether the next contribution belongs to another Reduction.
  bool is_complete() const { return fetched || (expected != 0 && warps * kWarpLanes >= expected); }
};

/// A texture fetch between its first texel load and its filter.
struct TextureFetch {
  std::uint32_t mask = 0;    ///< lanes that sample
  unsigned corners = 0;      ///< maximum number of texels of a lane
  unsigned texel_bytes = 0;  ///< size of a texel, equal for all lanes
  bool read_only = false;    ///< the loads carry the read-only bit
  std::array<Footprint, kWarpLanes> lane{};
};

class Warp final : public WarpProgram {
 public:
  Warp(Cta& cta, unsigned index, std::byte* storage);

  const OpInfo& next() const override { return info_[pc_]; }
  void issue(const IssueContext& context, IssueResult& result) override;
  void complete(const AccessEnd& access, const std::byte* data) override;
  std::string where() const override { return where(pc_); }
  std::string place_of(std::uint32_t pc) const override;
  std::string last_barrier() const override { return where(barrier_pc_); }

 private:
  /// A set of waiting lanes: not selected, at a reconvergence point, in a warp-synchronising
  /// instruction, or at a barrier of the CTA until the rest of the warp arrives. The topmost level
  /// that contains a lane gives its position.
  struct Level {
    std::uint32_t pc = 0;
    std::uint32_t reconverge = 0;
    std::uint32_t mask = 0;
    /// If not 0: the lanes wait at pc until all these lanes, except exited ones, have arrived.
    std::uint32_t members = 0;
    /// If not 0: the lanes wait at barrier `barrier - 1`, which other lanes of the warp can reach.
    std::uint32_t barrier = 0;
    /// The lanes execute a loop without progress: they wait until no other path can run.
    bool yields = false;

    bool waits() const { return members != 0 || barrier != 0 || yields; }
  };

  /// The backward branches of a diverged warp's present path (warp_turns.cpp).
  struct Turn {
    std::uint32_t branches = 0;
    std::uint32_t watched_pc = 0;
    /// Branch of the last loop that has run for kLongLoop backward branches.
    std::uint32_t long_pc = ~std::uint32_t{0};
    bool watched = false;   ///< `registers` are those of the last execution of the watched branch
    bool observes = false;  ///< it has executed a fence or an access that can be concurrent
    std::vector<std::byte> registers;
  };

  void go_to(std::uint32_t pc);
  void resume();
  void branch(const Decoded& d, std::uint32_t taken);
  void exit_lanes(std::uint32_t lanes, IssueResult& result);
  bool barrier(const Decoded& d, std::uint32_t mask, IssueResult& result);
  void finish_reduction();
  /// Fails unless all 32 lanes are in the mask.
  void check_together(std::uint32_t mask) const;

  // warp_calls.cpp
  void call(const Decoded& d);
  void return_lanes(const Decoded& d);
  void allocate_stack(const Decoded& d, std::uint32_t mask);
  const KernelFunction& target_of(const CallSite& site, unsigned lane) const;
  void enter(const KernelFunction& f, const CallSite& site, std::uint32_t lanes);
  [[noreturn]] void fail_target(std::uint64_t address, unsigned lane) const;
  /// `of`: the function whose frame needs the bytes; null: alloca.
  void check_stack(std::uint64_t bytes, const KernelFunction* of, unsigned lane) const;
  std::byte* call_data(const CallData& c, unsigned lane) const;

  // warp_sync.cpp
  bool synchronise(const Decoded& d, std::uint32_t lanes);
  bool common_members(Slot s, std::uint32_t lanes, std::uint32_t& members) const;
  bool meet_by_mask(const Decoded& d, std::uint32_t lanes);
  bool try_rendezvous(std::uint32_t pc, std::uint32_t lanes, std::uint32_t members);
  void rendezvous_after_exit();
  void release(std::size_t level, std::uint32_t together);
  bool gather_at_barrier(const Decoded& d, std::uint32_t id, std::uint32_t threads,
                         std::uint32_t& lanes);
  std::size_t runnable_level() const;
  std::size_t meeting_level(std::uint32_t& lanes) const;
  std::size_t yielding_level() const;
  std::size_t impatient_level(std::uint32_t& lanes) const;
  void execute_sync(const Frame& frame, const Decoded& d);
  void execute_apart(const std::vector<Level>& groups, std::uint32_t lanes);
  void warn_of_idle_sources(const Frame& frame, const Decoded& d, Shuffle mode) const;
  void select_path();
  [[noreturn]] void fail_deadlock();

  // warp_turns.cpp
  void loop_back(const Decoded& d);
  bool makes_no_progress();

  // warp_async.cpp
  bool wait_ended() const override;
  bool wait_is_limited() const override;
  bool execute_async(const Decoded& d, std::uint32_t mask, const IssueContext& context,
                     IssueResult& result);
  AsyncCopies& copies();
  AsyncCopy& start_copy(std::uint32_t lanes, bool bulk, bool store, IssueResult& result);
  void copy_lanes(const Decoded& d, const AsyncForm& form, std::uint32_t mask, IssueResult& result);
  void copy_bulk(const Decoded& d, const AsyncForm& form, std::uint32_t mask, IssueResult& result);
  void issue_copy(const Decoded& d, MemoryOp& op, AsyncCopy& copy);
  void copy_within_shared(const AsyncForm& form, unsigned lane, std::uint32_t bytes);
  void end_copy(std::uint32_t number, const std::byte* data);
  void write_copied(const AsyncCopy& copy, const std::byte* data);
  void handle_copy_arrivals();
  void check_shared_range(const AsyncForm& form, unsigned lane, std::uint64_t address,
                          std::uint64_t bytes, std::uint64_t alignment) const;

  // warp_mbarrier.cpp
  void execute_mbarrier(const Decoded& d, const AsyncForm& form, std::uint32_t mask,
                        IssueResult& result);
  void operate_mbarrier(const AsyncForm& form, unsigned lane, std::uint32_t address);
  bool phase_ended(const AsyncForm& form, unsigned lane) const;
  bool has_mbarrier(std::uint64_t address) const;
  std::uint32_t mbarrier_address(const AsyncForm& form, unsigned lane) const;
  Mbarrier mbarrier(std::uint32_t address) const;
  void set_mbarrier(std::uint32_t address, const Mbarrier& value);
  std::uint64_t async_address(const AsyncAddress& address, unsigned lane) const;

  // warp_memory.cpp
  MemoryOp& begin_access(AccessKind kind, Space space, IssueResult& result) const;
  StateSpace address_access(const Decoded& d, std::uint32_t& mask, IssueResult& result,
                            AddressSummary& summary);
  StateSpace address_lanes(const Decoded& d, std::uint32_t& mask, IssueResult& result,
                           AddressSummary& summary);
  void access(const Decoded& d, std::uint32_t mask, const IssueContext& context,
              IssueResult& result);
  StateSpace resolve_generic(const Decoded& d, std::uint32_t& mask, MemoryOp& op,
                             AddressSummary& summary);
  void check_global(const MemoryOp& op, const AddressSummary& summary);
  void check_global_range(const MemoryOp& op, unsigned lane, std::uint64_t bytes,
                          std::uint64_t alignment);
  [[noreturn]] void fail_out_of_bounds(const MemoryOp& op, unsigned lane,
                                       std::uint64_t bytes) const;
  void check_window(const MemoryOp& op, const AddressSummary& summary, std::uint64_t bytes,
                    const char* what) const;
  void run_access(const Decoded& d, const MemoryOp& op, std::byte* base,
                  const std::uint64_t* offsets);
  void access_local(const Decoded& d, const IssueContext& context, MemoryOp& op);
  static void touch(FlatMemory& flat, const MemoryOp& op, const AddressSummary& summary);
  void access_global(const Decoded& d, MemoryOp& op, const AddressSummary& summary);
  void carry_data(const Decoded& d, MemoryOp& op);

  // warp_atomic.cpp
  void run_atomic(const Decoded& d, const MemoryOp& op, std::byte* base,
                  const std::uint64_t* offsets);
  void carry_operands(const Decoded& d, MemoryOp& op);
  void complete_atomic(const Decoded& d, std::uint32_t active, const std::byte* data);

  // warp_matrix.cpp
  void access_matrix(const Decoded& d, std::uint32_t mask, IssueResult& result);
  void run_matrix(const Decoded& d, const MemoryOp& op, std::byte* base,
                  const std::uint64_t* offsets);

  // warp_races.cpp
  using RunAccess = void (Warp::*)(const Decoded&, const MemoryOp&, std::byte*,
                                   const std::uint64_t*);
  void run_checked(const Decoded& d, const MemoryOp& op, std::byte* base,
                   const std::uint64_t* offsets, RunAccess run = &Warp::run_access);
  void check_race(const Decoded& d, const MemoryOp& op, unsigned lane, const std::byte* before,
                  const std::byte* after);
  void tell_race(const MemoryOp& op, unsigned lane, const RaceConflict& with);
  void arrive_for_races(const IssueResult& result);
  void pass_barrier();
  void tell_divergent_barrier(std::uint32_t mask);

  // warp_texture.cpp
  void load_texel(const Decoded& d, std::uint32_t mask, IssueResult& result);
  void begin_fetch(const TextureForm& form, std::uint32_t mask, TextureFetch& fetch);
  void filter_texels(const Decoded& d, IssueResult& result);
  void query_texture(const Decoded& d, std::uint32_t mask);
  void access_surface(const Decoded& d, std::uint32_t mask, IssueResult& result);
  const TextureDescriptor& texture(const TextureForm& form, unsigned lane) const;
  [[noreturn]] void fail_handle(const TextureForm& form, unsigned lane) const;

  // warp_system.cpp
  void print(const Decoded& d, std::uint32_t mask);
  [[noreturn]] void assertion_failed(const Decoded& d, std::uint32_t mask) const;
  /// malloc and free (warp_heap.cpp).
  void heap_call(const Decoded& d, std::uint32_t mask);
  std::uint64_t argument(Slot s, unsigned lane, unsigned bytes) const;
  std::uint64_t peek(unsigned lane, Address from, std::uint64_t bytes, void* to) const;
  std::string string_at(unsigned lane, Address from) const;
  std::uint64_t word_at(unsigned lane, Address from, unsigned bytes) const;

  std::string line_text(std::uint32_t pc) const;
  std::string where(std::uint32_t pc) const;
  std::string describe(unsigned lane, const std::string& what) const;
  [[noreturn]] void fail(unsigned lane, const std::string& what) const;
  [[noreturn]] void fail_access(const MemoryOp& op, unsigned lane, const std::string& why,
                                std::uint64_t bytes = 0) const;

  const Decoded* code_;
  const AluTable& alu_;
  const OpInfo* info_;
  Frame frame_;
  std::uint32_t pc_ = 0;
  std::uint32_t barrier_pc_ = 0;  ///< pc of the last barrier
  std::uint32_t active_ = 0;
  std::uint32_t live_ = 0;  ///< lanes that have not exited
  std::uint32_t reconverge_ = 0;
  std::uint32_t waiting_ = 0;  ///< number of levels for which waits() is true
  std::vector<Level> stack_;
  /// Lanes that the next issue of the present instruction serves: of a generic access, those that
  /// address another space; of bulk copies, those whose copy has pieces left.
  std::uint32_t unserved_ = 0;
  Turn turn_;
  Cta& cta_;
  Launch& launch_;
  unsigned index_;
  /// A bar.red with a pending result: its pc + 1, and its lanes.
  std::uint32_t reduction_pc_ = 0;
  std::uint32_t reduction_mask_ = 0;
  std::shared_ptr<Reduction> reduction_;
  std::unique_ptr<AsyncCopies> copies_;  ///< null before the first asynchronous copy
  std::vector<TextureFetch> fetches_;    ///< by TextureForm::set; allocated at the first fetch
  std::unique_ptr<WarpRaces> races_;     ///< null if accesses are not checked
};

class Cta final : public CtaProgram {
 public:
  Cta(Launch& launch, CtaId id);
  ~Cta() override;

  unsigned warp_count() const override { return launch_.warps_per_cta(); }
  WarpProgram& warp(unsigned index) override { return warps_[index]; }
  unsigned warp_threads(unsigned index) const override { return launch_.warp_threads(index); }

  Launch& launch() { return launch_; }
  CtaId id() const { return id_; }
  Dim3 coordinates() const { return coordinates_; }
  /// Null if accesses are not checked.
  CtaRaces* races() { return races_.get(); }
  std::byte* shared() { return shared_; }
  std::byte* cta_bank() { return bank_.data(); }
  /// The present bar.red of a barrier. `threads`: 0 = all threads of the CTA.
  std::shared_ptr<Reduction> reduction(unsigned barrier, std::uint32_t threads);

 private:
  Launch& launch_;
  CtaId id_;
  Dim3 coordinates_;
  std::unique_ptr<CtaRaces> races_;
  std::vector<std::byte> storage_;
  std::byte* shared_ = nullptr;
  alignas(32) std::array<std::byte, 3 * kVector32> bank_{};
  std::deque<Warp> warps_;
  std::array<std::shared_ptr<Reduction>, 16> reductions_;
};

}  // namespace tessera::ptx
