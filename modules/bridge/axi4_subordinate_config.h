// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/bridge/axi4_pins.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera {

struct Axi4SubordinateConfig {
  Axi4Shape shape;
  std::uint32_t line_bytes = 128;  ///< a power of two, data_bytes to 128
  /// Transactions are whole lines; otherwise the bytes of the burst in the line.
  bool whole_lines = true;
  std::uint32_t reads = 8;   ///< most bursts accepted and without all their data
  std::uint32_t writes = 8;  ///< most bursts accepted and without a response
  /// AR and W are not accepted while this many transactions wait for the TLM channel.
  std::uint32_t entries = 8;
  /// Read data of bursts with different IDs can interleave.
  bool interleave = false;

  std::vector<std::string> validate() const;
};

struct Axi4SubordinateStats {
  Counter reads = 0;
  Counter writes = 0;
  Counter read_beats = 0;
  Counter write_beats = 0;
  Counter transactions = 0;
  Counter errors = 0;
  Counter dropped = 0;  ///< responses after a reset
};

void describe(StatisticsVisitor& v, Axi4SubordinateStats& s);

}  // namespace tessera
