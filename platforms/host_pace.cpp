// SPDX-License-Identifier: Apache-2.0
#include "platforms/host_pace.h"

#include <algorithm>

namespace tessera {

std::chrono::nanoseconds HostPace::wait(bool idle, Tick t, Clock::time_point host) {
  using std::chrono::nanoseconds;
  if (!idle) {
    since_ = kNever;
    return nanoseconds(0);
  }
  if (since_ == kNever) {
    since_ = t;
    host_since_ = host;
  }
  const nanoseconds simulated((t - since_) / kTicksPerNs);
  const nanoseconds ahead = simulated - (host - host_since_);
  if (ahead < -nanoseconds(kLead)) {
    // The run was paused, or the model is slower than the host's time: there is nothing to make up.
    since_ = t;
    host_since_ = host;
  }
  return ahead <= nanoseconds(kLead) ? nanoseconds(0) : std::min(ahead, nanoseconds(kLead));
}

}  // namespace tessera
