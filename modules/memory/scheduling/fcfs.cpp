// SPDX-License-Identifier: Apache-2.0
// "fcfs": first come, first served. Column commands are issued in the order of arrival, for reads
// and writes alike. Only the oldest request can open or close a row. The baseline for FR-FCFS.
#include <algorithm>
#include <cassert>

#include "modules/kernel/bounded_queue.h"
#include "modules/memory/dram_scheduler.h"
#include "modules/memory/dram_timing.h"

namespace tessera::scheduling::fcfs {

namespace {

class Fcfs final : public DramScheduler {
 public:
  explicit Fcfs(const DramSchedulerContext& context)
      : config_(*context.config),
        columns_(config_.columns(context.line_bytes)),
        latency_{config_.read_latency(context.line_bytes),
                 config_.write_latency(context.line_bytes)},
        counts_(*context.counts),
        timing_(config_, columns_),
        queue_(config_.queue_entries) {
    reset();
  }

  void enqueue(Slot slot, const Request& request, MemoryCycle cycle) override {
    assert(request.bank < config_.banks);
    queue_.push({slot, request, cycle, Outcome::kHit});
    ++waiting_[request.write];
  }

  Issued tick(MemoryCycle cycle) override {
    while (refresh_due_ <= cycle) refresh();
    from_ = cycle + 1;
    Issued issued;
    // 1. Column bus: the oldest request.
    if (!queue_.empty() && row_open() && column_at() <= cycle) issued = issue_column(cycle);
    // 2. Row bus: the oldest of the remaining requests.
    if (!queue_.empty() && !row_open() && row_at() <= cycle) issue_row(cycle);
    return issued;
  }

  MemoryCycle next_cycle() const override {
    if (queue_.empty()) return kNoCycle;
    return std::min(std::max(from_, row_open() ? column_at() : row_at()), refresh_due_);
  }

  Slot next_slot() const override { return queue_.empty() ? kNoSlot : queue_.front().slot; }

  void reset() override {
    timing_.reset();
    queue_.clear();
    waiting_ = {};
    from_ = 0;
    refresh_due_ = config_.refresh ? config_.t_refi : kNoCycle;
  }

 private:
  enum class Outcome : std::uint8_t { kHit, kMiss, kConflict };
  struct Entry {
    Slot slot = kNoSlot;
    Request request;
    MemoryCycle arrived = 0;
    Outcome outcome = Outcome::kHit;
  };

  // For the oldest request.
  bool row_open() const {
    const Request& r = queue_.front().request;
    return timing_.open(r.bank) && timing_.row(r.bank) == r.row;
  }
  MemoryCycle column_at() const {
    return timing_.column_at(queue_.front().request.bank, queue_.front().request.write);
  }
  MemoryCycle row_at() const {
    const std::uint32_t bank = queue_.front().request.bank;
    return timing_.open(bank) ? timing_.precharge_at(bank)
                              : std::max(timing_.activate_at(), timing_.bank_activate_at(bank));
  }

  Issued issue_column(MemoryCycle cycle) {
    const Entry e = queue_.pop();
    const std::uint32_t bank = e.request.bank;
    const bool write = e.request.write;
    --waiting_[write];
    timing_.column(bank, write, cycle);
    for (std::uint32_t i = 0; i < columns_; ++i) {
      notify(write ? DramCommand::Kind::kWrite : DramCommand::Kind::kRead, bank, e.request.row,
             cycle + i * config_.t_ccd_l);
    }
    ++(write ? counts_.writes : counts_.reads);
    ++(e.outcome == Outcome::kHit    ? counts_.row_hits
       : e.outcome == Outcome::kMiss ? counts_.row_misses
                                     : counts_.row_conflicts);
    counts_.bus_busy_clocks += columns_ * config_.burst_clocks;
    if (config_.row_policy == RowPolicy::kClosed) {
      const MemoryCycle at = timing_.precharge_at(bank);
      timing_.precharge(bank, at);
      ++counts_.precharges;
      notify(DramCommand::Kind::kAutoPrecharge, bank, e.request.row, at);
    }
    return {e.slot, write, e.arrived, cycle + latency_[write]};
  }

  void issue_row(MemoryCycle cycle) {
    Entry& e = queue_.front();
    const std::uint32_t bank = e.request.bank;
    if (timing_.open(bank)) {
      notify(DramCommand::Kind::kPrecharge, bank, timing_.row(bank), cycle);
      timing_.precharge(bank, cycle);
      ++counts_.precharges;
      e.outcome = Outcome::kConflict;
    } else {
      notify(DramCommand::Kind::kActivate, bank, e.request.row, cycle);
      timing_.activate(bank, e.request.row, cycle);
      ++counts_.activates;
      if (e.outcome == Outcome::kHit) e.outcome = Outcome::kMiss;
    }
  }

  /// Refreshes at the due time, even if the controller was idle at that time.
  void refresh() {
    const auto open = static_cast<Counter>(__builtin_popcountll(timing_.open_banks()));
    const DramTiming::Refresh at = timing_.refresh(refresh_due_);
    ++counts_.refreshes;
    if (at.precharge != kNoCycle) {
      counts_.precharges += open;
      notify(DramCommand::Kind::kPrechargeAll, 0, 0, at.precharge);
    }
    notify(DramCommand::Kind::kRefresh, 0, 0, at.refresh);
    refresh_due_ += config_.t_refi;
  }

  const DramConfig& config_;
  const std::uint32_t columns_;
  const std::uint32_t latency_[2];  ///< first column command to the clock after the last data
  DramCommandCounts& counts_;

  DramTiming timing_;
  BoundedQueue<Entry> queue_;  ///< in order of arrival
  MemoryCycle from_ = 0;       ///< the first cycle that has not been ticked
  MemoryCycle refresh_due_ = kNoCycle;
};

std::unique_ptr<DramScheduler> make(const DramSchedulerContext& context) {
  return std::make_unique<Fcfs>(context);
}

const PolicyRegistration<DramScheduler> kRegistered(
    "fcfs", "strictly in the order of arrival, reads and writes alike", make);

}  // namespace

}  // namespace tessera::scheduling::fcfs
