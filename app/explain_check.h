// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/explain/explanation.h"
#include "common/json_fwd.h"

namespace tessera::app {

/// The run of an explanation's first bottleneck made infinite.
struct CheckedGain {
  std::string resource;
  std::vector<std::string> settings;  ///< PARAMETER=VALUE, those that differ from the run's
  double cycles = 0;                  ///< of the explained run
  double predicted_cycles = 0;
  double measured_cycles = 0;

  double predicted() const { return 1 - predicted_cycles / cycles; }
  double measured() const { return 1 - measured_cycles / cycles; }
};

/// Runs the command of the explained run again with the settings of its first bottleneck. Throws
/// InputError if there is no bottleneck, or no command in the statistics (a run of `compare`,
/// `study` or `sweep`), RunError if the run fails.
CheckedGain check_first(const nlohmann::ordered_json& stats, const Explanation& explanation,
                        bool quiet);

std::string sentence(const CheckedGain& gain);
nlohmann::ordered_json to_json(const CheckedGain& gain);

}  // namespace tessera::app
