// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"

namespace tessera {

struct LineBridgeConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t line_bytes = 128;
  /// Maximum of line requests in flight.
  std::uint32_t outstanding_lines = 16;
  /// Transactions of the master that the bridge can hold. It withholds END_REQ of the next one.
  std::uint32_t input_depth = 4;

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, LineBridgeConfig& c);

}  // namespace tessera
