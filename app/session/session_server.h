// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace tessera {
class SessionChannel;
}  // namespace tessera

namespace tessera::app {

/// HTTP server of a virtual platform's session, in a thread of its own: one web page, and the
/// documents of docs/guide/virtual-platform.md, "Session". It listens at 127.0.0.1 only, refuses
/// requests whose Host is another name (so that a page from elsewhere cannot reach it by DNS), and
/// POSTs without the content type application/json (which such a page cannot send).
class SessionServer {
 public:
  /// `port`: 0 for a free one. Throws InputError if the port cannot be used.
  SessionServer(std::uint16_t port, SessionChannel& channel);
  /// Closes the channel, sends the answers that are there, and ends the thread.
  ~SessionServer();
  SessionServer(SessionServer&& other) noexcept;

  std::uint16_t port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::app
