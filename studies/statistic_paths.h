// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/json_fwd.h"

namespace tessera::studies {

/// The paths of a stats.json that expressions can read (Vocabulary::statistics).
std::vector<std::string> readable_statistics();

/// The number at a path ("derived.ipc"); empty if there is none.
std::optional<double> statistic_at(const nlohmann::ordered_json& stats, const std::string& path);

}  // namespace tessera::studies
