// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/bridge/axi4_pins.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera {

struct Axi4ManagerConfig {
  Axi4Shape shape;
  /// Bytes of a beat (AxSIZE); a power of two up to shape.data_bytes; 0: the width of the bus.
  std::uint32_t beat_bytes = 0;
  std::uint32_t entries = 8;  ///< requests held from BEGIN_REQ until they are issued
  std::uint32_t ids = 4;      ///< IDs in use, of each direction
  std::uint32_t reads = 8;    ///< most requests issued and without a response
  std::uint32_t writes = 8;
  /// Requests to a common line do not overtake one another. A power of two.
  std::uint32_t line_bytes = 128;
  /// A read of 2, 4, 8 or 16 aligned beats becomes a WRAP burst that begins at its critical byte.
  bool wrap_reads = false;
  std::uint8_t cache = 3;  ///< AxCACHE: normal, not cacheable, bufferable
  std::uint8_t prot = 0;   ///< AxPROT

  std::vector<std::string> validate() const;
};

struct Axi4ManagerStats {
  Counter reads = 0;
  Counter writes = 0;
  Counter bursts = 0;
  Counter read_beats = 0;
  Counter write_beats = 0;
  Counter errors = 0;
  Counter resets = 0;  ///< requests that a reset has ended
  Histogram latency;   ///< cycles
};

void describe(StatisticsVisitor& v, Axi4ManagerStats& s);

}  // namespace tessera
