// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

namespace tessera {

// Threads that run parts of one simulation (modules/kernel/domain_threads.h). An object that parts
// on several threads use keeps state for each thread, or locks.

inline constexpr unsigned kMostRunThreads = 64;
/// Number of the calling thread: 0 for the main thread.
inline thread_local unsigned run_thread = 0;
/// Number of threads. Set at elaboration.
inline unsigned run_threads = 1;

/// Locks the mutex, if there are several threads.
inline std::unique_lock<std::mutex> lock_between_threads(std::mutex& mutex) {
  return run_threads > 1 ? std::unique_lock<std::mutex>(mutex) : std::unique_lock<std::mutex>();
}

}  // namespace tessera
