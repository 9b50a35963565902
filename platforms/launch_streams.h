// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stimuli/workload.h"

namespace tessera {

/// The order of launches in streams: which launches each one waits for. Plain C++.
///
/// A launch of the default stream waits for all launches before it, and all launches after it wait
/// for it.
class LaunchStreams {
 public:
  /// Adds a launch after all others. Returns its number, from 1 on.
  LaunchId add(const LaunchOrder& order);
  /// The first launch that waits for none and has not begun; nothing if there is none.
  std::optional<LaunchId> next_ready() const;
  void begin(LaunchId launch) { ready_.erase(launch); }
  void end(LaunchId launch);

  /// Launches that have not ended.
  std::size_t size() const { return launches_.size(); }

 private:
  struct Launch {
    std::size_t waits_for = 0;  ///< launches that have not ended
    std::vector<LaunchId> followers;
  };

  LaunchId last_ = 0;
  std::map<LaunchId, Launch> launches_;  ///< that have not ended
  std::set<LaunchId> ready_;
  std::map<std::string, LaunchId> last_of_;  ///< of each stream
};

}  // namespace tessera
