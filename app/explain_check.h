// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/explain/explanation.h"
#include "common/json_fwd.h"

namespace tessera::app {

/// A run with a bottleneck made infinite.
struct CheckedGain {
  std::string resource;
  std::vector<std::string> settings;  ///< PARAMETER=VALUE, those that differ from the run's
  double cycles = 0;                  ///< of the explained run
  double predicted_cycles = 0;
  double measured_cycles = 0;

  double predicted() const { return 1 - predicted_cycles / cycles; }
  double measured() const { return 1 - measured_cycles / cycles; }
};

/// Runs the command of the explained run again for each bottleneck that the sentences name, with
/// its settings, once for those with the same; those without settings are left out. Empty if none
/// is left. Throws InputError if the run did not end, if its command takes other cycles now, or if
/// the statistics have no command (a run of `compare`, `study` or `sweep`), RunError if a run
/// fails.
std::vector<CheckedGain> check_named(const nlohmann::ordered_json& stats,
                                     const Explanation& explanation, bool quiet);

/// One for each; of several, the one with the largest gain; and the named bottlenecks that no
/// settings remove.
std::vector<std::string> sentences(const std::vector<CheckedGain>& gains,
                                   const Explanation& explanation);
nlohmann::ordered_json to_json(const std::vector<CheckedGain>& gains);

}  // namespace tessera::app
