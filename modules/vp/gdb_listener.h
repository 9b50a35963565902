// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera {

/// A TCP port of 127.0.0.1 for debuggers.
class GdbListener {
 public:
  /// 0: the operating system chooses a port. Throws InputError if the port is in use.
  explicit GdbListener(std::uint16_t port);
  ~GdbListener();
  GdbListener(const GdbListener&) = delete;
  GdbListener& operator=(const GdbListener&) = delete;

  std::uint16_t port() const { return port_; }
  /// The socket of a debugger that connects within a time in ms; negative if none does.
  int accept(int timeout_ms);

 private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace tessera
