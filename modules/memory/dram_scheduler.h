// SPDX-License-Identifier: Apache-2.0
#pragma once

// FR-FCFS for one channel, without SystemC: which command goes when.
//
// Policy. Row and column commands have a bus each (HBM), one command a clock on either.
// * Column bus: of the queued requests whose row is open, the one whose command is legal first;
//   the oldest of those that are legal in the same clock.
// * Row bus: for each bank that has requests but none for its open row, the ACT or PRE that the
//   bank's oldest request needs; of those the one that is legal first, then the oldest request's.
// * A bank's last column command for a row carries auto-precharge when a request for another row
//   of the bank waits (or always, if rows are kept closed): no PRE on the row bus.
// * Reads go before writes, until `write_drain_high` writes wait or no read does; then writes,
//   until `write_drain_low`.
// * A row that was opened is used before it is closed: when the direction turns, the row bus turns
// at
//   once, and the column bus when every row opened for the old direction has been used. No more
//   rows are opened for that, so that it waits for t_rcd and for older hits at most. A request that
//   starves does not wait for it.
// * A request older than `starvation_clocks` decides the direction and has its bank to itself.
//
// Every bank has one list of requests for its open row and one of the others, per direction, all
// in order of age: no command needs a scan of the queue. Nothing is allocated after construction.

#include <array>
#include <cstdint>
#include <vector>

#include "modules/core/stats.h"
#include "modules/memory/dram_timing.h"

namespace tessera {

struct DramCommand {
  enum class Kind : std::uint8_t {
    kActivate,
    kPrecharge,
    kAutoPrecharge,  ///< as part of a column command; `cycle` is when the bank begins to close
    kRead,
    kWrite,
    kPrechargeAll,
    kRefresh,
  };
  Kind kind = Kind::kActivate;
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  MemoryCycle cycle = 0;
};

/// Sees every command, for tests and traces. Auto-precharge and the later columns of an access are
/// told when they are decided, before their cycle.
class DramCommandObserver {
 public:
  virtual ~DramCommandObserver() = default;
  virtual void on_command(const DramCommand& command) = 0;
};

/// What the controller did, counted when decided.
struct DramCommandCounts {
  Counter reads = 0;
  Counter writes = 0;
  Counter activates = 0;
  Counter precharges = 0;
  Counter row_hits = 0;
  Counter row_misses = 0;
  Counter row_conflicts = 0;
  Counter refreshes = 0;
  Counter drains = 0;
  Counter bus_busy_clocks = 0;
};

class DramScheduler {
 public:
  /// A place in the queue; the caller gives them out, 0 to queue_entries - 1.
  using Slot = std::uint16_t;
  static constexpr Slot kNoSlot = 0xffff;

  struct Request {
    std::uint32_t bank = 0;
    std::uint32_t row = 0;
    bool write = false;
  };

  /// The access whose column command was issued.
  struct Issued {
    Slot slot = kNoSlot;
    bool write = false;
    MemoryCycle arrived = 0;
    MemoryCycle data_end = 0;  ///< the clock after its last data
  };

  /// `config` and `counts`, which is only added to, outlive the scheduler.
  DramScheduler(const DramConfig& config, std::uint32_t line_bytes, DramCommandCounts& counts);

  /// A request that may be served from `cycle` on. Younger than all before it.
  void enqueue(Slot slot, const Request& request, MemoryCycle cycle);

  /// Issues what is legal at `cycle`: at most one row and one column command. Call in order of
  /// cycle, once a cycle, at least at each next_cycle().
  Issued tick(MemoryCycle cycle);

  /// The next cycle at which a command is legal (or a refresh due), if nothing arrives before;
  /// kNoCycle when nothing is queued. Valid after tick().
  MemoryCycle next_cycle() const;

  /// The access whose column command goes next as far as is known, or kNoSlot.
  Slot next_slot() const { return column_.slot; }

  bool empty() const { return waiting_[0] + waiting_[1] == 0; }
  std::uint32_t waiting_reads() const { return waiting_[0]; }
  std::uint32_t waiting_writes() const { return waiting_[1]; }
  /// nullptr: nobody watches.
  void observe(DramCommandObserver* observer) { observer_ = observer; }
  void reset();

 private:
  enum class Outcome : std::uint8_t { kHit, kMiss, kConflict };
  /// Order of arrival, which may begin anew: two that wait are less than half its range apart. The
  /// first is such that it soon does, in every run.
  using Age = std::uint32_t;
  static constexpr Age kFirstAge = ~Age{0} - 15;
  static bool older(Age a, Age b) { return static_cast<std::int32_t>(a - b) < 0; }

  struct alignas(32) Entry {  // never in two host cache lines
    MemoryCycle arrived = 0;
    std::uint32_t row = 0;
    Age age = 0;
    std::uint8_t bank = 0;
    bool write = false;
    Outcome outcome = Outcome::kHit;
    Slot next = kNoSlot;
    Slot older = kNoSlot;  ///< neighbours among all that wait
    Slot younger = kNoSlot;
  };
  struct List {
    Slot head = kNoSlot;
    Slot tail = kNoSlot;
    Age head_age = 0;  ///< here too: a plan compares all banks' heads
    bool empty() const { return head == kNoSlot; }
  };
  struct Choice {
    MemoryCycle cycle = kNoCycle;
    Slot slot = kNoSlot;
    Age age = 0;
  };

  void push_back(List& list, Slot slot);
  Slot pop_front(List& list);
  void forget_age(Slot slot);
  void update_masks(std::uint32_t bank);
  void split_by_row(std::uint32_t bank);
  void merge_hits(std::uint32_t bank);

  /// Banks whose row was opened for that direction, has not been used, and still will be.
  std::uint64_t promised(bool write) const {
    return urgent_ == kNoSlot ? unused_[write] & hit_[write] : 0;
  }
  bool column_direction() const { return promised(!write_) != 0 ? !write_ : write_; }
  /// Banks that have requests of the present direction, but none for their open row.
  std::uint64_t row_wanted() const { return other_[write_] & ~hit_[write_] & ~promised(!write_); }

  void choose_direction(MemoryCycle cycle);
  void plan_column(MemoryCycle from);
  void plan_row(MemoryCycle from);
  void consider_row(std::uint32_t bank, MemoryCycle at);
  void reconsider_row(std::uint32_t bank, MemoryCycle from);
  void refresh(MemoryCycle cycle);
  Issued issue_column(MemoryCycle cycle);
  void issue_row(MemoryCycle cycle);
  void mark_used(std::uint32_t bank);
  void notify(DramCommand::Kind kind, std::uint32_t bank, std::uint32_t row, MemoryCycle cycle);

  const DramConfig& config_;
  const std::uint32_t columns_;
  const std::uint32_t latency_[2];  ///< first column command to the clock after the last data

  DramTiming timing_;
  std::vector<Entry> entries_;
  /// Requests for a bank's open row, and for its other rows; [read, write][bank].
  using Lists = std::array<std::array<List, kMaxBanks>, 2>;
  Lists hits_{};
  Lists others_{};
  // Bit b: bank b's list is not empty; its row was closed for another one's sake.
  std::array<std::uint64_t, 2> hit_{};
  std::array<std::uint64_t, 2> other_{};
  std::uint64_t closed_by_conflict_ = 0;
  /// Bit b: bank b's row was opened for a read (a write) and has had no column command.
  std::array<std::uint64_t, 2> unused_{};
  std::array<std::uint32_t, 2> waiting_{};
  List by_age_;  ///< all that wait, oldest first (linked by older/younger)
  Age next_age_ = kFirstAge;

  bool write_ = false;     ///< present direction; of the column bus, column_direction()
  bool draining_ = false;  ///< between the high and the low watermark
  Slot urgent_ = kNoSlot;  ///< the oldest request, once it starves
  Choice column_;
  Choice row_;
  bool column_planned_ = true;
  bool row_planned_ = true;
  MemoryCycle row_bus_ = 0;
  MemoryCycle refresh_due_ = kNoCycle;

  DramCommandCounts& counts_;
  DramCommandObserver* observer_ = nullptr;
};

}  // namespace tessera
