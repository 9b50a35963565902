// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "modules/kernel/domain.h"
#include "modules/kernel/time.h"

namespace tessera {

/// What DomainLinks of all messages share.
class DomainPath {
 public:
  DomainPath(const DomainPath&) = delete;
  DomainPath& operator=(const DomainPath&) = delete;

  Tick latency() const { return latency_; }
  /// "system.gpu0.fabric to system.gpu1.fabric"
  std::string ends() const { return from_ + " to " + to_; }

 protected:
  DomainPath(std::string from, Domain& sender, std::string to, Domain& receiver, Tick latency);
  virtual ~DomainPath();
  /// SC_ERROR "/tessera/core/lookahead" with the names of both ends if a message that is sent now
  /// may not arrive at `at`.
  void check(Tick at) const {
    if (unlikely(at < now() + latency_)) refuse(at);
  }
  /// Whether a message must wait for the end of the window.
  bool waits() const { return crosses_ && DomainRunner::instance().window_runs_; }

 private:
  friend class DomainRunner;
  [[noreturn]] void refuse(Tick at) const;
  /// At the end of a window: hands the messages to the receiver.
  virtual void deliver() = 0;

  const std::string from_;
  const std::string to_;
  const Tick latency_;
  const bool crosses_;  ///< the ends are in different domains
};

/// A one-way path of messages between parts of the model that can be in different domains. It is
/// the only way from one domain that runs ahead to another. No message arrives earlier than
/// `latency` after it was sent.
template <class Message>
class DomainLink final : public DomainPath {
 public:
  /// Enqueues a message at the receiver, which sorts by arrival time and a port of this link, and
  /// wakes the receiver's process. It must not read the present time, nor act.
  using Enqueue = std::function<void(Tick at, Message&& message)>;

  /// `from`, `to`: names of the ends, for messages. `latency`: in ticks; 0 is allowed within one
  /// domain, and between domains of which none runs ahead.
  DomainLink(std::string from, Domain& sender, std::string to, Domain& receiver, Tick latency,
             Enqueue enqueue)
      : DomainPath(std::move(from), sender, std::move(to), receiver, latency),
        enqueue_(std::move(enqueue)) {}

  /// Sends a message that arrives at `at`, now + latency() or later. Called by the sending domain.
  void send(Tick at, Message message) {
    check(at);
    if (waits()) {
      sent_.push_back({at, std::move(message)});
    } else {
      enqueue_(at, std::move(message));
    }
  }

 private:
  struct Sent {
    Tick at = 0;
    Message message;
  };

  void deliver() override {
    for (Sent& s : sent_) enqueue_(s.at, std::move(s.message));
    sent_.clear();
  }

  const Enqueue enqueue_;
  std::vector<Sent> sent_;  ///< since the window began
};

}  // namespace tessera
