// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/gdb_listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "common/error.h"

namespace tessera {

GdbListener::GdbListener(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  const int on = 1;
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ >= 0) setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (socket_ < 0 || bind(socket_, generic, bytes) != 0 || listen(socket_, 1) != 0 ||
      getsockname(socket_, generic, &bytes) != 0) {
    const std::string why = std::strerror(errno);
    if (socket_ >= 0) close(socket_);
    throw InputError("no debugger can connect to port " + std::to_string(port) + ": " + why);
  }
  port_ = ntohs(address.sin_port);
}

GdbListener::~GdbListener() { close(socket_); }

int GdbListener::accept(int timeout_ms) {
  pollfd file{socket_, POLLIN, 0};
  if (poll(&file, 1, timeout_ms) <= 0) return -1;
  const int connected = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connected < 0) return -1;
  const int on = 1;
  setsockopt(connected, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return connected;
}

}  // namespace tessera
