// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/process_timer.h"
#include "modules/core/timed_queue.h"
#include "modules/sm/load_store_unit.h"
#include "modules/sm/sm_config.h"
#include "modules/sm/sm_interfaces.h"
#include "stimuli/warp_program.h"

namespace tessera {

struct SmStats {
  Counter warp_instructions = 0;
  Counter thread_instructions = 0;
  Counter memory_instructions = 0;
  Counter shared_instructions = 0;
  Counter shared_conflict_cycles = 0;
  Counter barriers = 0;
  Counter fences = 0;
  Counter ctas = 0;
  /// Scheduler cycles by what happened in them.
  Counter issued_slots = 0;
  Counter idle_slots = 0;
  Counter structural_slots = 0;
  Counter dependency_slots = 0;
  Counter memory_slots = 0;
  Counter barrier_slots = 0;
  Occupancy resident_warps;
};

/// A streaming multiprocessor: resident CTAs and warps, schedulers, scoreboard, load/store unit.
///
/// Hardware (NUBA Table 1): up to 64 warps, two schedulers of one warp instruction a cycle each,
/// greedy-then-oldest; warps belong to a scheduler by their slot number. In-order issue per warp
/// under a scoreboard; ALU results after a fixed latency, loads when their last line is back.
/// What a warp does comes from a WarpProgram.
///
/// Timing: an SM with a warp ready issues at each clock edge; with none it sleeps until the next
/// result, answer or CTA. A line request reaches the L1 tlb_latency cycles after it left.
/// Phases: all four, as initiator. Not modelled: local memory's traffic (a fixed latency stands for
/// it), instruction fetch, register banks, operand
/// collectors, write-back port conflicts.
class SmCluster final : public sc_core::sc_module,
                        public Block,
                        public CtaSinkIf,
                        public QuiesceIf {
 public:
  tlm_utils::simple_initiator_socket<SmCluster> l1;
  tlm_utils::simple_initiator_socket<SmCluster> mmu;
  sc_core::sc_port<FlushIf> l1_control;
  sc_core::sc_port<DispatchEventsIf> dispatcher;
  sc_core::sc_export<CtaSinkIf> ctas;

  SmCluster(const sc_core::sc_module_name& name, const SmConfig& config, TransactionPool& pool,
            SmId id, unsigned sm_count);

  const SmConfig& config() const { return config_; }
  const SmStats& stats() const { return stats_; }
  const LoadStoreStats& memory_stats() const { return lsu_.stats(); }

  void start_cta(KernelProgram& kernel, CtaId cta, Tick at) override;
  unsigned resident_ctas(const CtaResources& resources) const override;
  void quiesce(std::function<void()> drained) override;
  void resume() override;

  /// Warps of running CTAs that have not ended.
  unsigned resident_warps() const;

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  static constexpr std::uint64_t kNotReady = ~std::uint64_t{0};
  static constexpr unsigned kBarriers = 16;
  static constexpr unsigned kUnits = 4;      ///< those with an issue interval, first in Unit
  static constexpr unsigned kUnitKinds = 8;  ///< all of Unit
  static constexpr unsigned kWheel = 64;

  /// A register being written, and the cycle from which it may be read (kNotReady: a load).
  struct PendingWrite {
    std::uint16_t reg = 0;
    std::uint64_t ready = 0;
  };
  struct alignas(kHostLine) Warp {
    WarpProgram* program = nullptr;
    const OpInfo* next = nullptr;
    std::uint32_t cta = 0;
    std::uint64_t age = 0;
    std::uint64_t ready_cycle = kNotReady;
    std::uint32_t loads = 0;   ///< outstanding accesses with a result
    std::uint32_t stores = 0;  ///< outstanding accesses without
    boost::container::small_vector<PendingWrite, 2> pending;
  };
  struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;  ///< 0 = all live warps
    std::uint64_t waiting = 0;   ///< warp slots
  };
  struct Cta {
    std::unique_ptr<CtaProgram> program;
    std::uint32_t live_warps = 0;
    std::uint32_t loads = 0;
    std::array<Barrier, kBarriers> barriers;
  };
  struct Start {
    KernelProgram* kernel = nullptr;
    CtaId cta;
  };
  struct alignas(kHostLine) Scheduler {
    std::uint64_t mine = 0;  ///< warp slots
    std::uint32_t last = 64;
    std::array<std::uint64_t, kUnits> unit_free{};
  };

  void end_of_elaboration() override;
  void end_of_simulation() override;
  tlm::tlm_sync_enum l1_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay);
  tlm::tlm_sync_enum mmu_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
  void wake_for(Tick response);

  void process();
  void step(std::uint64_t cycle, Tick t);
  // What is rare stands apart (noinline), so that the rest lies in fewer host cache lines.
  [[gnu::noinline]] void admit(const Start& start, std::uint64_t cycle);
  void handle_completed(std::uint64_t cycle);
  bool issue_from(Scheduler& s, std::uint64_t cycle, Tick t);
  void issue(Scheduler& s, std::uint32_t slot, std::uint64_t cycle, Tick t);
  void memory_issued(std::uint32_t slot, const OpInfo& op, std::uint64_t cycle, Tick t);
  [[gnu::noinline]] void barrier_reached(std::uint32_t slot, const IssueResult& result,
                                         std::uint64_t cycle);
  void check_barrier(Cta& cta, Barrier& barrier, std::uint64_t cycle);
  [[gnu::noinline]] void warp_ended(std::uint32_t slot, std::uint64_t cycle);
  void cta_maybe_done(std::uint32_t cta);
  void maybe_drained();

  void set_next(Warp& w, std::uint32_t slot, std::uint64_t earliest);
  void find_ready(std::uint32_t slot, std::uint64_t earliest);
  [[gnu::noinline]] void write_pending(Warp& w, const OpInfo& op, std::uint64_t ready);
  void schedule_ready(std::uint32_t slot);
  void set_ready(std::uint32_t slot);
  std::uint64_t fences_that_may_issue() const;
  void account_slots(std::uint64_t slots);
  std::uint64_t next_cycle(std::uint64_t cycle) const;

  alignas(kHostLine) const SmConfig config_;
  const ClockDomain clock_;
  const SmId id_;
  const unsigned sm_count_;
  LoadStoreUnit lsu_;
  /// Of the operation being issued. One for all SMs, so that it stays in the host's first cache.
  inline static IssueResult issued_;

  // What each activation asks, in four host cache lines. First sets of warp slots:
  alignas(kHostLine) std::uint64_t occupied_ = 0;  ///< those in use
  std::uint64_t ready_ = 0;  ///< those whose next operation's registers are ready
  std::uint64_t at_barrier_ = 0;
  std::uint64_t wheel_used_ = 0;     ///< bit i: wheel_[i] is not empty
  std::uint64_t cycle_ = 0;          ///< last cycle whose work is done
  std::uint64_t running_cycle_ = 0;  ///< the one being worked on
  std::uint64_t shared_free_ = 0;
  std::uint64_t stores_ = 0;
  /// ready_, by the operation's unit.
  std::array<std::uint64_t, kUnitKinds> ready_for_{};
  TimedQueue<Start> starts_;
  ProcessTimer wake_;
  Tick close_at_ = kNever;
  Tick open_at_ = kNever;
  std::vector<Warp> warps_;
  std::vector<Scheduler> schedulers_;
  std::uint32_t live_ctas_ = 0;
  bool busy_ = false;  ///< has work that sm_drained() will end

  std::uint64_t ages_ = 0;
  std::vector<Cta> cta_slots_;
  std::array<std::uint64_t, kWheel> wheel_{};
  std::function<void()> drained_;  ///< told when the closed memory gate has nothing behind it
  SmStats stats_;
};

}  // namespace tessera
