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
#include "modules/core/parameters.h"
#include "modules/core/slice_observer.h"
#include "modules/core/time.h"
#include "modules/core/wake_event.h"
#include "modules/mmu/page_table.h"
#include "policies/page_moves.h"

namespace tessera {

/// Costs and pace are ours: NUBA section 7.6 gives none.
struct PageMoverConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::string policy = "none";
  std::uint64_t interval_cycles = 20'000;
  std::uint32_t threshold = 32;
  std::uint32_t max_moves = 512;
  std::uint64_t shootdown_ns = 2'000;
  double transfer_gb_per_s = 64;

  /// Every fault, in words; empty when sound.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, PageMoverConfig& c);

struct PageMoverStats {
  Counter intervals = 0;
  Counter migrations = 0;
  Counter copies = 0;
  Counter refused = 0;
  Counter drains = 0;
  Counter shootdowns = 0;
  Counter bytes_moved = 0;
  Counter stopped_cycles = 0;
};

/// What the mover does to the rest of the GPU. All are called from its process.
struct PageMoverPlatform {
  /// Partition's channel of an SM.
  std::function<ChannelId(SmId)> channel_of;
  /// No SM lets an access into the memory system; `drained` is called when none is under way.
  std::function<void(std::function<void()> drained)> stop;
  /// Whether what the slices wrote back has reached their channels. Asked when the transfer's time
  /// is over: pages are copied by debug accesses, which must not change bytes under way.
  std::function<bool()> settled;
  /// Every TLB forgets everything, L1s drop their lines, SMs go on.
  std::function<void()> resume;
  /// Copies a page's newest bytes (where bytes travel).
  std::function<void(std::uint64_t from, std::uint64_t to)> copy;
  /// Slices forget the lines of a page that has been moved away.
  std::function<void(std::uint64_t page)> drop;
};

/// Moves pages after their placement: access-counter migration and page replication, the
/// alternatives to LAB of NUBA section 7.6.
///
/// Counts accesses at the home slices, by page and partition. When an interval that saw accesses
/// ends, PageMovePolicy decides; if anything moves, SMs stop letting accesses into the memory
/// system, those under way are waited for, TLBs are shot down, pages move one after the other at
/// `transfer_gb_per_s`, and SMs go on. Copies serve one kernel: they hold read-only data, and are
/// given up at its end (SliceFlushIf), at the price of a shootdown.
///
/// Not modelled: the transfer's use of links and channels, counters' limited number and width.
class PageMover final : public sc_core::sc_module,
                        public Block,
                        public SliceObserver,
                        public SliceFlushIf {
 public:
  PageMover(const sc_core::sc_module_name& name, const PageMoverConfig& config,
            std::unique_ptr<PageMovePolicy> policy, PageTable& table, PageMoverPlatform platform);

  const PageMoverStats& stats() const { return stats_; }

  void on_access(const ObservedAccess& access) override;
  /// SliceFlushIf, at a kernel's end.
  void flush(std::function<void()> done) override;

  /// A shootdown or a transfer goes on.
  bool moving() const { return state_ == State::kMoving || flushed_at_ != kNever; }

  bool idle() const override { return state_ == State::kCounting && !flush_done_; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  enum class State : std::uint8_t { kCounting, kDraining, kDrained, kMoving };
  struct Count {
    bool read_only = true;
    std::vector<std::uint32_t> accesses;
  };

  void process();
  void end_interval(Tick t);
  void begin_moves(Tick t);
  void end_moves(Tick t);
  void give_up_copies(Tick t);

  const PageMoverConfig config_;
  const ClockDomain clock_;
  const std::unique_ptr<PageMovePolicy> policy_;
  PageTable& table_;
  const PageMoverPlatform platform_;

  State state_ = State::kCounting;
  std::unordered_map<std::uint64_t, Count> counts_;  ///< by physical page
  Tick interval_ends_ = kNever;
  std::vector<PageMove> moves_;
  Tick stopped_at_ = 0;
  Tick moved_at_ = 0;
  std::function<void()> flush_done_;
  Tick flushed_at_ = kNever;
  WakeEvent wake_;
  PageMoverStats stats_;
};

}  // namespace tessera
