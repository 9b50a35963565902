// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/domain_link.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/stats.h"
#include "modules/kernel/time.h"
#include "modules/kernel/timed_queue.h"
#include "modules/mmu/gpu_migrator.h"
#include "modules/mmu/migration_messages.h"
#include "modules/mmu/mmu_platform.h"
#include "modules/mmu/page_migrator_config.h"
#include "modules/mmu/page_table.h"
#include "modules/protocol/event_observer.h"
#include "modules/protocol/flush.h"
#include "modules/protocol/platform_interfaces.h"
#include "policies/page_migration.h"

namespace tessera {

struct PageMigratorStats {
  Counter intervals = 0;
  Counter migrations = 0;
  Counter copies = 0;
  Counter refused = 0;
  Counter drains = 0;
  Counter shootdowns = 0;
  Counter bytes_moved = 0;
  Counter stopped_cycles = 0;
  Counter others_stopped_cycles = 0;
  Counter home_stopped_cycles = 0;
  Counter deferred = 0;
};

void describe(StatisticsVisitor& v, PageMigratorStats& s);

struct PageMigratorSite;

/// The page migrator: migrates and replicates pages after their first placement.
///
/// Hardware: access-counter migration and page replication are the alternatives to LAB of NUBA
/// section 7.6; the page-migration baselines are those of DualOpt sections 6.1 and 6.3 (MGPUSim's
/// unified memory, Griffin). A part in each GPU (GpuMigrator) counts the accesses of the home
/// slices by page and partition, stops and resumes SMs, and invalidates lines and translations.
/// When an interval ends (`trigger`), PageMigrationPolicy selects the pages to migrate or
/// replicate. `max_moves` and `one_source` (only the home that would lose most pages) limit a
/// batch; the policy decides again about pages outside the batch. Replicas hold read-only data and
/// live for one kernel: the end of the kernel (SliceFlushIf) releases them at the cost of a TLB
/// shootdown.
///
/// Timing: for each batch the SMs stop issuing accesses, and the accesses in flight drain.
/// * Drain `all`: `flush_ns` and the transfer of the pages, one after the other at
///   `transfer_gb_per_s`, pass. Then the pages are remapped and the SMs resume.
///   With `overlap_transfers`, each home sends and receives one page at a time, and pages start in
///   the order of the batch.
/// * Drain `owner`: the pages are remapped at once. SMs of homes that lose no page resume at once,
///   the other SMs `flush_ns` later. The transfer overlaps with execution: a walk for a page in
///   transfer ends when that page has arrived (docs/decisions/moving-pages-hold-their-walks.md).
///
/// Stop `users`: only the SMs of homes (GPUs) whose TLBs can hold a page of the batch stop, drain,
/// lose their TLBs and L1s, and resume. The page table's TlbDirectory holds the other SMs' walks
/// for these pages until the stopped SMs resume. Because the other SMs run, the pages are remapped
/// one femtosecond before an edge, when no slice is active.
///
/// With several GPUs, an order to a part and its report take `gpu_latency_ns` each, rounded up to a
/// clock edge (an order that remaps pages while SMs run: one femtosecond before it). With latency 0
/// they arrive at the instant at which they are sent. The migrator waits for the counts, the drain
/// and the shootdown of all GPUs; frames that pages have left are free after the shootdown.
/// Immediate, in all GPUs: the page table's remapping, the copy of a page's bytes by debug
/// accesses, and the check before it that the slices have settled, which must see the slices at the
/// instant of the copy.
///
/// Phases: none, the block has no sockets.
/// Not modelled: the transfer's use of links and channels, the limited number and width of access
/// counters, lines that a cache flush evicts apart from those of migrated pages and of the L1s,
/// re-issue of flushed instructions.
class PageMigrator final
    : public BlockBase<PageMigratorConfig, PageMigratorStats, PageMigratorSite>,
      public SliceFlushIf,
      public MovesPagesIf,
      public ObservedIf {
 public:
  PageMigrator(const sc_core::sc_module_name& name, const PageMigratorConfig& config,
               std::unique_ptr<PageMigrationPolicy> policy, PageTable& table,
               PageMigratorPlatform platform, const MigrationSite& site);

  std::uint32_t gpus() const { return static_cast<std::uint32_t>(gpus_.size()); }
  /// The part in a GPU, the observer of its slices.
  GpuMigrator& part(GpuId gpu) { return *gpus_[gpu.value].part; }
  void set_targets(GpuId gpu, MigrationTargets targets) override {
    part(gpu).set_targets(std::move(targets));
  }

  /// Moves of pages, each from the stop of the SMs to the page's arrival.
  void observe_events(EventObserver& observer) override { observer_ = &observer; }
  /// SliceFlushIf, at a kernel's end.
  void flush(LaunchSlot launch, std::function<void()> done) override;

  bool moving() const override {
    return state_ == State::kCollecting || state_ == State::kMoving ||
           state_ == State::kOverlapped || flushed_at_ != kNever;
  }

  bool idle() const override {
    return state_ == State::kCounting && !flush_done_ && shootdowns_ == 0;
  }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  enum class State : std::uint8_t {
    kCounting,
    kCollecting,  ///< the GPUs report their counts
    kStopping,    ///< stop `users`: the walks of the present instant end
    kDraining,
    kDrained,
    kMoving,
    kOverlapped
  };
  /// A GPU's part and the paths to and from it.
  struct Gpu {
    std::unique_ptr<GpuMigrator> part;
    std::unique_ptr<DomainLink<MigrationOrder>> orders;
    std::unique_ptr<DomainLink<MigrationReport>> reports;
  };

  void add_gpu(std::uint32_t g, const MigrationSite& site, Domain& own, Domain& domain);
  Tick arrival_of(Tick sent) const;
  void order_all(const MigrationOrder& order, Tick arrives);
  void process();
  void handle_reports(Tick t);
  void begin_interval(std::uint64_t address, Tick t);
  void count_again();
  void end_interval();
  void decide(Tick t);
  void limit_moves();
  void stop_users(Tick t);
  void stop(Tick t);
  void drained(Tick t);
  void check_settled(Tick t);
  void begin_moves(Tick t);
  bool settled() const;
  void remap(Tick t);
  void remap_page(const PageMigration& move, Tick arrives, std::vector<std::uint64_t>& left);
  void shoot_down(const std::vector<std::uint64_t>& left);
  void resume(Tick t, const std::vector<ChannelId>& homes, Counter& cycles);
  void end_moves(Tick t);
  void begin_overlapped(Tick t);
  void end_overlapped(Tick t);
  void schedule_next(Tick t);
  /// Clock edge at which `pages` pages have arrived, if the flush begins at t.
  Tick arrival(Tick t, std::size_t pages) const;
  /// Clock edges at which the pages of the batch arrive, if the flush begins at t.
  std::vector<Tick> arrivals(Tick t) const;
  std::vector<std::uint64_t> moving_pages() const;
  ChannelId home_of(const PageMigration& move) const;
  std::vector<ChannelId> homes() const;
  void give_up_copies(Tick t);

  const ClockDomain clock_;
  const std::unique_ptr<PageMigrationPolicy> policy_;
  PageTable& table_;
  const PageMigratorPlatform platform_;
  const Tick latency_;  ///< between the migrator and a part

  std::vector<Gpu> gpus_;
  TimedQueue<MigrationReport> reports_;  ///< by GPU
  std::size_t awaited_ = 0;              ///< GPUs that have not reported counts or their drain
  std::size_t shootdowns_ = 0;           ///< of a GPU, not reported yet
  State state_ = State::kCounting;
  PageCounts counts_;                    ///< kCollecting
  std::vector<std::uint64_t> accesses_;  ///< reported at this instant, by address
  Tick interval_ends_ = kNever;
  std::vector<PageMigration> moves_;
  std::vector<ChannelId> stopped_;  ///< homes whose SMs are stopped, in ascending order
  Tick stopped_at_ = 0;
  /// kStopping: the instant of the stop. kDrained, kMoving: edge of the next step, if slices have
  /// settled.
  Tick acts_at_ = kNever;
  Tick checked_for_ = kNever;  ///< the acts_at_ for which `settled_` holds
  bool settled_ = false;
  Tick moved_at_ = 0;              ///< kOverlapped: arrival of the last page
  std::vector<ChannelId> owners_;  ///< stopped homes that lose pages (drain `owner`)
  Tick owners_go_on_ = kNever;
  std::function<void()> flush_done_;
  Tick flush_at_ = kNever;  ///< first edge at which replicas can be released
  Tick flushed_at_ = kNever;
  EventObserver* observer_ = nullptr;
  ProcessTimer wake_;
};

}  // namespace tessera
