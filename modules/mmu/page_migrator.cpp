// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_migrator.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/statistics_visitor.h"

namespace tessera {

namespace {

using Order = MigrationOrder::Kind;

}  // namespace

PageMigrator::PageMigrator(const sc_core::sc_module_name& name, const PageMigratorConfig& config,
                           std::unique_ptr<PageMigrationPolicy> policy, PageTable& table,
                           PageMigratorPlatform platform, const MigrationSite& site)
    : BlockBase(name, config, Unvalidated{}),
      clock_(config.clock_hz),
      policy_(std::move(policy)),
      table_(table),
      platform_(std::move(platform)),
      latency_(site.gpus > 1 ? config.gpu_latency_ns * kTicksPerNs : 0),
      gpus_(site.gpus) {
  if (config.stop == MoveStop::kUsers) {
    table_.tlb_directory.enable(static_cast<std::uint32_t>(table_.pages_per_channel().size()),
                                platform_.channel_of);
  }
  wake_.bind<&PageMigrator::process>(*this);
  Domain& own = Domain::under_construction();
  for (std::uint32_t g = 0; g < site.gpus; ++g) {
    add_gpu(g, site, own, site.domains.empty() ? own : *site.domains[g]);
  }
}

void PageMigrator::add_gpu(std::uint32_t g, const MigrationSite& site, Domain& own,
                           Domain& domain) {
  Gpu& gpu = gpus_[g];
  const std::string here = name();
  const std::string there = here + " in GPU " + std::to_string(g);
  {
    const Domain::Construction in(domain);
    gpu.part =
        std::make_unique<GpuMigrator>(config_, GpuId(g), site.slices_per_gpu, table_,
                                      platform_.channel_of, [this, &gpu](MigrationReport&& report) {
                                        gpu.reports->send(arrival_of(now()), std::move(report));
                                      });
  }
  gpu.orders = std::make_unique<DomainLink<MigrationOrder>>(
      here, own, there, domain, latency_,
      [&gpu](Tick at, MigrationOrder&& order) { gpu.part->order(at, std::move(order)); });
  gpu.reports = std::make_unique<DomainLink<MigrationReport>>(
      there, domain, here, own, latency_, [this, g](Tick at, MigrationReport&& report) {
        reports_.push(at, g, std::move(report));
        wake_.at(at);
      });
}

// Messages.

Tick PageMigrator::arrival_of(Tick sent) const {
  return latency_ == 0 ? sent : clock_.after(sent + latency_, 0);
}

void PageMigrator::order_all(const MigrationOrder& order, Tick arrives) {
  for (const Gpu& gpu : gpus_) gpu.orders->send(arrives, order);
}

void PageMigrator::handle_reports(Tick t) {
  using Report = MigrationReport::Kind;
  while (reports_.due(t)) {
    MigrationReport report = reports_.pop();
    switch (report.kind) {
      case Report::kAccess:
        accesses_.push_back(report.address);
        break;
      case Report::kCounts:
        counts_.merge(report.counts);  // each page's slices are in one GPU
        if (--awaited_ == 0) decide(t);
        break;
      case Report::kDrained:
        if (--awaited_ == 0) drained(t);
        break;
      case Report::kShotDown:
        // No slice holds a line of the frames that pages have left.
        if (--shootdowns_ == 0) table_.release_left_frames();
        break;
    }
  }
}

/// An access begins an interval unless one runs, SMs are stopped, or its page stays.
void PageMigrator::begin_interval(std::uint64_t address, Tick t) {
  if (interval_ends_ != kNever || state_ != State::kCounting) return;
  if (config_.trigger == MoveTrigger::kOnDemand) {
    const auto page = table_.virtual_of(address);
    if (page && policy_->stays(*page)) return;
  }
  interval_ends_ =
      clock_.after(t + 1, config_.trigger == MoveTrigger::kInterval ? config_.interval_cycles
                                                                    : config_.batch_cycles);
}

/// The next access begins an interval.
void PageMigrator::count_again() {
  state_ = State::kCounting;
  MigrationOrder order;
  order.kind = Order::kCount;
  order_all(order, arrival_of(now()));
}

void PageMigrator::flush(LaunchSlot, std::function<void()> done) {
  flush_done_ = std::move(done);
  flush_at_ = clock_.after(now() + 1, 0);
  wake_.at(flush_at_);
}

// Processes.

void PageMigrator::process() {
  const Tick t = now();
  handle_reports(t);
  if (state_ == State::kStopping && acts_at_ <= t) stop_users(t);
  check_settled(t);
  if (state_ == State::kDrained && acts_at_ <= t) {
    if (config_.drain == MoveDrain::kAll) {
      begin_moves(t);
    } else if (settled_) {
      begin_overlapped(t);
    } else {
      acts_at_ = clock_.after(t, GpuMigrator::kSettlingCycles);
    }
  }
  if (state_ == State::kOverlapped) end_overlapped(t);
  if (state_ == State::kMoving && acts_at_ <= t) {
    if (settled_) {
      end_moves(t);
    } else {
      acts_at_ = clock_.after(t, GpuMigrator::kSettlingCycles);
    }
  }
  if (state_ == State::kCounting && interval_ends_ <= t) end_interval();
  if (state_ == State::kCounting && flush_at_ <= t) give_up_copies(t);
  // Accesses at this instant count as later ones.
  for (const std::uint64_t address : accesses_) begin_interval(address, t);
  accesses_.clear();
  schedule_next(t);
}

void PageMigrator::schedule_next(Tick t) {
  wake_.at(reports_.next_due());
  if (state_ == State::kStopping || state_ == State::kDrained || state_ == State::kMoving) {
    wake_.at(acts_at_ > t + 1 ? acts_at_ - 1 : acts_at_);
  }
  if (state_ == State::kOverlapped) wake_.at(std::min(owners_go_on_, moved_at_));
  if (state_ == State::kCounting) {
    wake_.at(interval_ends_);
    const Tick flush = flush_at_ > t ? flush_at_ : flushed_at_;
    if (flush > t) wake_.at(flush);
  }
}

/// One femtosecond before the edge, no slice is active.
void PageMigrator::check_settled(Tick t) {
  if (t + 1 != acts_at_ || checked_for_ == acts_at_) return;
  if (state_ != State::kDrained && state_ != State::kMoving) return;
  checked_for_ = acts_at_;
  settled_ = settled();
  const bool remaps = state_ == State::kMoving || config_.drain == MoveDrain::kOwner;
  // At the edge, a slice can evict a line of the pages for an SM that is not stopped.
  if (config_.stop == MoveStop::kUsers && settled_ && remaps) remap(acts_at_);
}

std::vector<ChannelId> PageMigrator::homes() const {
  std::vector<ChannelId> all;
  for (std::uint32_t h = 0; h < table_.pages_per_channel().size(); ++h) all.emplace_back(h);
  return all;
}

bool PageMigrator::settled() const {
  return std::all_of(gpus_.begin(), gpus_.end(), [this](const Gpu& gpu) {
    if (config_.stop == MoveStop::kAll) return gpu.part->settled();
    return std::none_of(moves_.begin(), moves_.end(), [&](const PageMigration& m) {
      return gpu.part->page_in_flight(*table_.translate(m.virtual_page << table_.page_bits()));
    });
  });
}

std::vector<std::uint64_t> PageMigrator::moving_pages() const {
  std::vector<std::uint64_t> pages;
  for (const PageMigration& m : moves_) pages.push_back(m.virtual_page);
  return pages;
}

void PageMigrator::end_interval() {
  ++stats_.intervals;
  interval_ends_ = kNever;
  state_ = State::kCollecting;
  awaited_ = gpus_.size();
  MigrationOrder order;
  order.kind = Order::kCollect;
  order_all(order, arrival_of(now()));
}

/// Selects the pages to migrate and, if there are any, stops SMs.
void PageMigrator::decide(Tick t) {
  std::vector<PageUse> uses;
  for (auto& [physical, count] : counts_) {
    const auto page = table_.virtual_of(physical << table_.page_bits());
    // Not a replica, nor an unmapped page.
    if (!page || (config_.trigger == MoveTrigger::kOnDemand && policy_->stays(*page))) continue;
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
  if (moves_.empty()) return count_again();
  ++stats_.drains;
  stopped_at_ = t;
  if (config_.stop == MoveStop::kAll) {
    stopped_ = homes();
    stop(t);
    return;
  }
  const std::vector<std::uint64_t> pages = moving_pages();
  table_.tlb_directory.hold({pages.begin(), pages.end()}, t);
  state_ = State::kStopping;
  acts_at_ = t + 1;
}

/// The homes that stop are known when all walks that end at the instant of the decision have ended.
void PageMigrator::stop_users(Tick t) {
  stopped_ = table_.tlb_directory.holders();
  stop(t);
}

void PageMigrator::stop(Tick t) {
  if (stopped_.empty()) {
    drained(t);
    return;
  }
  state_ = State::kDraining;
  awaited_ = gpus_.size();
  MigrationOrder order;
  order.kind = Order::kStop;
  order.homes = stopped_;
  order_all(order, arrival_of(t));
}

void PageMigrator::drained(Tick t) {
  state_ = State::kDrained;
  acts_at_ = clock_.after(t + 2, 0);
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
  std::vector<Tick> at(moves_.size(), t);
  if (config_.drain == MoveDrain::kOwner) {
    at = arrivals(t);
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      owners_.push_back(home_of(moves_[i]));
      // A refused page has an arrival time too, because the transfer has reserved its slot.
      table_.arrives(moves_[i].virtual_page, at[i]);
    }
    owners_go_on_ = arrival(t, 0);
    moved_at_ = *std::max_element(at.begin(), at.end());
  }
  std::vector<std::uint64_t> left;
  for (std::size_t i = 0; i < moves_.size(); ++i) remap_page(moves_[i], at[i], left);
  shoot_down(left);
  if (config_.stop == MoveStop::kAll) return;
  for (const ChannelId home : stopped_) table_.tlb_directory.forget(home);
}

/// Appends the old address of a page that has migrated.
void PageMigrator::remap_page(const PageMigration& move, Tick arrives,
                              std::vector<std::uint64_t>& left) {
  const std::uint64_t from = *table_.translate(move.virtual_page << table_.page_bits());
  const auto to = move.copy ? table_.add_copy(move.virtual_page, move.to)
                            : table_.move(move.virtual_page, move.to);
  policy_->on_completed(move);
  if (!to) {
    ++stats_.refused;  // the channel is full or already holds a replica
    return;
  }
  ++(move.copy ? stats_.copies : stats_.migrations);
  stats_.bytes_moved += table_.page_bytes();
  platform_.copy(from, *to);
  if (!move.copy) left.push_back(from);
  if (observer_ == nullptr) return;
  observer_->on_event("pages", move.copy ? "copy" : "migrate", stopped_at_, arrives,
                      {{"page", static_cast<double>(move.virtual_page)},
                       {"from", static_cast<double>(table_.channel_of(from).value)},
                       {"to", static_cast<double>(move.to.value)}});
}

/// Old frames become free when no slice holds a line of them.
void PageMigrator::shoot_down(const std::vector<std::uint64_t>& left) {
  MigrationOrder order;
  order.kind = Order::kShootDown;
  order.left = left;
  Tick arrives = arrival_of(now());
  if (config_.stop == MoveStop::kAll) {
    order.everything = true;
  } else {
    order.homes = stopped_;
    order.virtual_pages = moving_pages();
    // Between edges, as the remapping.
    if (latency_ != 0) arrives = clock_.after(now() + 1 + latency_, 0) - 1;
  }
  shootdowns_ += gpus_.size();
  order_all(order, arrives);
}

/// Resumes the SMs of these homes and adds their stop to a counter.
void PageMigrator::resume(Tick t, const std::vector<ChannelId>& homes, Counter& cycles) {
  const std::uint64_t stopped = clock_.cycle_at(t) - clock_.cycle_at(stopped_at_);
  if (config_.stop == MoveStop::kAll || !homes.empty()) cycles += stopped;
  stats_.home_stopped_cycles += stopped * homes.size();
  MigrationOrder order;
  order.kind = Order::kResume;
  order.homes = homes;
  order_all(order, arrival_of(t));
}

void PageMigrator::end_moves(Tick t) {
  if (config_.stop == MoveStop::kAll) remap(t);
  moves_.clear();
  resume(t, stopped_, stats_.stopped_cycles);
  count_again();
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
  count_again();
}

/// Releases the replicas at the end of a kernel, when no SM has an access in flight.
void PageMigrator::give_up_copies(Tick t) {
  if (flushed_at_ == kNever) {
    // The next kernel can write pages that this kernel only read.
    MigrationOrder ended;
    ended.kind = Order::kKernelEnd;
    order_all(ended, arrival_of(t));
    const bool any = table_.drop_copies() != 0;
    if (any) {
      ++stats_.shootdowns;
      shoot_down({});
      MigrationOrder order;
      order.kind = Order::kResume;  // with empty L1 TLBs
      order.homes = homes();
      order_all(order, arrival_of(t));
    }
    flushed_at_ = any ? clock_.after(t + config_.shootdown_ns * kTicksPerNs, 0) : t;
  }
  if (flushed_at_ > t || shootdowns_ != 0) return;
  flush_at_ = flushed_at_ = kNever;
  std::exchange(flush_done_, nullptr)();
}

void PageMigrator::describe_waiting(std::vector<Waiting>& out) const {
  if (idle()) return;
  const bool reports = state_ == State::kCollecting || shootdowns_ != 0;
  const char* const rest = reports ? "reports of the GPUs" : "the transfer's end";
  out.push_back({std::string(name()) + ".moves", std::max<std::size_t>(1, moves_.size()),
                 WaitKind::kTranslation,
                 state_ == State::kDraining ? "accesses under way to end" : rest});
}

void PageMigrator::reset() {
  for (const Gpu& gpu : gpus_) gpu.part->reset();
  if (shootdowns_ != 0) table_.release_left_frames();
  reports_.clear();
  accesses_.clear();
  awaited_ = shootdowns_ = 0;
  state_ = State::kCounting;
  counts_.clear();
  moves_.clear();
  stopped_.clear();
  owners_.clear();
  owners_go_on_ = kNever;
  acts_at_ = checked_for_ = kNever;
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
  v.waits(WaitKind::kTranslation,
          {"stopped_cycles", "others_stopped_cycles", "home_stopped_cycles"});
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
