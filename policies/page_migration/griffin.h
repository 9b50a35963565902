// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "policies/page_migration.h"

namespace tessera {

struct GriffinParameters {
  /// Share of the last period in a filtered rate; above 0, at most 1.
  double alpha = 0.25;
  /// A page is dedicated whose first user's rate is this many times the second's; at least 1.
  double dedicated = 2;
  /// A page whose rates add up to less is out of interest; accesses in a period.
  double idle = 0.5;
  /// Accesses by other GPUs from which on a page moves that its home never used; at least 1.
  std::uint32_t touches = 2;
};

void describe(ParameterVisitor& v, GriffinParameters& p);

/// Griffin's classes of pages (HPCA 2020, as far as public sources tell; the rules are ours).
enum class GriffinClass : std::uint8_t {
  kDedicated,      ///< one GPU uses it far more than any other: it belongs there
  kShared,         ///< several use it alike: it stays
  kStreaming,      ///< it was used, and nobody used it in the last period: it stays
  kOwnerShifting,  ///< its home's use falls, and another GPU leads and rises: it goes there
  kOutOfInterest,  ///< hardly used: it stays, and its counts are forgotten
};
inline constexpr std::size_t kGriffinClasses = 5;

/// A page's filtered access rates, by GPU, in accesses a period.
struct GriffinRates {
  std::vector<double> before;
  std::vector<double> now;

  /// now = alpha * accesses + (1 - alpha) * now. Empty `accesses`: none in this period.
  void add_period(const std::vector<std::uint32_t>& accesses, double alpha);
  /// The GPU with the highest rate, the lowest index among equals. Rates must not be empty.
  ChannelId leader() const;
};

/// First that holds: out of interest (rates add up to less than `idle`), streaming (not
/// `used` in the period), owner-shifting, dedicated (the first user's rate is at least
/// `dedicated` times the second's), shared.
GriffinClass griffin_class(const GriffinRates& rates, ChannelId home, bool used,
                           const GriffinParameters& parameters);

}  // namespace tessera
