// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "common/ids.h"
#include "policies/registry.h"

namespace tessera {

/// Shape of a launch, as far as scheduling needs it.
struct CtaGrid {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// Decides which CTA an SM runs next. The dispatcher asks whenever an SM has room, and reports the
/// policy's counters. SMs are numbered GPU by GPU, the same number in each.
class CtaScheduler : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "cta_scheduler";
  /// A launch begins: all of its CTAs are pending.
  virtual void begin(const CtaGrid& grid, unsigned sm_count) = 0;
  /// The dispatcher goes over the SMs with room once more, in ascending order.
  virtual void begin_round() {}
  /// The next CTA for `sm`, or nothing if none is left for it. Gives each CTA out exactly once.
  virtual std::optional<CtaId> next(SmId sm) = 0;
  /// CTAs not yet given out.
  virtual std::uint64_t pending() const = 0;
};

}  // namespace tessera
