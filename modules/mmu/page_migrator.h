// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "modules/kernel/block.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "modules/llc/slice_observer.h"
#include "modules/mmu/page_migrator_config.h"
#include "modules/mmu/page_table.h"
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

/// The page migrator's interface to the platform. The migrator's process makes all calls. A home is
/// a channel with the SMs of its partition, or a GPU with its SMs.
struct PageMigratorPlatform {
  /// Home of an SM.
  std::function<ChannelId(SmId)> channel_of;
  /// Stops the SMs of these homes from issuing accesses to the memory system. `drained` is called
  /// when they have no access in flight, including translations and packets between GPUs.
  std::function<void(const std::vector<ChannelId>& homes, std::function<void()> drained)> stop;
  /// Whether all write-backs of the slices have reached their channels. Called between clock edges,
  /// when no slice is active, before pages are copied: the copy uses debug accesses, which must not
  /// change bytes in flight.
  std::function<bool()> settled;
  /// The same for the lines of one physical page, while other SMs run.
  std::function<bool(std::uint64_t page)> page_in_flight;
  /// Invalidates the shared TLBs and all L1s. Called only when nothing is in flight.
  std::function<void()> forget;
  /// Invalidates the L2 TLBs and the L1s of these homes (GPUs), which have nothing in flight, and
  /// the translations of these pages in the other L2 TLBs.
  std::function<void(const std::vector<ChannelId>& homes,
                     const std::vector<std::uint64_t>& virtual_pages)>
      forget_pages;
  /// Invalidates the L1 TLBs of these homes' SMs and resumes the SMs.
  std::function<void(const std::vector<ChannelId>& homes)> resume;
  /// Copies the newest bytes of a page (value mode `carried` only).
  std::function<void(std::uint64_t from, std::uint64_t to)> copy;
  /// Invalidates the lines of a migrated page in the slices.
  std::function<void(std::uint64_t page)> drop;
};

/// The page migrator: migrates and replicates pages after their first placement.
///
/// Hardware: access-counter migration and page replication are the alternatives to LAB of NUBA
/// section 7.6; the page-migration baselines are those of DualOpt sections 6.1 and 6.3 (MGPUSim's
/// unified memory, Griffin). Access counters in the home slices count by page and partition. When
/// an interval ends (`trigger`), PageMigrationPolicy selects the pages to migrate or replicate.
/// `max_moves` and `one_source` (only the home that would lose most pages) limit a batch; the
/// policy decides again about pages outside the batch. Replicas hold read-only data and live for
/// one kernel: the end of the kernel (SliceFlushIf) releases them at the cost of a TLB shootdown.
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
/// Phases: none, the block has no sockets.
/// Not modelled: the transfer's use of links and channels, the limited number and width of access
/// counters, lines that a cache flush evicts apart from those of migrated pages and of the L1s,
/// re-issue of flushed instructions.
class PageMigrator final : public sc_core::sc_module,
                           public Block,
                           public SliceObserver,
                           public SliceFlushIf,
                           public MovesPagesIf {
 public:
  PageMigrator(const sc_core::sc_module_name& name, const PageMigratorConfig& config,
               std::unique_ptr<PageMigrationPolicy> policy, PageTable& table,
               PageMigratorPlatform platform);

  const PageMigratorStats& stats() const { return stats_; }

  void on_access(const ObservedAccess& access) override;
  /// SliceFlushIf, at a kernel's end.
  void flush(LaunchSlot launch, std::function<void()> done) override;

  bool moving() const override {
    return state_ == State::kMoving || state_ == State::kOverlapped || flushed_at_ != kNever;
  }

  bool idle() const override { return state_ == State::kCounting && !flush_done_; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  enum class State : std::uint8_t {
    kCounting,
    kStopping,  ///< stop `users`: the walks of the present instant end
    kDraining,
    kDrained,
    kMoving,
    kOverlapped
  };
  struct Count {
    bool read_only = true;
    std::vector<std::uint32_t> accesses;
  };
  /// The fields of an access that the access counters use.
  struct Seen {
    ChannelId from;
    std::uint64_t address;
    bool read_only;
  };

  void process();
  void count(const Seen& seen);
  void end_interval(Tick t);
  void limit_moves();
  void stop_users();
  void stop();
  void begin_moves(Tick t);
  bool settled() const;
  void remap(Tick t);
  void resume(Tick t, const std::vector<ChannelId>& homes, Counter& cycles);
  void end_moves(Tick t);
  void begin_overlapped(Tick t);
  void end_overlapped(Tick t);
  void begin_interval();
  /// Clock edge at which `pages` pages have arrived, if the flush begins at t.
  Tick arrival(Tick t, std::size_t pages) const;
  /// Clock edges at which the pages of the batch arrive, if the flush begins at t.
  std::vector<Tick> arrivals(Tick t) const;
  std::vector<std::uint64_t> moving_pages() const;
  ChannelId home_of(const PageMigration& move) const;
  std::vector<ChannelId> homes() const;
  void give_up_copies(Tick t);

  const PageMigratorConfig config_;
  const ClockDomain clock_;
  const std::unique_ptr<PageMigrationPolicy> policy_;
  PageTable& table_;
  const PageMigratorPlatform platform_;

  State state_ = State::kCounting;
  std::unordered_map<std::uint64_t, Count> counts_;  ///< by physical page
  std::vector<Seen> late_;  ///< observed while the process is due; counted at its end
  Tick interval_ends_ = kNever;
  std::vector<PageMigration> moves_;
  std::vector<ChannelId> stopped_;  ///< homes whose SMs are stopped, in ascending order
  Tick stopped_at_ = 0;
  /// kStopping: the instant of the stop. kDrained, kMoving: edge of the next step, if slices have
  /// settled.
  Tick acts_at_ = kNever;
  bool settled_ = false;
  Tick moved_at_ = 0;              ///< kOverlapped: arrival of the last page
  std::vector<ChannelId> owners_;  ///< stopped homes that lose pages (drain `owner`)
  Tick owners_go_on_ = kNever;
  std::function<void()> flush_done_;
  Tick flush_at_ = kNever;  ///< first edge at which replicas can be released
  Tick flushed_at_ = kNever;
  ProcessTimer wake_;
  PageMigratorStats stats_;
};

}  // namespace tessera
