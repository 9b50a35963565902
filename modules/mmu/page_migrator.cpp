// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_migrator.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/statistics_visitor.h"

namespace tessera {

namespace {
constexpr Tick kTicksPerNs = 1'000'000;
/// Interval at which the page migrator polls PageMigratorPlatform::settled.
constexpr std::uint64_t kSettlingCycles = 16;
}  // namespace

PageMigrator::PageMigrator(const sc_core::sc_module_name& name, const PageMigratorConfig& config,
                           std::unique_ptr<PageMigrationPolicy> policy, PageTable& table,
                           PageMigratorPlatform platform)
    : sc_module(name),
      config_(config),
      clock_(config.clock_hz),
      policy_(std::move(policy)),
      table_(table),
      platform_(std::move(platform)) {
  if (config.stop == MoveStop::kUsers) {
    table_.tlb_directory.enable(static_cast<std::uint32_t>(table_.pages_per_channel().size()),
                                platform_.channel_of);
  }
  wake_.bind<&PageMigrator::process>(*this);
}

void PageMigrator::on_access(const ObservedAccess& access) {
  // Requesters other than SMs have no local memory to which a page can migrate.
  if (!access.at_home() || !access.request.requester.is_sm()) return;
  const Seen seen{platform_.channel_of(access.request.requester.sm()), access.address,
                  access.request.kind == RequestKind::kLoad && access.request.read_only};
  // The slice's process can run before or after this block's process at the same edge.
  if (wake_.scheduled_at() <= now()) {
    late_.push_back(seen);
  } else {
    count(seen);
  }
}

void PageMigrator::count(const Seen& seen) {
  if (config_.trigger == MoveTrigger::kInterval) {
    begin_interval();
  } else {
    const auto page = table_.virtual_of(seen.address);
    if (page && policy_->stays(*page)) return;
    if (seen.from != table_.channel_of(seen.address)) begin_interval();
  }
  Count& count = counts_[table_.page_of(seen.address)];
  if (count.accesses.empty()) count.accesses.resize(table_.pages_per_channel().size());
  ++count.accesses[seen.from.value];
  count.read_only = count.read_only && seen.read_only;
}

void PageMigrator::begin_interval() {
  if (interval_ends_ != kNever || state_ != State::kCounting) return;
  interval_ends_ =
      clock_.after(now() + 1, config_.trigger == MoveTrigger::kInterval ? config_.interval_cycles
                                                                        : config_.batch_cycles);
  wake_.at(interval_ends_);
}

void PageMigrator::flush(LaunchSlot, std::function<void()> done) {
  flush_done_ = std::move(done);
  flush_at_ = clock_.after(now() + 1, 0);
  wake_.at(flush_at_);
}

void PageMigrator::process() {
  const Tick t = now();
  if (state_ == State::kStopping && acts_at_ <= t) stop_users();
  // One femtosecond before the edge, no slice is active.
  if (t + 1 == acts_at_ && (state_ == State::kDrained || state_ == State::kMoving)) {
    settled_ = settled();
    const bool remaps = state_ == State::kMoving || config_.drain == MoveDrain::kOwner;
    // At the edge, a slice can evict a line of the pages for an SM that is not stopped.
    if (config_.stop == MoveStop::kUsers && settled_ && remaps) remap(acts_at_);
  }
  if (state_ == State::kDrained && acts_at_ <= t) {
    if (config_.drain == MoveDrain::kAll) {
      begin_moves(t);
    } else if (settled_) {
      begin_overlapped(t);
    } else {
      acts_at_ = clock_.after(t, kSettlingCycles);
    }
  }
  if (state_ == State::kOverlapped) end_overlapped(t);
  if (state_ == State::kMoving && acts_at_ <= t) {
    if (settled_) {
      end_moves(t);
    } else {
      acts_at_ = clock_.after(t, kSettlingCycles);
    }
  }
  if (state_ == State::kCounting && interval_ends_ <= t) end_interval(t);
  if (state_ == State::kCounting && flush_at_ <= t) give_up_copies(t);
  if (state_ == State::kStopping || state_ == State::kDrained || state_ == State::kMoving) {
    wake_.at(acts_at_ > t + 1 ? acts_at_ - 1 : acts_at_);
  }
  if (state_ == State::kOverlapped) wake_.at(std::min(owners_go_on_, moved_at_));
  if (state_ == State::kCounting) {
    wake_.at(interval_ends_);
    wake_.at(flush_at_ > t ? flush_at_ : flushed_at_);
  }
  for (const Seen& seen : late_) count(seen);
  late_.clear();
}

std::vector<ChannelId> PageMigrator::homes() const {
  std::vector<ChannelId> all;
  for (std::uint32_t h = 0; h < table_.pages_per_channel().size(); ++h) all.emplace_back(h);
  return all;
}

bool PageMigrator::settled() const {
  if (config_.stop == MoveStop::kAll) return platform_.settled();
  return std::none_of(moves_.begin(), moves_.end(), [this](const PageMigration& m) {
    return platform_.page_in_flight(*table_.translate(m.virtual_page << table_.page_bits()));
  });
}

std::vector<std::uint64_t> PageMigrator::moving_pages() const {
  std::vector<std::uint64_t> pages;
  for (const PageMigration& m : moves_) pages.push_back(m.virtual_page);
  return pages;
}

/// Selects the pages to migrate and, if there are any, stops SMs.
void PageMigrator::end_interval(Tick t) {
  ++stats_.intervals;
  interval_ends_ = kNever;
  std::vector<PageUse> uses;
  for (auto& [physical, count] : counts_) {
    const auto page = table_.virtual_of(physical << table_.page_bits());
    if (!page) continue;  // a replica, or an unmapped page
    uses.push_back({*page, table_.channel_of(physical << table_.page_bits()), count.read_only,
                    std::move(count.accesses)});
  }
  counts_.clear();
  // The order of the hash table must not select the pages of a limited batch.
  std::sort(uses.begin(), uses.end(),
            [](const PageUse& a, const PageUse& b) { return a.virtual_page < b.virtual_page; });
  moves_.clear();
  for (const PageUse& use : uses) policy_->decide(use, moves_);
  policy_->end_interval();
  limit_moves();
  if (moves_.empty()) return;
  ++stats_.drains;
  stopped_at_ = t;
  if (config_.stop == MoveStop::kAll) {
    stopped_ = homes();
    stop();
    return;
  }
  const std::vector<std::uint64_t> pages = moving_pages();
  table_.tlb_directory.hold({pages.begin(), pages.end()}, t);
  state_ = State::kStopping;
  acts_at_ = t + 1;
}

/// The homes that stop are known when all walks that end at the instant of the decision have ended.
void PageMigrator::stop_users() {
  stopped_ = table_.tlb_directory.holders();
  stop();
}

void PageMigrator::stop() {
  state_ = State::kDraining;
  const auto drained = [this] {
    state_ = State::kDrained;
    acts_at_ = clock_.after(now() + 2, 0);
    wake_.at(acts_at_ - 1);
  };
  if (stopped_.empty()) {
    drained();
  } else {
    platform_.stop(stopped_, drained);
  }
}

ChannelId PageMigrator::home_of(const PageMigration& move) const {
  return table_.channel_of(*table_.translate(move.virtual_page << table_.page_bits()));
}

/// Reduces the moves to one batch, in order of virtual pages.
void PageMigrator::limit_moves() {
  const std::size_t wanted = moves_.size();
  if (config_.one_source && !moves_.empty()) {
    std::vector<std::size_t> lost(table_.pages_per_channel().size());
    for (const PageMigration& m : moves_) ++lost[home_of(m).value];
    const ChannelId source(
        static_cast<std::uint32_t>(std::max_element(lost.begin(), lost.end()) - lost.begin()));
    moves_.erase(std::remove_if(moves_.begin(), moves_.end(),
                                [&](const PageMigration& m) { return home_of(m) != source; }),
                 moves_.end());
  }
  if (moves_.size() > config_.max_moves) moves_.resize(config_.max_moves);
  stats_.deferred += wanted - moves_.size();
}

Tick PageMigrator::arrival(Tick t, std::size_t pages) const {
  const double bytes = static_cast<double>(pages) * static_cast<double>(table_.page_bytes());
  const double ns = bytes / config_.transfer_gb_per_s;
  return clock_.after(t + config_.flush_ns() * kTicksPerNs +
                          static_cast<Tick>(ns * static_cast<double>(kTicksPerNs)),
                      0);
}

std::vector<Tick> PageMigrator::arrivals(Tick t) const {
  // All pages take the same time. Each home has a number of such times during which it sends, and
  // during which it receives.
  const std::size_t homes = table_.pages_per_channel().size();
  std::vector<std::size_t> sent(homes);
  std::vector<std::size_t> received(homes);
  std::vector<Tick> at;
  for (const PageMigration& m : moves_) {
    std::size_t before = at.size();
    if (config_.overlap_transfers) {
      std::size_t& from = sent[home_of(m).value];
      std::size_t& to = received[m.to.value];
      before = std::max(from, to);
      from = to = before + 1;
    }
    at.push_back(arrival(t, before + 1));
  }
  return at;
}

void PageMigrator::begin_moves(Tick t) {
  ++stats_.shootdowns;
  state_ = State::kMoving;
  const std::vector<Tick> at = arrivals(t);
  acts_at_ = *std::max_element(at.begin(), at.end());
}

/// Remaps and copies the pages of the batch, for an edge t at which SMs resume. No access to the
/// pages is in flight.
void PageMigrator::remap(Tick t) {
  if (config_.drain == MoveDrain::kOwner) {
    const std::vector<Tick> at = arrivals(t);
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      owners_.push_back(home_of(moves_[i]));
      // A refused page has an arrival time too, because the transfer has reserved its slot.
      table_.arrives(moves_[i].virtual_page, at[i]);
    }
    owners_go_on_ = arrival(t, 0);
    moved_at_ = *std::max_element(at.begin(), at.end());
  }
  for (const PageMigration& m : moves_) {
    const std::uint64_t from = *table_.translate(m.virtual_page << table_.page_bits());
    const auto to =
        m.copy ? table_.add_copy(m.virtual_page, m.to) : table_.move(m.virtual_page, m.to);
    policy_->on_completed(m);
    if (!to) {
      ++stats_.refused;  // the channel is full or already holds a replica
      continue;
    }
    ++(m.copy ? stats_.copies : stats_.migrations);
    stats_.bytes_moved += table_.page_bytes();
    platform_.copy(from, *to);
    if (!m.copy) platform_.drop(from);
  }
  // Old frames become free only after the last copy, so that no copy overwrites an unmoved page.
  table_.release_left_frames();
  if (config_.stop == MoveStop::kAll) {
    platform_.forget();
    return;
  }
  platform_.forget_pages(stopped_, moving_pages());
  for (const ChannelId home : stopped_) table_.tlb_directory.forget(home);
}

/// Resumes the SMs of these homes and adds their stop to a counter.
void PageMigrator::resume(Tick t, const std::vector<ChannelId>& homes, Counter& cycles) {
  const std::uint64_t stopped = clock_.cycle_at(t) - clock_.cycle_at(stopped_at_);
  if (config_.stop == MoveStop::kAll || !homes.empty()) cycles += stopped;
  stats_.home_stopped_cycles += stopped * homes.size();
  platform_.resume(homes);
}

void PageMigrator::end_moves(Tick t) {
  if (config_.stop == MoveStop::kAll) remap(t);
  moves_.clear();
  state_ = State::kCounting;
  resume(t, stopped_, stats_.stopped_cycles);
  if (config_.stop == MoveStop::kUsers) table_.tlb_directory.release(t);
}

/// Drain `owner`: SMs resume before the pages have arrived.
void PageMigrator::begin_overlapped(Tick t) {
  ++stats_.shootdowns;
  if (config_.stop == MoveStop::kAll) remap(t);
  state_ = State::kOverlapped;
  // The stopped homes that lose a page, and the others.
  const auto others =
      std::stable_partition(stopped_.begin(), stopped_.end(), [this](ChannelId home) {
        return std::find(owners_.begin(), owners_.end(), home) != owners_.end();
      });
  owners_.assign(stopped_.begin(), others);
  resume(t, {others, stopped_.end()}, stats_.others_stopped_cycles);
  if (config_.stop == MoveStop::kUsers) table_.tlb_directory.release(t);
}

void PageMigrator::end_overlapped(Tick t) {
  if (owners_go_on_ <= t) {
    owners_go_on_ = kNever;
    resume(t, std::exchange(owners_, {}), stats_.stopped_cycles);
  }
  if (moved_at_ > t) return;
  table_.all_arrived();
  moves_.clear();
  state_ = State::kCounting;
}

/// Releases the replicas at the end of a kernel, when no SM has an access in flight.
void PageMigrator::give_up_copies(Tick t) {
  if (flushed_at_ == kNever) {
    // The next kernel can write pages that this kernel only read.
    for (auto& [physical, count] : counts_) count.read_only = false;
    const bool any = table_.drop_copies() != 0;
    if (any) {
      ++stats_.shootdowns;
      platform_.forget();
      platform_.resume(homes());
    }
    flushed_at_ = any ? clock_.after(t + config_.shootdown_ns * kTicksPerNs, 0) : t;
  }
  if (flushed_at_ > t) return;
  flush_at_ = flushed_at_ = kNever;
  std::exchange(flush_done_, nullptr)();
}

void PageMigrator::describe_waiting(std::vector<Waiting>& out) const {
  if (idle()) return;
  out.push_back({std::string(name()) + ".moves", std::max<std::size_t>(1, moves_.size()),
                 state_ == State::kDraining ? "accesses under way to end" : "the transfer's end"});
}

void PageMigrator::reset() {
  state_ = State::kCounting;
  counts_.clear();
  late_.clear();
  moves_.clear();
  stopped_.clear();
  owners_.clear();
  owners_go_on_ = kNever;
  acts_at_ = kNever;
  interval_ends_ = kNever;
  flush_done_ = nullptr;
  flush_at_ = flushed_at_ = kNever;
  policy_->reset();
  table_.all_arrived();
  table_.tlb_directory.clear();
  wake_.cancel();
}

void describe(StatisticsVisitor& v, PageMigratorStats& s) {
  v.counter("intervals", s.intervals, "interval", "intervals that saw accesses");
  v.counter("migrations", s.migrations, "page", "pages moved to another channel");
  v.counter("copies", s.copies, "page", "copies made for other partitions");
  v.counter("refused", s.refused, "page", "moves without a free page");
  v.counter("drains", s.drains, "drain", "times SMs were stopped for moves");
  v.counter("shootdowns", s.shootdowns, "shootdown", "times TLBs were emptied");
  v.counter("bytes_moved", s.bytes_moved, "byte", "bytes of moved and copied pages");
  v.counter("stopped_cycles", s.stopped_cycles, "cycle",
            "from a stop of SMs (all, or the pages' owners') to their going on, summed");
  v.counter("others_stopped_cycles", s.others_stopped_cycles, "cycle",
            "from a stop to the going on of SMs that lose no page, summed");
  v.counter("home_stopped_cycles", s.home_stopped_cycles, "cycle",
            "from a stop to the resumption of a GPU's SMs, summed over stops and GPUs");
  v.counter("deferred", s.deferred, "page", "moves left out of their batch");
}

void PageMigrator::register_statistics(StatisticsRegistry& r) const {
  StatisticsRegistrar registrar(r, name());
  // Only configurations that use them have these.
  if (config_.drain != MoveDrain::kOwner) registrar.leave_out(stats_.others_stopped_cycles);
  if (config_.stop != MoveStop::kUsers) registrar.leave_out(stats_.home_stopped_cycles);
  if (!config_.one_source) registrar.leave_out(stats_.deferred);
  registrar.add(stats_);
  r.counters(name(), policy_->counters());
}

}  // namespace tessera
