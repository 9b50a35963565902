// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/domain_threads.h"

#include "modules/kernel/sc_time.h"
#include "modules/kernel/time.h"

namespace tessera {

DomainThreads::DomainThreads(unsigned threads) {
  run_threads = threads;
  for (unsigned n = 1; n < threads; ++n) threads_.emplace_back([this, n] { serve(n); });
}

DomainThreads::~DomainThreads() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
  }
  begun_.notify_all();
  for (std::thread& t : threads_) t.join();
  run_threads = 1;
}

void DomainThreads::serve(unsigned number) {
  detail::MadeTimes own;
  detail::made_times = &own;
  run_thread = number;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    begun_.wait(lock, [this] { return stops_ || next_ < count_; });
    if (stops_) return;
    lock.unlock();
    take_part();
    lock.lock();
  }
}

void DomainThreads::take_part() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (next_ < count_) {
    const std::size_t n = next_++;
    lock.unlock();
    std::exception_ptr error;
    try {
      (*work_)(n);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && (!error_ || n < error_of_)) {
      error_ = error;
      error_of_ = n;
    }
    if (++returned_ == count_) ended_.notify_one();
  }
}

void DomainThreads::run(std::size_t count, const std::function<void(std::size_t)>& work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_ = &work;
    count_ = count;
    next_ = 0;
    returned_ = 0;
    error_ = nullptr;
  }
  begun_.notify_all();
  take_part();
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [this] { return returned_ == count_; });
  count_ = 0;
  if (error_) std::rethrow_exception(error_);
}

}  // namespace tessera
