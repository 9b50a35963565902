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
  /// The next CTA for `sm`, or nothing if none is left for it. Gives each CTA out exactly once.
  virtual std::optional<CtaId> next(SmId sm) = 0;
  /// CTAs not yet given out.
  virtual std::uint64_t pending() const = 0;
};

/// "round-robin": any SM with room takes the next CTA in order. "distributed": contiguous ranges
/// of equal length per SM (MCM-GPU; NUBA section 6). Throws InputError for an unknown name.
std::unique_ptr<CtaScheduler> make_cta_scheduler(const std::string& name);
void register_cta_scheduler(const std::string& name, std::unique_ptr<CtaScheduler> (*factory)());
std::vector<std::string> cta_scheduler_names();

}  // namespace tessera
