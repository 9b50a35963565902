// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/json_fwd.h"

namespace tessera {

class RecordsSignalsIf;

/// Files of the blocks of a platform that are RTL.
struct SignalRecording {
  /// Paths of the blocks whose waveforms are written, with * and ?; "system." at the begin can be
  /// left out.
  std::vector<std::string> waves;
  std::uint64_t from_ns = 0;  ///< the waveforms' window of simulated time
  std::uint64_t until_ns = ~std::uint64_t{0};
  /// Writes the coverage of all blocks when the run ends.
  bool coverage = false;
  /// Folder of the files: "system.gpu0.llc3.fst", "system.gpu0.llc3.coverage.dat".
  std::string folder;
};

/// Before the run. Throws InputError for a pattern that no block has, and if a block counts no
/// coverage.
void begin_recording(const SignalRecording& recording,
                     const std::vector<RecordsSignalsIf*>& blocks);
/// After the run: writes the coverage. Returns [{"block": path}], with "coverage" as {"line":
/// {"points", "hit"}, "toggle": the same} if it is counted.
nlohmann::ordered_json end_recording(const SignalRecording& recording,
                                     const std::vector<RecordsSignalsIf*>& blocks);

/// Points of a coverage file in Verilator's format, by type ("line", "toggle"), and those hit.
nlohmann::ordered_json coverage_of(const std::string& file);

}  // namespace tessera
