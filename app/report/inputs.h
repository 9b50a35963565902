// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run was given beside its platform and workload: scale, seed, values, window and the
// settings of --set. Summaries, tables and reports show it next to the results.

#include <string>

#include "common/json_fwd.h"

namespace tessera::app {

/// The keys "scale", "seed", "values", "settings" and "window" (skip and detail only) of a
/// stats.json document, as far as it has them.
nlohmann::ordered_json inputs_of(const nlohmann::ordered_json& stats);

/// "scale small, seed 1, values functional". `inputs`: the result of inputs_of().
std::string inputs_text(const nlohmann::ordered_json& inputs);

/// "llc.sets=16, system.page_placement=lab"; empty without settings.
std::string settings_line(const nlohmann::ordered_json& inputs);

/// Both: "scale small, seed 1, values functional; settings llc.sets=16".
std::string inputs_line(const nlohmann::ordered_json& inputs);

}  // namespace tessera::app
