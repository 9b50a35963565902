// SPDX-License-Identifier: Apache-2.0
#pragma once

// Points that `compare` and `study` kept in files, before the database of results: KEY.json with
// {"key", "sha256", "stats"} (docs/guide/results.md).

#include <cstddef>
#include <functional>
#include <string>

#include "app/point_store.h"

namespace tessera::app {

struct OldPoints {
  std::size_t imported = 0;
  std::size_t present = 0;  ///< the database has a point of the same key
  std::size_t refused = 0;
};

/// Imports the points of all files under `folder` whose name is a key. The key has a hash of the
/// executable of that time, from which the version of the model cannot be established: the points
/// are listed with PointStore::kUnknownModel, and no command takes them in place of a run. A file
/// that is damaged or was changed is refused; `on_refused` receives the reason. Throws InputError
/// if the folder cannot be read, RunError if the database cannot be written.
OldPoints import_old_points(const std::string& folder, const PointStore& store,
                            const std::function<void(const std::string&)>& on_refused);

}  // namespace tessera::app
