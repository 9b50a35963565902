// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files between a command and the tasks of a batch system. A request names points; a task runs
// one of them and writes its outcome.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/point_executor.h"

namespace tessera::app {

/// The verb of a task: "tessera farm-task REQUEST.json". Not in the help, because it is internal.
/// Exit status: 0 if the outcome is written, else 1.
inline constexpr char kFarmTaskVerb[] = "farm-task";
int farm_task(const std::vector<std::string>& arguments);

/// The request for `chosen` points of the batch, as text. Task i runs point chosen[i].
std::string request_text(const PointBatch& batch, const std::vector<std::size_t>& chosen);

/// The outcome file of a point, in the request's folder.
std::string outcome_file(const std::string& key);
/// The outcome of a point; empty if there is none yet. Its statistics are null if the store has
/// them.
std::optional<FinishedPoint> read_outcome(const std::string& folder, const std::string& key);

}  // namespace tessera::app
