// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/core/parameters.h"

namespace tessera {

struct LineBridgeConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t line_bytes = 128;
  /// Lines under way at a time.
  std::uint32_t outstanding_lines = 16;
  /// Transactions of the master that are held; another one's END_REQ is withheld.
  std::uint32_t input_depth = 4;

  /// Every fault, in words; empty when sound.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, LineBridgeConfig& c);

}  // namespace tessera
