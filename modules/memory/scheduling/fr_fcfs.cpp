// SPDX-License-Identifier: Apache-2.0
// "fr-fcfs": first ready, first come first served (Rixner et al., ISCA'00), with write drain.
//
// Row and column commands have separate buses (HBM), each with one command a clock.
// * Column bus: of the queued requests whose row is open, the one whose command is legal first; if
//   several are legal in the same clock, the oldest.
// * Row bus: for each bank that has requests but none for its open row, the ACT or PRE that the
//   bank's oldest request needs. Of these commands, the one that is legal first; if several are
//   legal in the same clock, the one of the oldest request.
// * A bank's last column command for a row carries auto-precharge if a request for another row of
//   the bank is queued (or always, if rows are kept closed): no PRE on the row bus.
// * Reads go before writes until `write_drain_high` writes or no reads are queued; then writes go
//   before reads until `write_drain_low` writes are queued.
// * An opened row is used before it is closed. If the direction changes, the row bus changes at
//   once, and the column bus after every row opened for the old direction has been used. No further
//   rows are opened for the old direction, so that the column bus waits at most for t_rcd and for
//   older hits. A starving request does not wait for them.
// * A request older than `starvation_clocks` sets the direction and has exclusive use of its bank.
//
// Every bank has, per direction, one list of the requests for its open row and one of the other
// requests, both in order of age. No command needs a scan of the queue. No memory is allocated
// after construction.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/kernel/unlikely.h"
#include "modules/memory/dram_scheduler.h"
#include "modules/memory/dram_timing.h"

namespace tessera::scheduling::fr_fcfs {

namespace {

std::uint64_t bit(std::uint32_t bank) { return std::uint64_t{1} << bank; }

/// Calls f(bank) for each set bit.
template <class F>
void for_each_bank(std::uint64_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<std::uint32_t>(__builtin_ctzll(mask)));
}

void assign(std::uint64_t& mask, std::uint64_t which, bool on) {
  mask = on ? mask | which : mask & ~which;
}

struct Parameters {
  std::uint32_t write_drain_high = 32;  ///< queued writes that start a drain
  std::uint32_t write_drain_low = 16;   ///< queued writes that end it
  std::uint32_t starvation_clocks = 2000;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.integer("write_drain_high", p.write_drain_high, "",
            "queued writes at which writes go before reads (ours)", 1, 4096,
            {"dram.write_drain_high"});
  v.integer("write_drain_low", p.write_drain_low, "",
            "queued writes at which reads go first again (ours)", 0, 4095,
            {"dram.write_drain_low"});
  v.integer("starvation_clocks", p.starvation_clocks, "clock",
            "a request this old goes before row hits and the other direction (ours)", 1,
            1'000'000'000, {"dram.starvation_clocks"});
}

class FrFcfs final : public DramScheduler {
 public:
  FrFcfs(const DramSchedulerContext& context, const Parameters& parameters);

  void enqueue(Slot slot, const Request& request, MemoryCycle cycle) override;
  Issued tick(MemoryCycle cycle) override;
  MemoryCycle next_cycle() const override;
  Slot next_slot() const override { return column_.slot; }
  void reset() override;

 private:
  enum class Outcome : std::uint8_t { kHit, kMiss, kConflict };
  /// Order of arrival, which can wrap: the ages of two queued requests differ by less than half its
  /// range. The first age is close to the wrap, so that every run tests it.
  using Age = std::uint32_t;
  static constexpr Age kFirstAge = ~Age{0} - 15;
  static bool older(Age a, Age b) { return static_cast<std::int32_t>(a - b) < 0; }

  struct alignas(32) Entry {  // aligned, so that an entry never spans two host cache lines
    MemoryCycle arrived = 0;
    std::uint32_t row = 0;
    Age age = 0;
    std::uint8_t bank = 0;
    bool write = false;
    Outcome outcome = Outcome::kHit;
    Slot next = kNoSlot;
    Slot older = kNoSlot;  ///< neighbours among all queued requests
    Slot younger = kNoSlot;
  };
  struct List {
    Slot head = kNoSlot;
    Slot tail = kNoSlot;
    Age head_age = 0;  ///< copy, because a plan compares all banks' heads
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

  /// Banks whose row was opened for a direction, has not been used, and will still be used.
  std::uint64_t promised(bool write) const {
    return urgent_ == kNoSlot ? unused_[write] & hit_[write] : 0;
  }
  bool column_direction() const { return promised(!write_) != 0 ? !write_ : write_; }
  /// Banks that have requests of the current direction, but none for their open row.
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

  const DramConfig& config_;
  const Parameters parameters_;
  const std::uint32_t columns_;
  const std::uint32_t latency_[2];  ///< first column command to the clock after the last data

  DramTiming timing_;
  std::vector<Entry> entries_;
  /// Requests for a bank's open row, or for its other rows; [read, write][bank].
  using Lists = std::array<std::array<List, kMaxBanks>, 2>;
  Lists hits_{};
  Lists others_{};
  // Bit b of hit_ and other_: bank b has such requests. Bit b of closed_by_conflict_: bank b's row
  // was closed because of a request for another row.
  std::array<std::uint64_t, 2> hit_{};
  std::array<std::uint64_t, 2> other_{};
  std::uint64_t closed_by_conflict_ = 0;
  /// Bit b: bank b's row was opened for a read (a write) and has had no column command.
  std::array<std::uint64_t, 2> unused_{};
  List by_age_;  ///< all queued requests, oldest first (linked by older/younger)
  Age next_age_ = kFirstAge;

  bool write_ = false;     ///< current direction; for the column bus see column_direction()
  bool draining_ = false;  ///< between the high and the low watermark
  Slot urgent_ = kNoSlot;  ///< the oldest request, if it starves
  Choice column_;
  Choice row_;
  bool column_planned_ = true;
  bool row_planned_ = true;
  MemoryCycle row_bus_ = 0;
  MemoryCycle refresh_due_ = kNoCycle;

  DramCommandCounts& counts_;
};

FrFcfs::FrFcfs(const DramSchedulerContext& context, const Parameters& parameters)
    : config_(*context.config),
      parameters_(parameters),
      columns_(config_.columns(context.line_bytes)),
      latency_{config_.read_latency(context.line_bytes), config_.write_latency(context.line_bytes)},
      timing_(config_, columns_),
      entries_(config_.queue_entries),
      refresh_due_(config_.refresh ? config_.t_refi : kNoCycle),
      counts_(*context.counts) {}

void FrFcfs::enqueue(Slot slot, const Request& request, MemoryCycle cycle) {
  assert(slot < entries_.size() && request.bank < config_.banks);
  const std::uint32_t b = request.bank;
  Entry& e = entries_[slot];
  e = Entry{};
  e.age = next_age_++;
  e.arrived = cycle;
  e.row = request.row;
  e.bank = static_cast<std::uint8_t>(b);
  e.write = request.write;

  e.older = by_age_.tail;
  (by_age_.empty() ? by_age_.head : entries_[by_age_.tail].younger) = slot;
  by_age_.tail = slot;
  ++waiting_[e.write];

  const bool hit = timing_.open(b) && timing_.row(b) == e.row;
  List& list = (hit ? hits_ : others_)[e.write][b];
  const bool first = list.empty();
  push_back(list, slot);
  (hit ? hit_ : other_)[e.write] |= bit(b);
  // Choices do not change if its list already has a request, or if its direction is not the current
  // one.
  if (!first) return;
  if (hit && e.write == column_direction()) column_planned_ = false;
  if (e.write != write_) return;
  if (!hit) {
    reconsider_row(b, cycle);
  } else if (row_.slot != kNoSlot && entries_[row_.slot].bank == b) {
    row_planned_ = false;
  }
}

FrFcfs::Issued FrFcfs::tick(MemoryCycle cycle) {
  if (refresh_due_ <= cycle) refresh(cycle);
  choose_direction(cycle);
  if (!column_planned_) plan_column(cycle);
  Issued issued;
  if (column_.cycle <= cycle) {
    issued = issue_column(cycle);
    choose_direction(cycle);
    plan_column(cycle + 1);
  }
  if (!row_planned_) plan_row(cycle);
  if (row_.cycle <= cycle) {
    issue_row(cycle);
    plan_row(cycle + 1);
    if (!column_planned_) plan_column(cycle + 1);
  }
  return issued;
}

MemoryCycle FrFcfs::next_cycle() const {
  if (empty()) return kNoCycle;
  return std::min({column_.cycle, row_.cycle, refresh_due_});
}

void FrFcfs::reset() {
  timing_.reset();
  entries_.assign(entries_.size(), {});
  hits_ = others_ = {};
  hit_ = other_ = {};
  closed_by_conflict_ = 0;
  unused_ = {};
  waiting_ = {};
  by_age_ = {};
  next_age_ = kFirstAge;
  write_ = draining_ = false;
  urgent_ = kNoSlot;
  column_ = row_ = {};
  column_planned_ = row_planned_ = true;
  row_bus_ = 0;
  refresh_due_ = config_.refresh ? config_.t_refi : kNoCycle;
}

// ---- lists

void FrFcfs::push_back(List& list, Slot slot) {
  entries_[slot].next = kNoSlot;
  if (list.empty()) {
    list.head = slot;
    list.head_age = entries_[slot].age;
  } else {
    entries_[list.tail].next = slot;
  }
  list.tail = slot;
}

FrFcfs::Slot FrFcfs::pop_front(List& list) {
  const Slot slot = list.head;
  list.head = entries_[slot].next;
  if (list.head == kNoSlot) {
    list.tail = kNoSlot;
  } else {
    list.head_age = entries_[list.head].age;
  }
  return slot;
}

void FrFcfs::forget_age(Slot slot) {
  const Entry& e = entries_[slot];
  (e.older == kNoSlot ? by_age_.head : entries_[e.older].younger) = e.younger;
  (e.younger == kNoSlot ? by_age_.tail : entries_[e.younger].older) = e.older;
}

void FrFcfs::update_masks(std::uint32_t bank) {
  for (const bool w : {false, true}) {
    assign(hit_[w], bit(bank), !hits_[w][bank].empty());
    assign(other_[w], bit(bank), !others_[w][bank].empty());
  }
}

// After an ACT: requests for the opened row become hits.
void FrFcfs::split_by_row(std::uint32_t bank) {
  const std::uint32_t row = timing_.row(bank);
  for (const bool w : {false, true}) {
    Slot s = others_[w][bank].head;
    others_[w][bank] = {};
    while (s != kNoSlot) {
      const Slot next = entries_[s].next;
      push_back((entries_[s].row == row ? hits_ : others_)[w][bank], s);
      s = next;
    }
  }
}

// After a row is closed while requests for it are queued: they are no hits any more.
void FrFcfs::merge_hits(std::uint32_t bank) {
  for (const bool w : {false, true}) {
    List& all = others_[w][bank];
    if (hits_[w][bank].empty()) continue;
    List a = std::exchange(hits_[w][bank], {});
    List b = std::exchange(all, {});
    while (!a.empty() || !b.empty()) {
      const bool first = b.empty() || (!a.empty() && older(a.head_age, b.head_age));
      push_back(all, pop_front(first ? a : b));
    }
  }
}

// ---- choices

void FrFcfs::choose_direction(MemoryCycle cycle) {
  const Slot oldest = by_age_.head;
  const Slot urgent =
      oldest != kNoSlot && entries_[oldest].arrived + parameters_.starvation_clocks <= cycle
          ? oldest
          : kNoSlot;
  if (draining_) {
    draining_ = waiting_[1] > parameters_.write_drain_low;
  } else if (waiting_[1] >= parameters_.write_drain_high) {
    draining_ = true;
    ++counts_.drains;
  }
  const bool write = urgent != kNoSlot ? entries_[urgent].write : draining_ || waiting_[0] == 0;
  if (write != write_ || urgent != urgent_) column_planned_ = row_planned_ = false;
  write_ = write;
  urgent_ = urgent;
}

void FrFcfs::plan_column(MemoryCycle from) {
  column_planned_ = true;
  const std::uint32_t urgent_bank = urgent_ == kNoSlot ? kMaxBanks : entries_[urgent_].bank;
  const bool write = column_direction();
  Choice best;
  for_each_bank(hit_[write], [&](std::uint32_t b) {
    const List& list = hits_[write][b];
    if (b == urgent_bank && list.head != urgent_) return;
    const MemoryCycle at = std::max(from, timing_.column_at(b, write));
    // Without branches, because the host predicts the next bank poorly.
    const bool sooner = (at < best.cycle) | ((at == best.cycle) & older(list.head_age, best.age));
    best.cycle = sooner ? at : best.cycle;
    best.slot = sooner ? list.head : best.slot;
    best.age = sooner ? list.head_age : best.age;
  });
  column_ = best;
}

void FrFcfs::plan_row(MemoryCycle from) {
  row_ = {};
  row_planned_ = true;
  std::uint64_t wanted = row_wanted();
  if (urgent_ != kNoSlot) {
    const std::uint32_t b = entries_[urgent_].bank;
    assign(wanted, bit(b), others_[write_][b].head == urgent_);
  }
  const MemoryCycle bus = std::max(from, row_bus_);
  const MemoryCycle activate = std::max(bus, timing_.activate_at());
  const std::uint64_t open = timing_.open_banks();
  for_each_bank(wanted & ~open, [&](std::uint32_t b) {
    consider_row(b, std::max(activate, timing_.bank_activate_at(b)));
  });
  for_each_bank(wanted & open,
                [&](std::uint32_t b) { consider_row(b, std::max(bus, timing_.precharge_at(b))); });
}

void FrFcfs::consider_row(std::uint32_t bank, MemoryCycle at) {
  const List& list = others_[write_][bank];
  if (at < row_.cycle || (at == row_.cycle && older(list.head_age, row_.age))) {
    row_ = {at, list.head, list.head_age};
  }
}

// Updates the row choice after a change of one bank, which can now need a row command.
void FrFcfs::reconsider_row(std::uint32_t bank, MemoryCycle from) {
  if (!row_planned_) return;
  if (urgent_ != kNoSlot) {
    row_planned_ = false;
    return;
  }
  if ((row_wanted() & bit(bank)) == 0) return;
  const MemoryCycle legal = timing_.open(bank)
                                ? timing_.precharge_at(bank)
                                : std::max(timing_.activate_at(), timing_.bank_activate_at(bank));
  consider_row(bank, std::max({from, row_bus_, legal}));
}

// ---- commands

FrFcfs::Issued FrFcfs::issue_column(MemoryCycle cycle) {
  const Slot slot = column_.slot;
  const Entry& e = entries_[slot];
  const std::uint32_t b = e.bank;

  // 1. The command and its data.
  timing_.column(b, e.write, cycle);
  mark_used(b);
  // The row bus has already changed direction, so its plan can be to close this bank.
  if (e.write != write_) row_planned_ = false;
  if (observer_ != nullptr) {
    for (std::uint32_t i = 0; i < columns_; ++i) {
      notify(e.write ? DramCommand::Kind::kWrite : DramCommand::Kind::kRead, b, e.row,
             cycle + i * config_.t_ccd_l);
    }
  }
  // 2. Removal from the lists.
  pop_front(hits_[e.write][b]);
  forget_age(slot);
  --waiting_[e.write];
  ++(e.write ? counts_.writes : counts_.reads);
  ++(e.outcome == Outcome::kHit    ? counts_.row_hits
     : e.outcome == Outcome::kMiss ? counts_.row_misses
                                   : counts_.row_conflicts);
  counts_.bus_busy_clocks += columns_ * config_.burst_clocks;
  // 3. If no other request of its direction needs the row, the command can close it.
  if (hits_[e.write][b].empty()) {
    const bool conflict = !others_[e.write][b].empty();
    if (hits_[!e.write][b].empty() && (conflict || config_.row_policy == RowPolicy::kClosed)) {
      const MemoryCycle at = timing_.precharge_at(b);
      timing_.precharge(b, at);
      assign(closed_by_conflict_, bit(b), conflict);
      ++counts_.precharges;
      notify(DramCommand::Kind::kAutoPrecharge, b, e.row, at);
    }
    update_masks(b);
    reconsider_row(b, cycle);
  }
  return {slot, e.write, e.arrived, cycle + latency_[e.write]};
}

void FrFcfs::issue_row(MemoryCycle cycle) {
  Entry& e = entries_[row_.slot];
  const std::uint32_t b = e.bank;
  row_bus_ = cycle + 1;
  column_planned_ = false;
  if (timing_.open(b)) {
    notify(DramCommand::Kind::kPrecharge, b, timing_.row(b), cycle);
    timing_.precharge(b, cycle);
    mark_used(b);
    ++counts_.precharges;
    closed_by_conflict_ |= bit(b);
    merge_hits(b);
  } else {
    notify(DramCommand::Kind::kActivate, b, e.row, cycle);
    timing_.activate(b, e.row, cycle);
    ++counts_.activates;
    e.outcome = (closed_by_conflict_ & bit(b)) != 0 ? Outcome::kConflict : Outcome::kMiss;
    closed_by_conflict_ &= ~bit(b);
    unused_[e.write] |= bit(b);
    split_by_row(b);
  }
  update_masks(b);
}

// The row is no longer kept open for its first column command.
void FrFcfs::mark_used(std::uint32_t bank) {
  if (((unused_[0] | unused_[1]) & bit(bank)) == 0) return;
  unused_[0] &= ~bit(bank);
  unused_[1] &= ~bit(bank);
}

// Refreshes at the due time, even if the controller was idle at that time. Of several refreshes
// that came due while it was idle, the last one decides when banks are ready.
void FrFcfs::refresh(MemoryCycle cycle) {
  for (; refresh_due_ <= cycle; refresh_due_ += config_.t_refi) {
    const std::uint64_t open = timing_.open_banks();
    const DramTiming::Refresh at = timing_.refresh(refresh_due_);
    ++counts_.refreshes;
    if (at.precharge != kNoCycle) {
      counts_.precharges += static_cast<Counter>(__builtin_popcountll(open));
      notify(DramCommand::Kind::kPrechargeAll, 0, 0, at.precharge);
    }
    notify(DramCommand::Kind::kRefresh, 0, 0, at.refresh);
    unused_ = {};
    for_each_bank(open, [&](std::uint32_t b) {
      merge_hits(b);
      closed_by_conflict_ &= ~bit(b);
    });
    for (std::uint32_t b = 0; b < config_.banks; ++b) update_masks(b);
  }
  column_planned_ = row_planned_ = false;
}

/// Rejects write_drain_high above the queue's number of entries, because no drain would ever start.
std::unique_ptr<DramScheduler> make(const DramSchedulerContext& context, const Parameters& p) {
  if (p.write_drain_high > context.config->queue_entries) {
    throw InputError("dram_scheduler.fr-fcfs.write_drain_high (" +
                     std::to_string(p.write_drain_high) + ") must not exceed dram.queue_entries (" +
                     std::to_string(context.config->queue_entries) + ")");
  }
  if (p.write_drain_low >= p.write_drain_high) {
    throw InputError("dram_scheduler.fr-fcfs.write_drain_low (" +
                     std::to_string(p.write_drain_low) + ") must be less than write_drain_high (" +
                     std::to_string(p.write_drain_high) + "): at most " +
                     std::to_string(p.write_drain_high - 1) + ", or write_drain_high of " +
                     std::to_string(p.write_drain_low + 1));
  }
  return std::make_unique<FrFcfs>(context, p);
}

const PolicyRegistration<DramScheduler> kRegistered(
    "fr-fcfs", "row hits first, then the oldest; reads before writes until enough writes wait",
    make);

}  // namespace

}  // namespace tessera::scheduling::fr_fcfs
