// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/json_fwd.h"

namespace tessera::app {

/// A part of a whole: every percentage of the summary and of the reports is one. Both have the same
/// unit and cover the same events, so that the part is within the whole (is_within()).
struct Share {
  double part = 0;
  double whole = 0;
  std::string of{};  ///< the whole, in words: "issue slots"

  /// The part over the whole, 0 to 1; 0 if the whole is 0.
  double value() const;
};

/// The rule for shares: the part is neither negative nor larger than the whole, except for the
/// rounding of sums of floating-point numbers.
bool is_within(const Share& share);

/// {"part", "whole", "share", "of"}.
nlohmann::ordered_json to_json(const Share& share);

}  // namespace tessera::app
