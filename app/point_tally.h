// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tessera::app {

/// Numbers of points by outcome.
struct PointTally {
  std::size_t kept = 0;  ///< from an earlier run
  std::size_t run = 0;
  std::size_t failed = 0;

  std::string text() const {
    return std::to_string(kept + run) + " points: " + std::to_string(run) + " run, " +
           std::to_string(kept) + " kept from earlier, " + std::to_string(failed) + " failed";
  }
};

}  // namespace tessera::app
