// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs of points for Python, and the database of results. Documents are JSON text, because Python's
// own reader makes its objects faster than bindings do.

#include <optional>
#include <string>
#include <vector>

namespace tessera::python {

struct PointsRequest {
  std::vector<std::string> platforms;
  std::vector<std::string> workloads;
  std::vector<std::string> sets;     ///< "path=value"
  std::vector<std::string> options;  ///< of the command: "--scale", "small"
  unsigned jobs = 0;                 ///< 0: one a core
  std::optional<std::string> store;  ///< path of the database
  bool progress = false;
};

/// Simulates every workload on every platform, each in a process of its own. Returns {"notes": [],
/// "points": [{"stats", "failure", "unsaved"}]}, ordered by workload, then platform. Throws
/// InputError. After a signal, the exception of its handler in Python.
std::string run_points(const PointsRequest& request);

/// The points of a database: [{fields, "settings", "figures", "config"}]. Throws InputError,
/// RunError.
std::string stored_points(const std::string& store);

}  // namespace tessera::python
