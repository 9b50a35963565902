// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "common/run_threads.h"

namespace tessera {

/// Threads that run the domains of a window. The calling thread is one of them.
class DomainThreads {
 public:
  /// `threads`: 2 to kMostRunThreads.
  explicit DomainThreads(unsigned threads);
  ~DomainThreads();
  DomainThreads(const DomainThreads&) = delete;
  DomainThreads& operator=(const DomainThreads&) = delete;

  /// Calls work(0) to work(count - 1), each once on some thread, and returns when all have
  /// returned. Rethrows the exception of the lowest number.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  void serve(unsigned number);
  void take_part();

  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable ended_;
  // Guarded by mutex_.
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t count_ = 0;
  std::size_t next_ = 0;      ///< first number that no thread has taken
  std::size_t returned_ = 0;  ///< calls that have returned
  std::exception_ptr error_;
  std::size_t error_of_ = 0;
  bool stops_ = false;

  std::vector<std::thread> threads_;
};

}  // namespace tessera
