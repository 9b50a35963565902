// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/flush.h"
#include "modules/core/process_timer.h"
#include "modules/core/slice_observer.h"
#include "modules/core/time.h"
#include "modules/mmu/page_migrator_config.h"
#include "modules/mmu/page_table.h"
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
  Counter deferred = 0;
};

/// What the mover does to the rest of the system. All are called from its process. A home is a
/// channel with its partition's SMs, or a GPU with its own.
struct PageMigratorPlatform {
  /// Home of an SM.
  std::function<ChannelId(SmId)> channel_of;
  /// No SM of any home lets an access into the memory system; `drained` is called when none is
  /// under way, translations and what travels between GPUs included.
  std::function<void(std::function<void()> drained)> stop;
  /// Whether what the slices wrote back has reached their channels. Asked, when no slice acts,
  /// before pages are copied: by debug accesses, which must not change bytes under way.
  std::function<bool()> settled;
  /// Shared TLBs forget everything, all L1s drop their lines. Nothing is under way then.
  std::function<void()> forget;
  /// These homes' SMs forget their translations and go on.
  std::function<void(const std::vector<ChannelId>& homes)> resume;
  /// Copies a page's newest bytes (where bytes travel).
  std::function<void(std::uint64_t from, std::uint64_t to)> copy;
  /// Slices forget the lines of a page that has been moved away.
  std::function<void(std::uint64_t page)> drop;
};

/// Moves pages after their placement: access-counter migration and page replication, the
/// alternatives to LAB of NUBA section 7.6, and the page-migration baselines of DualOpt
/// sections 6.1 and 6.3 (MGPUSim's unified memory, Griffin). Phases: none, it has no sockets.
///
/// Counts accesses at the home slices, by page and partition. When an interval ends (`trigger`),
/// PageMigrationPolicy decides; if anything moves, SMs stop letting accesses into the memory system
/// and those under way are waited for. With drain `all`, then `flush_ns` and the transfer of the
/// pages, one after the other at `transfer_gb_per_s`, pass; the pages are remapped, and SMs go on.
/// With `owner`, pages are remapped at once; SMs of homes that lose no page go on, those of the
/// others `flush_ns` later, and the transfer follows while they run: a walk for a page on its way
/// ends when that page has arrived (docs/decisions/moving-pages-hold-their-walks.md). `max_moves`
/// and `one_source` (only the home that would lose most) bound a batch; what is left out is decided
/// afresh. Copies serve one kernel: they hold read-only data, and are given up at its end
/// (SliceFlushIf), at the price of a shootdown.
///
/// Not modelled: the transfer's use of links and channels, counters' limited number and width,
/// lines that a cache flush loses besides the moved pages' and the L1s', re-issue of flushed
/// instructions.
class PageMigrator final : public sc_core::sc_module,
                           public Block,
                           public SliceObserver,
                           public SliceFlushIf {
 public:
  PageMigrator(const sc_core::sc_module_name& name, const PageMigratorConfig& config,
               std::unique_ptr<PageMigrationPolicy> policy, PageTable& table,
               PageMigratorPlatform platform);

  const PageMigratorStats& stats() const { return stats_; }

  void on_access(const ObservedAccess& access) override;
  /// SliceFlushIf, at a kernel's end.
  void flush(std::function<void()> done) override;

  /// A shootdown or a transfer goes on.
  bool moving() const {
    return state_ == State::kMoving || state_ == State::kOverlapped || flushed_at_ != kNever;
  }

  bool idle() const override { return state_ == State::kCounting && !flush_done_; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  enum class State : std::uint8_t { kCounting, kDraining, kDrained, kMoving, kOverlapped };
  struct Count {
    bool read_only = true;
    std::vector<std::uint32_t> accesses;
  };
  /// What counts of an access.
  struct Seen {
    ChannelId from;
    std::uint64_t address;
    bool read_only;
  };

  void process();
  void count(const Seen& seen);
  void end_interval(Tick t);
  void limit_moves();
  void begin_moves(Tick t);
  void remap();
  void end_moves(Tick t);
  void begin_overlapped(Tick t);
  void end_overlapped(Tick t);
  void begin_interval();
  /// From the flushes' begin at t to the arrival of the n-th page.
  Tick arrival(Tick t, std::size_t pages) const;
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
  std::vector<Seen> late_;  ///< seen while the process is due: counted behind it
  Tick interval_ends_ = kNever;
  std::vector<PageMigration> moves_;
  Tick stopped_at_ = 0;
  Tick acts_at_ = kNever;  ///< drained, or moving: edge at which it goes on if slices have settled
  bool settled_ = false;
  Tick moved_at_ = 0;              ///< overlapped: the last page has arrived
  std::vector<ChannelId> owners_;  ///< homes that lose pages, still stopped (drain `owner`)
  Tick owners_go_on_ = kNever;
  std::function<void()> flush_done_;
  Tick flush_at_ = kNever;  ///< edge from which on copies may be given up
  Tick flushed_at_ = kNever;
  ProcessTimer wake_;
  PageMigratorStats stats_;
};

}  // namespace tessera
