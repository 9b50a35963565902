// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "common/json.h"
#include "stimuli/workload.h"

namespace tessera {

/// What Simulation::run() returns. Apart from simulation.h, because its users read the document.
struct RunResult {
  /// The stats.json document.
  nlohmann::ordered_json stats;
  /// Set if the run failed: the error in one message (RunError's text, the watchdog's report).
  std::optional<std::string> failure;
  bool interrupted = false;
  std::optional<Verification> verification;
};

}  // namespace tessera
