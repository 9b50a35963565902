// SPDX-License-Identifier: Apache-2.0
#include "policies/cta_scheduler.h"

#include <algorithm>
#include <variant>

#include "policies/cta_scheduler/built_in.h"
#include "policies/registry.h"

namespace tessera {

namespace {

using PlainFactory = std::unique_ptr<CtaScheduler> (*)();
/// One that reads the options, or one that has no use for them (every user's).
using Factory =
    std::variant<PlainFactory, std::unique_ptr<CtaScheduler> (*)(const CtaSchedulerOptions&)>;

PolicyRegistry<Factory>& registry() {
  static PolicyRegistry<Factory> all("CTA scheduling",
                                     {{"distributed", make_distributed_scheduler},
                                      {"greedy", make_greedy_scheduler},
                                      {"partition", make_partition_scheduler},
                                      {"round-robin", make_round_robin_scheduler}});
  return all;
}

}  // namespace

void GpuRanges::begin(const CtaGrid& grid, unsigned sm_count) {
  const std::uint64_t count = grid.count();
  pending_ = count;
  sms_per_gpu_ = sm_count / static_cast<unsigned>(ranges_.size());
  const std::uint64_t per_gpu = (count + sm_count - 1) / sm_count * sms_per_gpu_;
  for (std::size_t g = 0; g < ranges_.size(); ++g) {
    ranges_[g] = {std::min(count, g * per_gpu), std::min(count, (g + 1) * per_gpu)};
  }
}

std::optional<CtaId> GpuRanges::take(unsigned gpu) {
  Range& r = ranges_[gpu];
  if (r.next == r.end) return std::nullopt;
  --pending_;
  return CtaId(static_cast<std::uint32_t>(r.next++));
}

std::unique_ptr<CtaScheduler> make_cta_scheduler(const std::string& name,
                                                 const CtaSchedulerOptions& options) {
  const Factory factory = registry().get(name);
  const auto* plain = std::get_if<PlainFactory>(&factory);
  return plain != nullptr ? (*plain)() : std::get<1>(factory)(options);
}

void register_cta_scheduler(const std::string& name, PlainFactory factory) {
  registry().add(name, factory);
}

std::vector<std::string> cta_scheduler_names() { return registry().names(); }

}  // namespace tessera
