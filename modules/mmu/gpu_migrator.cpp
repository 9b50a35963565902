// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/gpu_migrator.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/block.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

namespace {

bool contains(const std::vector<ChannelId>& homes, ChannelId home) {
  return std::find(homes.begin(), homes.end(), home) != homes.end();
}

}  // namespace

GpuMigrator::GpuMigrator(const PageMigratorConfig& config, GpuId gpu, std::uint32_t slices,
                         const PageTable& table, std::function<ChannelId(SmId)> home_of,
                         Report report)
    : config_(config),
      clock_(config.clock_hz),
      gpu_(gpu),
      slices_(slices),
      table_(table),
      home_of_(std::move(home_of)),
      report_(std::move(report)) {
  wake_.bind<&GpuMigrator::process>(*this);
}

// Access counters.

void GpuMigrator::on_access(const ObservedAccess& access) {
  // Requesters other than SMs have no local memory to which a page can migrate.
  if (!access.at_home() || !access.request.requester.is_sm()) return;
  const Tick t = now();
  count_before(t);
  seen_at_ = t;
  seen_.push_back({home_of_(access.request.requester.sm()), access.address,
                   access.request.kind == RequestKind::kLoad && access.request.read_only});
  report_access(seen_.back());
}

/// Reports an access that can begin an interval: the first one, or the first one of another
/// partition to a page.
void GpuMigrator::report_access(const Seen& seen) {
  if (config_.trigger == MoveTrigger::kInterval) {
    if (std::exchange(reported_, true)) return;
  } else {
    if (seen.from == table_.channel_of(seen.address)) return;
    if (!reported_pages_.insert(table_.page_of(seen.address)).second) return;
  }
  report_({MigrationReport::Kind::kAccess, seen.address, {}});
}

/// Counts the accesses before t.
void GpuMigrator::count_before(Tick t) {
  if (seen_at_ == t) return;
  for (const Seen& seen : seen_) {
    PageCount& count = counts_[table_.page_of(seen.address)];
    if (count.accesses.empty()) count.accesses.resize(table_.pages_per_channel().size());
    ++count.accesses[seen.from.value];
    count.read_only = count.read_only && seen.read_only;
  }
  seen_.clear();
}

void GpuMigrator::collect(Tick t) {
  count_before(t);
  report_({MigrationReport::Kind::kCounts, 0, std::exchange(counts_, {})});
}

// Orders.

void GpuMigrator::order(Tick at, MigrationOrder&& order) {
  orders_.push(at, 0, std::move(order));
  wake_.at(at);
}

void GpuMigrator::process() {
  const Tick t = now();
  while (orders_.due(t)) follow(orders_.pop(), t);
  if (shootdowns_ != 0 && drop_at_ <= t) drop_left_frames(t);
  wake_.at(orders_.next_due());
  wake_.at(drop_at_);
}

void GpuMigrator::follow(const MigrationOrder& order, Tick t) {
  using Kind = MigrationOrder::Kind;
  switch (order.kind) {
    case Kind::kCount:
      reported_ = false;
      reported_pages_.clear();
      if (seen_at_ != t) return;
      for (const Seen& seen : seen_) report_access(seen);
      return;
    case Kind::kCollect:
      collect(t);
      return;
    case Kind::kStop:
      stop(order.homes);
      return;
    case Kind::kShootDown:
      shoot_down(order);
      drop_at_ = t;
      return;
    case Kind::kResume:
      for (const MigrationTargets::Sm& sm : targets_.sms) {
        if (contains(order.homes, sm.home)) sm.quiesce->resume();
      }
      return;
    case Kind::kKernelEnd:
      count_before(t);
      for (auto& [physical, count] : counts_) count.read_only = false;
      return;
  }
}

void GpuMigrator::stop(const std::vector<ChannelId>& homes) {
  const auto is_near = [&homes](const MigrationTargets::Sm& sm) {
    return contains(homes, sm.home);
  };
  undrained_ =
      static_cast<std::size_t>(std::count_if(targets_.sms.begin(), targets_.sms.end(), is_near));
  if (undrained_ == 0) report_({MigrationReport::Kind::kDrained, 0, {}});
  for (const MigrationTargets::Sm& sm : targets_.sms) {
    if (!is_near(sm)) continue;
    sm.quiesce->quiesce([this] {
      if (--undrained_ == 0) report_({MigrationReport::Kind::kDrained, 0, {}});
    });
  }
}

void GpuMigrator::shoot_down(const MigrationOrder& order) {
  const bool all = order.everything || contains(order.homes, ChannelId(gpu_.value));
  for (TranslationsIf* tlb : targets_.tlbs) {
    if (all) {
      tlb->invalidate_all();
      continue;
    }
    // Of these pages, the TLB can hold translations of requesters other than SMs.
    for (const std::uint64_t page : order.virtual_pages) tlb->invalidate_page(page);
  }
  for (const MigrationTargets::Sm& sm : targets_.sms) {
    if (order.everything || contains(order.homes, sm.home)) sm.l1->flush();
  }
  left_.insert(left_.end(), order.left.begin(), order.left.end());
  ++shootdowns_;
}

void GpuMigrator::drop_left_frames(Tick t) {
  // With a latency, other SMs can have evicted lines of the frames since the pages were copied.
  const bool in_flight = std::any_of(left_.begin(), left_.end(),
                                     [this](std::uint64_t page) { return page_in_flight(page); });
  if (in_flight) {
    drop_at_ = clock_.after(t + 1, kSettlingCycles) - 1;
    return;
  }
  for (const std::uint64_t page : left_) {
    for (const MigrationTargets::Slice& slice : targets_.slices) {
      slice.pages->drop_page(page, table_.page_bytes());
    }
  }
  left_.clear();
  drop_at_ = kNever;
  for (; shootdowns_ != 0; --shootdowns_) report_({MigrationReport::Kind::kShotDown, 0, {}});
}

bool GpuMigrator::settled() const {
  return std::all_of(targets_.slices.begin(), targets_.slices.end(),
                     [](const MigrationTargets::Slice& slice) { return slice.block->idle(); });
}

bool GpuMigrator::page_in_flight(std::uint64_t page) const {
  return std::any_of(targets_.slices.begin(), targets_.slices.end(),
                     [&](const MigrationTargets::Slice& slice) {
                       return slice.pages->page_in_flight(page, table_.page_bytes());
                     });
}

void GpuMigrator::reset() {
  counts_.clear();
  seen_.clear();
  reported_ = false;
  reported_pages_.clear();
  orders_.clear();
  left_.clear();
  shootdowns_ = 0;
  drop_at_ = kNever;
  wake_.cancel();
}

}  // namespace tessera
