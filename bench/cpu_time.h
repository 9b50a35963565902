// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <functional>

namespace tessera::bench {

/// CPU time of this process (one thread) in seconds, because wall time on a shared machine includes
/// other processes.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/// CPU time of `work` in seconds.
inline double seconds(const std::function<void()>& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

}  // namespace tessera::bench
