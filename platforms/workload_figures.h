// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/json_fwd.h"
#include "stimuli/workload.h"

namespace tessera {

/// The section "figures" of stats.json: name -> value, unit and description. Empty for a workload
/// without figures. `kernels`: the section of that name. `whole`: the run has ended, with all
/// instructions in detail; otherwise the figures have no values.
nlohmann::ordered_json figures_section(const Workload& workload,
                                       const nlohmann::ordered_json& kernels, bool whole);

}  // namespace tessera
