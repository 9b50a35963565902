// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/json.h"
#include "platforms/simulation.h"

namespace tessera::test {

/// CHECKs that the counts of all launches and those outside of them add up to the statistics of the
/// modules, level by level.
void check_level_sums(const nlohmann::ordered_json& stats, const ResolvedConfig& config);

/// Whether no count is outside of the launches.
bool nothing_outside(const nlohmann::ordered_json& stats);

}  // namespace tessera::test
