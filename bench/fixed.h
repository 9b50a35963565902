// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iomanip>
#include <sstream>
#include <string>

namespace tessera::bench {

/// A number with `digits` decimal places.
inline std::string fixed(double value, int digits) {
  std::ostringstream s;
  s << std::fixed << std::setprecision(digits) << value;
  return s.str();
}

}  // namespace tessera::bench
