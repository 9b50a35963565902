// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "common/ids.h"
#include "policies/registry.h"

namespace tessera {

/// Shape of a launch, as far as scheduling uses it.
struct CtaGrid {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// Selects the next CTA of an SM. The dispatcher calls it if an SM has free resources, and reports
/// the policy's counters. SMs are numbered GPU by GPU, with the same number of SMs in each.
///
/// Each of several GPUs has a scheduler of its own, which is asked for this GPU's SMs only. The
/// schedulers must agree on which GPU runs a CTA without communication (GpuRanges).
class CtaScheduler : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "cta_scheduler";
  /// Begins a launch.
  virtual void begin(const CtaGrid& grid, unsigned sm_count) = 0;
  /// Begins a new round over the SMs with free resources, in ascending order.
  virtual void begin_round() {}
  /// Returns the next CTA for `sm`, or nothing if no CTA is left for it. Of all GPUs' schedulers,
  /// one returns each CTA, once. A kernel ends when no SM runs a CTA or gets one.
  virtual std::optional<CtaId> next(SmId sm) = 0;
  /// Whether next() will still return a CTA for `sm`, in this round or in a later one.
  virtual bool has_more(SmId sm) const = 0;
};

}  // namespace tessera
