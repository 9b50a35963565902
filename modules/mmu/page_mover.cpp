// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_mover.h"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {
constexpr Tick kTicksPerNs = 1'000'000;
/// How often the mover looks whether the last write-backs have gone.
constexpr std::uint64_t kSettlingCycles = 16;
}  // namespace

std::vector<std::string> PageMoverConfig::validate() const {
  std::vector<std::string> errors;
  if (interval_cycles == 0) errors.emplace_back("migration.interval_cycles must be at least 1");
  if (threshold == 0) errors.emplace_back("migration.threshold must be at least 1");
  if (!(transfer_gb_per_s > 0)) {
    errors.emplace_back("migration.transfer_gb_per_s must be more than 0");
  }
  return errors;
}

void describe(ParameterVisitor& v, PageMoverConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock in which intervals count (NUBA Table 1)",
            1'000'000, 100'000'000'000);
  v.text("policy", c.policy, "which pages move after their placement (NUBA section 7.6)",
         page_moves_names());
  v.integer("interval_cycles", c.interval_cycles, "cycle",
            "accesses are counted for so long (ours)", 1, std::uint64_t{1} << 40);
  v.integer("threshold", c.threshold, "access",
            "accesses of another partition in an interval that are worth a move (ours)", 1,
            1U << 30);
  v.integer("max_moves", c.max_moves, "page", "moves at the end of one interval (ours)", 1,
            1U << 30);
  v.integer("shootdown_ns", c.shootdown_ns, "ns", "time to empty all TLBs (ours)", 0, 1'000'000);
  v.real("transfer_gb_per_s", c.transfer_gb_per_s, "GB/s", "pace of a page's transfer (ours)",
         0.001, 1e6);
}

PageMover::PageMover(const sc_core::sc_module_name& name, const PageMoverConfig& config,
                     std::unique_ptr<PageMovePolicy> policy, PageTable& table,
                     PageMoverPlatform platform)
    : sc_module(name),
      config_(config),
      clock_(config.clock_hz),
      policy_(std::move(policy)),
      table_(table),
      platform_(std::move(platform)) {
  wake_.drives([this] { process(); });
}

void PageMover::on_access(const ObservedAccess& access) {
  if (!access.at_home()) return;
  if (interval_ends_ == kNever && state_ == State::kCounting) {
    interval_ends_ = clock_.after(now() + 1, config_.interval_cycles);
    wake_.at(interval_ends_);
  }
  Count& count = counts_[table_.page_of(access.address)];
  const ChannelId channel = platform_.channel_of(access.request.sm);
  if (count.accesses.empty()) count.accesses.resize(table_.pages_per_channel().size());
  ++count.accesses[channel.value];
  count.read_only =
      count.read_only && access.request.kind == RequestKind::kLoad && access.request.read_only;
}

void PageMover::flush(std::function<void()> done) {
  flush_done_ = std::move(done);
  wake_.at(clock_.after(now() + 1, 0));
}

void PageMover::process() {
  wake_.fired();
  const Tick t = now();
  if (state_ == State::kDrained) begin_moves(t);
  if (state_ == State::kMoving && moved_at_ <= t) {
    if (platform_.settled()) {
      end_moves(t);
    } else {
      moved_at_ = clock_.after(t, kSettlingCycles);
    }
  }
  if (state_ == State::kCounting && interval_ends_ <= t) end_interval(t);
  if (state_ == State::kCounting && flush_done_) give_up_copies(t);
  if (state_ == State::kMoving) wake_.at(moved_at_);
  if (state_ == State::kCounting) {
    wake_.at(interval_ends_);
    if (flush_done_) wake_.at(flushed_at_);
  }
}

/// Decides, and stops the SMs if anything is to move.
void PageMover::end_interval(Tick t) {
  ++stats_.intervals;
  interval_ends_ = kNever;
  std::vector<PageUse> uses;
  for (auto& [physical, count] : counts_) {
    const auto page = table_.virtual_of(physical << table_.page_bits());
    if (!page) continue;  // a copy, or a page that has gone
    uses.push_back({*page, table_.channel_of(physical << table_.page_bits()), count.read_only,
                    std::move(count.accesses)});
  }
  counts_.clear();
  // The hash table's order must not decide which moves fit under the limit.
  std::sort(uses.begin(), uses.end(),
            [](const PageUse& a, const PageUse& b) { return a.virtual_page < b.virtual_page; });
  moves_.clear();
  for (const PageUse& use : uses) policy_->decide(use, moves_);
  if (moves_.size() > config_.max_moves) moves_.resize(config_.max_moves);
  if (moves_.empty()) return;
  ++stats_.drains;
  stopped_at_ = t;
  state_ = State::kDraining;
  platform_.stop([this] {
    state_ = State::kDrained;
    wake_.at(clock_.after(now() + 1, 0));
  });
}

void PageMover::begin_moves(Tick t) {
  ++stats_.shootdowns;
  const double bytes =
      static_cast<double>(moves_.size()) * static_cast<double>(table_.page_bytes());
  const double ns = bytes / config_.transfer_gb_per_s;
  state_ = State::kMoving;
  moved_at_ = clock_.after(t + config_.shootdown_ns * kTicksPerNs +
                               static_cast<Tick>(ns * static_cast<double>(kTicksPerNs)),
                           0);
}

void PageMover::end_moves(Tick t) {
  for (const PageMove& m : moves_) {
    const std::uint64_t from = *table_.translate(m.virtual_page << table_.page_bits());
    const auto to =
        m.copy ? table_.add_copy(m.virtual_page, m.to) : table_.move(m.virtual_page, m.to);
    if (!to) {
      ++stats_.refused;  // the channel is full, or has a copy
      continue;
    }
    ++(m.copy ? stats_.copies : stats_.migrations);
    stats_.bytes_moved += table_.page_bytes();
    platform_.copy(from, *to);
    if (!m.copy) platform_.drop(from);
  }
  // Frames that pages have left are free only now: nothing was copied over what was still to move.
  table_.release_left_frames();
  moves_.clear();
  state_ = State::kCounting;
  stats_.stopped_cycles += clock_.cycle_at(t) - clock_.cycle_at(stopped_at_);
  platform_.resume();
}

/// At a kernel's end: no SM has anything under way.
void PageMover::give_up_copies(Tick t) {
  if (flushed_at_ == kNever) {
    // What this kernel only read, the next one may write.
    for (auto& [physical, count] : counts_) count.read_only = false;
    const bool any = table_.drop_copies() != 0;
    if (any) {
      ++stats_.shootdowns;
      platform_.resume();
    }
    flushed_at_ = any ? clock_.after(t + config_.shootdown_ns * kTicksPerNs, 0) : t;
  }
  if (flushed_at_ > t) return;
  flushed_at_ = kNever;
  std::exchange(flush_done_, nullptr)();
}

void PageMover::describe_waiting(std::vector<Waiting>& out) const {
  if (idle()) return;
  out.push_back({std::string(name()) + ".moves", std::max<std::size_t>(1, moves_.size()),
                 state_ == State::kDraining ? "accesses under way to end" : "the transfer's end"});
}

void PageMover::reset() {
  state_ = State::kCounting;
  counts_.clear();
  moves_.clear();
  interval_ends_ = kNever;
  flush_done_ = nullptr;
  flushed_at_ = kNever;
  wake_.cancel();
}

void PageMover::register_statistics(StatisticsRegistry& r) const {
  const std::string m = name();
  r.counter(m, "intervals", stats_.intervals, "interval", "intervals that saw accesses");
  r.counter(m, "migrations", stats_.migrations, "page", "pages moved to another channel");
  r.counter(m, "copies", stats_.copies, "page", "copies made for other partitions");
  r.counter(m, "refused", stats_.refused, "page", "moves without a free page");
  r.counter(m, "drains", stats_.drains, "drain", "times all SMs were stopped for moves");
  r.counter(m, "shootdowns", stats_.shootdowns, "shootdown", "times all TLBs were emptied");
  r.counter(m, "bytes_moved", stats_.bytes_moved, "byte", "bytes of moved and copied pages");
  r.counter(m, "stopped_cycles", stats_.stopped_cycles, "cycle",
            "from a stop to the SMs' going on, summed");
}

}  // namespace tessera
