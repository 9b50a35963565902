// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "common/kept_json.h"

namespace tessera {

/// A request to a running virtual platform (docs/guide/virtual-platform.md, "Session").
struct SessionRequest {
  bool post = false;                         ///< GET or POST
  std::string path;                          ///< "/state"
  std::map<std::string, std::string> query;  ///< decoded
  KeptJson<nlohmann::ordered_json> body;     ///< of a POST; null without one
};

struct SessionAnswer {
  unsigned status = 200;                  ///< of HTTP
  KeptJson<nlohmann::ordered_json> body;  ///< {"error": text} unless the status is 200
};

/// Passes requests from a server's thread to the thread of the simulation, and the answers back.
/// All functions can be called from any thread.
class SessionChannel {
 public:
  using Done = std::function<void(SessionAnswer)>;
  struct Call {
    SessionRequest request;
    Done done;  ///< to be called once, with the answer
  };

  /// Of the server. `done` is called later, from the thread of the simulation, or at once, with
  /// status 503, if the channel is closed.
  void submit(SessionRequest request, Done done);

  /// Of the simulation: the next request; none if there is none.
  std::optional<Call> take();
  bool pending() const;
  /// Waits until a request is there, at most so long.
  void wait(std::chrono::milliseconds most);
  /// Called by submit(), from its thread, under a lock: it must not call the channel. Empty: none.
  void on_submit(std::function<void()> ring);
  /// A client has ended the run.
  void quit();
  bool quits() const;
  /// Answers all requests that wait, and later ones, with status 503.
  void close();

 private:
  mutable std::mutex mutex_;
  std::condition_variable submitted_;
  std::deque<Call> calls_;
  std::function<void()> ring_;
  bool closed_ = false;
  bool quits_ = false;
};

}  // namespace tessera
