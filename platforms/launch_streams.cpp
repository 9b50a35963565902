// SPDX-License-Identifier: Apache-2.0
#include "platforms/launch_streams.h"

namespace tessera {

LaunchId LaunchStreams::add(const LaunchOrder& order) {
  const LaunchId launch = ++last_;
  std::set<LaunchId> before(order.after.begin(), order.after.end());
  for (const auto& [stream, last] : last_of_) {
    if (order.stream.empty() || stream.empty() || stream == order.stream) before.insert(last);
  }
  Launch l;
  for (const LaunchId other : before) {
    const auto at = launches_.find(other);
    if (at == launches_.end()) continue;
    at->second.followers.push_back(launch);
    ++l.waits_for;
  }
  if (l.waits_for == 0) ready_.insert(launch);
  launches_.emplace(launch, std::move(l));
  last_of_[order.stream] = launch;
  return launch;
}

std::optional<LaunchId> LaunchStreams::next_ready() const {
  return ready_.empty() ? std::nullopt : std::optional(*ready_.begin());
}

void LaunchStreams::end(LaunchId launch) {
  const auto at = launches_.find(launch);
  for (const LaunchId follower : at->second.followers) {
    if (--launches_.at(follower).waits_for == 0) ready_.insert(follower);
  }
  launches_.erase(at);
}

}  // namespace tessera
