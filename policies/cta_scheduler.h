// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"

namespace tessera {

/// Shape of a launch, as far as scheduling needs it.
struct CtaGrid {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// Decides which CTA an SM runs next. The dispatcher asks whenever an SM has room.
class CtaScheduler {
 public:
  virtual ~CtaScheduler() = default;
  /// A launch begins: all of its CTAs are pending.
  virtual void begin(const CtaGrid& grid, unsigned sm_count) = 0;
  /// The dispatcher goes over the SMs with room once more, in ascending order.
  virtual void begin_round() {}
  /// The next CTA for `sm`, or nothing if none is left for it. Gives each CTA out exactly once.
  virtual std::optional<CtaId> next(SmId sm) = 0;
  /// CTAs not yet given out.
  virtual std::uint64_t pending() const = 0;
};

/// Parameters of the built-in policies.
struct CtaSchedulerOptions {
  /// GPUs of the system; SMs are numbered GPU by GPU, the same number in each.
  unsigned gpus = 1;
};

/// Several GPUs: each runs a contiguous range of CTAs, as long as its SMs times the CTAs per SM of
/// the system, rounded up, so that few CTAs fill the first GPUs only (MGPUSim's unified multi-GPU).
/// Within a GPU, and with one GPU:
/// "round-robin": any SM with room takes the next CTA in order. "greedy": the lowest SM with room
/// does. "partition": contiguous ranges per SM, equal but for the last (DualOpt Table 1 and section
/// 6.2; rules of MGPUSim's dispatchers).
/// "distributed": contiguous ranges per SM that differ by one at most, GPUs or not (MCM-GPU; NUBA
/// section 6).
/// Throws InputError for an unknown name.
std::unique_ptr<CtaScheduler> make_cta_scheduler(const std::string& name,
                                                 const CtaSchedulerOptions& options = {});
void register_cta_scheduler(const std::string& name, std::unique_ptr<CtaScheduler> (*factory)());
std::vector<std::string> cta_scheduler_names();

}  // namespace tessera
