// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files between a command and the tasks of a batch system. A request names points; a task runs
// one of them and writes its outcome.

#include <cstddef>
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

/// The folder of outcome files beside the requests.
std::string outcome_folder(const std::string& folder);
/// The keys of all points with an outcome file.
std::vector<std::string> outcome_keys(const std::string& folder);
/// Reads and removes the outcome of a point. Its statistics are null if the store has them.
FinishedPoint take_outcome(const std::string& folder, const std::string& key);
/// Removes all requests, outcomes and outputs of tasks, and the folder unless it has other files.
/// Ignores errors.
void remove_task_files(const std::string& folder);

}  // namespace tessera::app
