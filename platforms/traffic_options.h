// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace tessera {

/// Requests at one block that a run records (docs/guide/captured-traces.md, "Traffic at a block").
struct TrafficRecording {
  std::string block;  ///< "system.gpu0.dram0"
  std::string file;   ///< its ending is the form: .trace, .ldst or .stl
  /// Called at the run's end if the file is not complete, with the reason. Can be empty.
  std::function<void(const std::string&)> on_incomplete = {};
  /// Called at the run's end if the file is complete and has no request. Can be empty.
  std::function<void()> on_empty = {};
};

}  // namespace tessera
