// SPDX-License-Identifier: Apache-2.0
#include "platforms/session_channel.h"

#include <utility>

#include "common/json.h"

namespace tessera {

namespace {

SessionAnswer run_is_over() {
  SessionAnswer answer;
  answer.status = 503;
  answer.body = nlohmann::ordered_json{{"error", "the run is over"}};
  return answer;
}

}  // namespace

void SessionChannel::submit(SessionRequest request, Done done) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (closed_) {
    lock.unlock();
    done(run_is_over());
    return;
  }
  calls_.push_back({std::move(request), std::move(done)});
  if (ring_) ring_();
  submitted_.notify_all();
}

std::optional<SessionChannel::Call> SessionChannel::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (calls_.empty()) return std::nullopt;
  Call call = std::move(calls_.front());
  calls_.pop_front();
  return call;
}

bool SessionChannel::pending() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !calls_.empty();
}

void SessionChannel::wait(std::chrono::milliseconds most) {
  std::unique_lock<std::mutex> lock(mutex_);
  submitted_.wait_for(lock, most, [this] { return !calls_.empty(); });
}

void SessionChannel::on_submit(std::function<void()> ring) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ring_ = std::move(ring);
}

void SessionChannel::quit() {
  const std::lock_guard<std::mutex> lock(mutex_);
  quits_ = true;
}

bool SessionChannel::quits() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return quits_;
}

void SessionChannel::close() {
  std::deque<Call> left;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    ring_ = nullptr;
    left.swap(calls_);
  }
  for (Call& call : left) call.done(run_is_over());
}

}  // namespace tessera
