// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_scheduler.h"

#include <algorithm>
#include <cassert>

namespace tessera {

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

}  // namespace

DramScheduler::DramScheduler(const DramConfig& config, std::uint32_t line_bytes,
                             DramCommandCounts& counts)
    : config_(config),
      columns_(config.columns(line_bytes)),
      latency_{config.read_latency(line_bytes), config.write_latency(line_bytes)},
      timing_(config, columns_),
      entries_(config.queue_entries),
      refresh_due_(config.refresh ? config.t_refi : kNoCycle),
      counts_(counts) {}

void DramScheduler::enqueue(Slot slot, const Request& request, MemoryCycle cycle) {
  assert(slot < entries_.size() && request.bank < config_.banks);
  const std::uint32_t b = request.bank;
  Entry& e = entries_[slot];
  e = Entry{};
  e.age = next_age_++;
  e.arrived = cycle;
  e.row = request.row;
  e.bank = static_cast<std::uint8_t>(b);
  e.write = request.write;

  e.older = ages_.tail;
  (ages_.empty() ? ages_.head : entries_[ages_.tail].younger) = slot;
  ages_.tail = slot;
  ++waiting_[e.write];

  const bool hit = timing_.open(b) && timing_.row(b) == e.row;
  List& list = hit ? banks_[b].hit[e.write] : banks_[b].other[e.write];
  const bool first = list.empty();
  push_back(list, slot);
  (hit ? hit_ : other_)[e.write] |= bit(b);
  // Behind another one in its list, or in the other direction, it changes no choice.
  if (!first || e.write != write_) return;
  if (hit) {
    column_planned_ = false;
    if (row_.slot != kNoSlot && entries_[row_.slot].bank == b) row_planned_ = false;
  } else {
    reconsider_row(b, cycle);
  }
}

DramScheduler::Issued DramScheduler::tick(MemoryCycle cycle) {
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

MemoryCycle DramScheduler::next_cycle() const {
  if (empty()) return kNoCycle;
  return std::min({column_.cycle, row_.cycle, refresh_due_});
}

void DramScheduler::reset() {
  timing_.reset();
  entries_.assign(entries_.size(), {});
  banks_.fill({});
  open_ = 0;
  hit_ = other_ = {};
  waiting_ = {};
  ages_ = {};
  next_age_ = 0;
  write_ = draining_ = false;
  urgent_ = kNoSlot;
  column_ = row_ = {};
  column_planned_ = row_planned_ = true;
  row_bus_ = 0;
  refresh_due_ = config_.refresh ? config_.t_refi : kNoCycle;
}

// ---- lists

void DramScheduler::push_back(List& list, Slot slot) {
  entries_[slot].next = kNoSlot;
  (list.empty() ? list.head : entries_[list.tail].next) = slot;
  list.tail = slot;
}

DramScheduler::Slot DramScheduler::pop_front(List& list) {
  const Slot slot = list.head;
  list.head = entries_[slot].next;
  if (list.head == kNoSlot) list.tail = kNoSlot;
  return slot;
}

void DramScheduler::forget_age(Slot slot) {
  const Entry& e = entries_[slot];
  (e.older == kNoSlot ? ages_.head : entries_[e.older].younger) = e.younger;
  (e.younger == kNoSlot ? ages_.tail : entries_[e.younger].older) = e.older;
}

void DramScheduler::update_masks(std::uint32_t bank) {
  for (const bool w : {false, true}) {
    assign(hit_[w], bit(bank), !banks_[bank].hit[w].empty());
    assign(other_[w], bit(bank), !banks_[bank].other[w].empty());
  }
  assign(open_, bit(bank), timing_.open(bank));
}

// A row has been opened: its requests become hits.
void DramScheduler::split_by_row(std::uint32_t bank) {
  BankQueue& q = banks_[bank];
  const std::uint32_t row = timing_.row(bank);
  for (const bool w : {false, true}) {
    Slot s = q.other[w].head;
    q.other[w] = {};
    while (s != kNoSlot) {
      const Slot next = entries_[s].next;
      push_back(entries_[s].row == row ? q.hit[w] : q.other[w], s);
      s = next;
    }
  }
}

// A row has been closed over the heads of requests that wanted it.
void DramScheduler::merge_hits(std::uint32_t bank) {
  BankQueue& q = banks_[bank];
  for (const bool w : {false, true}) {
    if (q.hit[w].empty()) continue;
    List a = q.hit[w];
    List b = q.other[w];
    q.hit[w] = q.other[w] = {};
    while (!a.empty() || !b.empty()) {
      const bool first = b.empty() || (!a.empty() && entries_[a.head].age < entries_[b.head].age);
      push_back(q.other[w], pop_front(first ? a : b));
    }
  }
}

// ---- choices

void DramScheduler::choose_direction(MemoryCycle cycle) {
  const Slot oldest = ages_.head;
  const Slot urgent =
      oldest != kNoSlot && entries_[oldest].arrived + config_.starvation_clocks <= cycle ? oldest
                                                                                         : kNoSlot;
  if (draining_) {
    draining_ = waiting_[1] > config_.write_drain_low;
  } else if (waiting_[1] >= config_.write_drain_high) {
    draining_ = true;
    ++counts_.drains;
  }
  const bool write = urgent != kNoSlot ? entries_[urgent].write : draining_ || waiting_[0] == 0;
  if (write != write_ || urgent != urgent_) column_planned_ = row_planned_ = false;
  write_ = write;
  urgent_ = urgent;
}

void DramScheduler::plan_column(MemoryCycle from) {
  column_ = {};
  column_planned_ = true;
  std::uint64_t oldest = 0;
  for_each_bank(hit_[write_], [&](std::uint32_t b) {
    const Slot s = banks_[b].hit[write_].head;
    if (urgent_ != kNoSlot && entries_[urgent_].bank == b && s != urgent_) return;
    const MemoryCycle at = std::max(from, timing_.column_at(b, write_));
    if (at < column_.cycle || (at == column_.cycle && entries_[s].age < oldest)) {
      column_ = {at, s};
      oldest = entries_[s].age;
    }
  });
}

void DramScheduler::plan_row(MemoryCycle from) {
  row_ = {};
  row_planned_ = true;
  std::uint64_t wanted = other_[write_] & ~hit_[write_];
  if (urgent_ != kNoSlot) {
    const std::uint32_t b = entries_[urgent_].bank;
    assign(wanted, bit(b), banks_[b].other[write_].head == urgent_);
  }
  const MemoryCycle bus = std::max(from, row_bus_);
  const MemoryCycle activate = std::max(bus, timing_.activate_at());
  for_each_bank(wanted & ~open_, [&](std::uint32_t b) {
    consider_row(b, std::max(activate, timing_.bank_activate_at(b)));
  });
  for_each_bank(wanted & open_,
                [&](std::uint32_t b) { consider_row(b, std::max(bus, timing_.precharge_at(b))); });
}

void DramScheduler::consider_row(std::uint32_t bank, MemoryCycle at) {
  const Slot s = banks_[bank].other[write_].head;
  if (at < row_.cycle || (at == row_.cycle && entries_[s].age < entries_[row_.slot].age)) {
    row_ = {at, s};
  }
}

// A bank may have come to want a row command; nothing else has changed.
void DramScheduler::reconsider_row(std::uint32_t bank, MemoryCycle from) {
  if (!row_planned_) return;
  if (urgent_ != kNoSlot) {
    row_planned_ = false;
    return;
  }
  if ((other_[write_] & ~hit_[write_] & bit(bank)) == 0) return;
  const MemoryCycle legal = timing_.open(bank)
                                ? timing_.precharge_at(bank)
                                : std::max(timing_.activate_at(), timing_.bank_activate_at(bank));
  consider_row(bank, std::max({from, row_bus_, legal}));
}

// ---- commands

DramScheduler::Issued DramScheduler::issue_column(MemoryCycle cycle) {
  const Slot slot = column_.slot;
  const Entry& e = entries_[slot];
  const std::uint32_t b = e.bank;
  BankQueue& q = banks_[b];

  // 1. The command and its data.
  timing_.column(b, e.write, cycle);
  if (observer_ != nullptr) {
    for (std::uint32_t i = 0; i < columns_; ++i) {
      tell(e.write ? DramCommand::Kind::kWrite : DramCommand::Kind::kRead, b, e.row,
           cycle + i * config_.t_ccd_l);
    }
  }
  // 2. Out of the lists.
  pop_front(q.hit[e.write]);
  forget_age(slot);
  --waiting_[e.write];
  ++(e.write ? counts_.writes : counts_.reads);
  ++(e.outcome == Outcome::kHit    ? counts_.row_hits
     : e.outcome == Outcome::kMiss ? counts_.row_misses
                                   : counts_.row_conflicts);
  counts_.bus_busy_clocks += columns_ * config_.burst_clocks;
  // 3. The last one for its row closes it.
  if (q.hit[e.write].empty()) {
    const bool conflict = !q.other[e.write].empty();
    if (q.hit[!e.write].empty() && (conflict || config_.row_policy == RowPolicy::kClosed)) {
      const MemoryCycle at = timing_.precharge_at(b);
      timing_.precharge(b, at);
      q.closed_by_conflict = conflict;
      ++counts_.precharges;
      tell(DramCommand::Kind::kAutoPrecharge, b, e.row, at);
    }
    update_masks(b);
    reconsider_row(b, cycle);
  }
  return {slot, e.write, e.arrived, cycle + latency_[e.write]};
}

void DramScheduler::issue_row(MemoryCycle cycle) {
  Entry& e = entries_[row_.slot];
  const std::uint32_t b = e.bank;
  BankQueue& q = banks_[b];
  row_bus_ = cycle + 1;
  column_planned_ = false;
  if (timing_.open(b)) {
    tell(DramCommand::Kind::kPrecharge, b, timing_.row(b), cycle);
    timing_.precharge(b, cycle);
    ++counts_.precharges;
    q.closed_by_conflict = true;
    merge_hits(b);
  } else {
    tell(DramCommand::Kind::kActivate, b, e.row, cycle);
    timing_.activate(b, e.row, cycle);
    ++counts_.activates;
    e.outcome = q.closed_by_conflict ? Outcome::kConflict : Outcome::kMiss;
    q.closed_by_conflict = false;
    split_by_row(b);
  }
  update_masks(b);
}

// A refresh is done at its due time also when the controller slept then (it was idle). Of several
// that were slept through, the last decides when banks are ready.
void DramScheduler::refresh(MemoryCycle cycle) {
  for (; refresh_due_ <= cycle; refresh_due_ += config_.t_refi) {
    const DramTiming::Refresh at = timing_.refresh(refresh_due_);
    ++counts_.refreshes;
    if (at.precharge != kNoCycle) {
      counts_.precharges += static_cast<Counter>(__builtin_popcountll(open_));
      tell(DramCommand::Kind::kPrechargeAll, 0, 0, at.precharge);
    }
    tell(DramCommand::Kind::kRefresh, 0, 0, at.refresh);
    for_each_bank(open_, [&](std::uint32_t b) {
      merge_hits(b);
      banks_[b].closed_by_conflict = false;
    });
    for (std::uint32_t b = 0; b < config_.banks; ++b) update_masks(b);
  }
  column_planned_ = row_planned_ = false;
}

void DramScheduler::tell(DramCommand::Kind kind, std::uint32_t bank, std::uint32_t row,
                         MemoryCycle cycle) {
  if (observer_ != nullptr) observer_->on_command({kind, bank, row, cycle});
}

}  // namespace tessera
