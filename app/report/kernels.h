// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/json_fwd.h"

namespace tessera::app {

/// A table of the kernels of a run, for its summary: launches of one name and stream in one row,
/// the rows with most cycles first. Empty if the run has fewer than two launches.
std::string kernel_table(const nlohmann::ordered_json& stats);

/// Lines of stats.csv: modules "kernels.0", "kernels.1", ... and "outside_kernels".
std::string kernels_csv(const nlohmann::ordered_json& stats);

}  // namespace tessera::app
