// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace tessera {

struct MemoryRequest;

/// Routing functions of a network. The result is the index of an exit (egress) port.
struct NocRouting {
  /// For requests with a known home; called once per request, at the entry.
  std::function<unsigned(const MemoryRequest&)> by_request;
  /// For all other accesses: requests without a decoded home, debug accesses and b_transport calls
  /// without an extension. If empty, these accesses get an error response.
  std::function<unsigned(std::uint64_t address)> by_address;
};

}  // namespace tessera
