// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "policies/page_migration.h"

namespace tessera {

struct GriffinParameters {
  /// Weight of the last period in a filtered rate; above 0, at most 1.
  double alpha = 0.25;
  /// A page is dedicated if its first user's rate is at least this many times the second user's; at
  /// least 1.
  double dedicated = 2;
  /// A page whose rates add up to less is out of interest; accesses per period.
  double idle = 0.5;
  /// Accesses by other GPUs after which a page migrates if its home has never accessed it; at least
  /// 1.
  std::uint32_t touches = 2;
};

void describe(ParameterVisitor& v, GriffinParameters& p);

/// Griffin's classes of pages (HPCA 2020, according to public sources; the rules are ours).
enum class GriffinClass : std::uint8_t {
  kDedicated,      ///< one GPU's rate is far above all others': the page belongs to that GPU
  kShared,         ///< several GPUs have similar rates: the page stays
  kStreaming,      ///< it was accessed, but not in the last period: the page stays
  kOwnerShifting,  ///< its home's rate falls, and another GPU leads and rises: migrates to that GPU
  kOutOfInterest,  ///< few accesses: the page stays, and its counts are deleted
};
inline constexpr std::size_t kGriffinClasses = 5;

/// A page's filtered access rates, by GPU, in accesses per period.
struct GriffinRates {
  std::vector<double> before;
  std::vector<double> now;

  /// now = alpha * accesses + (1 - alpha) * now. Empty `accesses`: no access in this period.
  void add_period(const std::vector<std::uint32_t>& accesses, double alpha);
  /// The GPU with the highest rate, of equal rates the lowest index. Rates must not be empty.
  ChannelId leader() const;
};

/// The first class whose condition holds: out of interest (rates add up to less than `idle`),
/// streaming (not `used` in the period), owner-shifting, dedicated (the first user's rate is at
/// least `dedicated` times the second's), shared.
GriffinClass griffin_class(const GriffinRates& rates, ChannelId home, bool used,
                           const GriffinParameters& parameters);

}  // namespace tessera
