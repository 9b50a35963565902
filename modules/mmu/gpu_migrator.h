// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "modules/kernel/timed_queue.h"
#include "modules/llc/slice_observer.h"
#include "modules/mmu/migration_messages.h"
#include "modules/mmu/page_migrator_config.h"
#include "modules/mmu/page_table.h"
#include "modules/protocol/platform_interfaces.h"

namespace tessera {

/// The part of the PageMigrator in one GPU: the access counters of the GPU's slices, and the stop,
/// shootdown and resumption of its SMs. It belongs to the GPU's domain.
///
/// Timing: orders take effect when they arrive. Accesses at the instant of kCollect or kCount count
/// as later ones, whichever comes first. Frames that pages have left lose their lines at the
/// arrival of kShootDown if no line of them is in flight, and otherwise after a multiple of
/// kSettlingCycles, one femtosecond before an edge.
class GpuMigrator final : public SliceObserver {
 public:
  /// Interval at which slices are polled for lines in flight.
  static constexpr std::uint64_t kSettlingCycles = 16;
  using Report = std::function<void(MigrationReport&& report)>;

  /// `slices`: of each GPU. `home_of`: the home of an SM. `report`: called at the time of a report.
  /// `table` must outlive it.
  GpuMigrator(const PageMigratorConfig& config, GpuId gpu, std::uint32_t slices,
              const PageTable& table, std::function<ChannelId(SmId)> home_of, Report report);

  void set_targets(MigrationTargets targets) { targets_ = std::move(targets); }

  bool observes(SliceId slice) const override { return slice.value / slices_ == gpu_.value; }
  void on_access(const ObservedAccess& access) override;

  /// Enqueues an order that arrives at `at`.
  void order(Tick at, MigrationOrder&& order);
  /// Whether all write-backs of the slices have reached their channels. Between clock edges, when
  /// no slice is active.
  bool settled() const;
  /// The same for the lines of one physical page, while SMs run.
  bool page_in_flight(std::uint64_t page) const;
  void reset();

 private:
  /// The fields of an access that the counters use.
  struct Seen {
    ChannelId from;
    std::uint64_t address = 0;
    bool read_only = true;
  };

  void process();
  void follow(const MigrationOrder& order, Tick t);
  void report_access(const Seen& seen);
  void count_before(Tick t);
  void collect(Tick t);
  void stop(const std::vector<ChannelId>& homes);
  void shoot_down(const MigrationOrder& order);
  void drop_left_frames(Tick t);

  const PageMigratorConfig config_;
  const ClockDomain clock_;
  const GpuId gpu_;
  const std::uint32_t slices_;
  const PageTable& table_;
  const std::function<ChannelId(SmId)> home_of_;
  const Report report_;
  MigrationTargets targets_;

  PageCounts counts_;
  std::vector<Seen> seen_;  ///< accesses at seen_at_, which counts_ does not contain
  Tick seen_at_ = 0;
  bool reported_ = false;  ///< trigger `interval`: an access since kCount
  std::unordered_set<std::uint64_t> reported_pages_;  ///< trigger `on-demand`: the same, by page
  TimedQueue<MigrationOrder> orders_;
  std::size_t undrained_ = 0;        ///< SMs
  std::vector<std::uint64_t> left_;  ///< frames whose lines are to be dropped
  std::size_t shootdowns_ = 0;       ///< that have not been reported
  Tick drop_at_ = kNever;
  ProcessTimer wake_;
};

}  // namespace tessera
