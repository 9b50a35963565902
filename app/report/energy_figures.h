// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/json_fwd.h"

namespace tessera::app {

/// The energy of a run (stats.json) as flat numbers, by the names that `tessera results` and
/// compare.csv have: "energy.PART.total_j" in joules for each component, and each number of the
/// section itself ("energy.total_j", "energy.noc_power_w"). Empty without the section.
nlohmann::ordered_json energy_figures(const nlohmann::ordered_json& stats);

/// Energy over the kernels' time, in watts; null without energy or time.
nlohmann::ordered_json average_power_w(const nlohmann::ordered_json& stats);

}  // namespace tessera::app
