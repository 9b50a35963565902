// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/sm/ended_warps.h"
#include "modules/sm/load_store_unit.h"
#include "modules/sm/sm_config.h"
#include "modules/sm/sm_cta.h"
#include "modules/sm/sm_interfaces.h"
#include "modules/sm/sm_launches.h"
#include "modules/sm/sm_stats.h"
#include "modules/sm/sm_time.h"
#include "modules/sm/warp_scheduler.h"
#include "modules/sm/warp_table.h"
#include "stimuli/warp_program.h"

namespace tessera {

struct SmSite;

/// A streaming multiprocessor: resident CTAs and warps, schedulers, scoreboard, load/store unit.
///
/// Hardware (NUBA Table 1): up to 64 warps, and two schedulers that issue one warp instruction a
/// cycle each. The slot number of a warp selects its scheduler; a WarpScheduler selects the warp
/// that issues. Each warp issues in order under a scoreboard (WarpTable). ALU results are available
/// after a fixed latency, load results when the last line has arrived. A warp's operations come
/// from a WarpProgram.
///
/// A CTA's state belongs to its CtaProgram, so that a partly executed CTA can be adopted, and can
/// be released to another SM or to the functional runner.
///
/// Timing: an SM with a ready warp issues at each clock edge. Without one, its process sleeps until
/// the next result, response or CTA. A line request arrives at the L1 tlb_latency cycles after it
/// was sent. An operation that waits for asynchronous copies or for an mbarrier issues in the cycle
/// after its condition holds; one whose wait is limited also issues after `wait_limit` cycles.
/// Phases: all four, as initiator. Not modelled: instruction fetch, register banks, operand
/// collectors, write-back port conflicts.
class SmCluster final : public BlockBase<SmConfig, SmStats, SmSite>,
                        public CtaSinkIf,
                        public QuiesceIf {
 public:
  tlm_utils::simple_initiator_socket<SmCluster> l1;
  tlm_utils::simple_initiator_socket<SmCluster> mmu;
  sc_core::sc_port<FlushIf> l1_control;
  sc_core::sc_port<DispatchEventsIf> dispatcher;
  sc_core::sc_export<CtaSinkIf> ctas;

  SmCluster(const sc_core::sc_module_name& name, const SmConfig& config, TransactionPool& pool,
            SmId id, unsigned sm_count, const PageLookupIf* pages = nullptr);

  const LoadStoreStats& memory_stats() const { return lsu_.stats(); }
  const MemoryStallStats& stall_stats() const { return waits_.stats; }

  void start_cta(KernelProgram& kernel, LaunchedCta cta, Tick at) override;
  void adopt_cta(KernelProgram& kernel, std::unique_ptr<CtaProgram> program, LaunchedCta cta,
                 Tick at) override;
  void release_cta(LaunchedCta cta, CtaReleased released) override;
  SmResources capacity() const override;
  void quiesce(std::function<void()> drained) override;
  void resume() override;

  void observe(SmAccessObserver& observer) { lsu_.observe(observer); }
  void settle_statistics();         ///< counts the issue slots of all cycles before now
  SmTime time() const;              ///< of all cycles before now
  unsigned resident_warps() const;  ///< slots that warps of resident CTAs occupy
  /// Warp instructions of a launch, since the last call for it.
  Counter take_instructions(LaunchSlot launch) { return launches_.take_instructions(launch); }
  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  static constexpr unsigned kUnits = 4;  ///< units with an issue interval: the first values of Unit
  using Cta = SmCta;
  using Release = std::pair<LaunchedCta, CtaReleased>;
  struct Scheduler {
    std::uint64_t mine = 0;  ///< its warp slots
    std::uint32_t last = WarpCandidates::kNone;
    std::array<std::uint64_t, kUnits> unit_free{};
  };

  void end_of_elaboration() override;
  void end_of_simulation() override;
  tlm::tlm_sync_enum l1_backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  tlm::tlm_sync_enum mmu_backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay);
  void wake_for(Tick response);
  std::string place_of(const WarpAccess& a) const;

  void process();
  void step(std::uint64_t cycle, Tick t);
  void admit(SmCtaStart start, std::uint64_t cycle);
  void handle_releases();
  void handle_completed(std::uint64_t cycle);
  bool issue_from(Scheduler& s, std::uint64_t cycle, Tick t);
  void issue(Scheduler& s, std::uint32_t slot, std::uint64_t cycle, Tick t);
  void memory_issued(std::uint32_t slot, const OpInfo& op, const MemoryOp& m, std::uint64_t cycle,
                     Tick t);
  void barrier_reached(std::uint32_t slot, const IssueResult& result, std::uint64_t cycle);
  void release_barrier(Cta& cta, unsigned barrier, std::uint64_t cycle);
  void warp_ended(std::uint32_t slot, std::uint64_t cycle);
  void cta_maybe_done(std::uint32_t cta);
  std::unique_ptr<CtaProgram> free_cta(Cta& cta);
  void maybe_drained(LaunchSlot launch);
  std::uint64_t issuable_fences() const;
  std::uint64_t issuable_waits(std::uint64_t cycle) const;
  std::uint64_t next_wait_limit(std::uint64_t cycle) const;
  void account_until(std::uint64_t cycle);
  Counter SmStats::*lost_slots() const;
  std::uint64_t next_cycle(std::uint64_t cycle) const;

  const ClockDomain clock_;
  const SmId id_;
  const unsigned sm_count_;
  LoadStoreUnit lsu_;

  // Grouped, because each activation reads these members.
  WarpTable warps_;
  std::uint64_t cycle_ = 0;            ///< last cycle that has been processed
  std::uint64_t accounted_cycle_ = 0;  ///< last cycle whose issue slots have been counted
  std::uint64_t shared_free_ = 0;
  TimedQueue<SmCtaStart> starts_;
  ProcessTimer wake_;
  Tick close_at_ = kNever;
  Tick open_at_ = kNever;
  const std::unique_ptr<WarpScheduler> scheduling_;
  std::vector<Scheduler> schedulers_;
  std::vector<Release> releases_;
  SmLaunches launches_;
  std::vector<Cta> cta_slots_;
  EndedWarps ended_;
  MemoryWaits waits_;
  std::function<void()> drained_;  ///< called when the quiesced SM has no access in flight
};

}  // namespace tessera
