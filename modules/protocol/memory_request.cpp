// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/memory_request.h"

#include <typeinfo>

#include "modules/kernel/report.h"
#include "modules/kernel/unlikely.h"
#include "modules/protocol/transaction_pool.h"

namespace tessera {

namespace {

[[gnu::cold, gnu::noinline]] void report_long_route() {
  SC_REPORT_FATAL(report::kRoute,
                  "a request passes more interconnects than MemoryRequest::kRouteBytes holds, or "
                  "one with more ports than MemoryRequest::kMaxPort");
}

[[gnu::noinline]] MemoryRequest& extension_of(tlm::tlm_generic_payload& payload) {
  MemoryRequest* request = payload.get_extension<MemoryRequest>();
  if (request == nullptr) {
    SC_REPORT_FATAL(report::kMissingExtension,
                    "a payload without a MemoryRequest extension reached a Tessera block: take "
                    "payloads from a TransactionPool, or attach the extension");
  }
  return *request;
}

}  // namespace

// A port's last byte says by its top bit whether there is another byte before it.
constexpr std::uint32_t kShort = 0x80;

void MemoryRequest::push_route(std::uint32_t port) {
  const unsigned bytes = port < kShort ? 1 : 2;
  if (unlikely(route_bytes_ + bytes > kRouteBytes || port > kMaxPort)) {
    report_long_route();
    return;
  }
  if (bytes == 1) {
    route_[route_bytes_++] = static_cast<std::uint8_t>(port);
    return;
  }
  route_[route_bytes_++] = static_cast<std::uint8_t>(port);
  route_[route_bytes_++] = static_cast<std::uint8_t>(port >> 8 | kShort);
}

std::uint16_t MemoryRequest::pop_route() {
  sc_assert(route_bytes_ > 0);
  const std::uint32_t last = route_[--route_bytes_];
  if (last < kShort) return static_cast<std::uint16_t>(last);
  return static_cast<std::uint16_t>((last & (kShort - 1)) << 8 | route_[--route_bytes_]);
}

MemoryRequest& request_of(tlm::tlm_generic_payload& payload) {
  // A pooled payload has its request inside: no way round through the extension table.
  if (unlikely(&typeid(payload) != &typeid(Transaction))) return extension_of(payload);
  return static_cast<Transaction&>(payload).request();
}

ByteMask byte_mask_of(const tlm::tlm_generic_payload& payload) {
  const unsigned length = payload.get_data_length();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) return ByteMask::first(length);
  ByteMask mask;
  const unsigned enable_length = payload.get_byte_enable_length();
  if (enable_length == length && length % 8 == 0) {
    // Eight enables at a time: the low bit of each byte is gathered by a multiplication.
    for (unsigned i = 0; i < length; i += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, enables + i, 8);
      const std::uint64_t bits = ((eight & 0x0101010101010101U) * 0x0102040810204080U) >> 56;
      (i < 64 ? mask.low : mask.high) |= bits << (i % 64);
    }
    return mask;
  }
  for (unsigned i = 0; i < length; ++i) {
    if (enables[i % enable_length] != 0) mask |= ByteMask::range(i, 1);
  }
  return mask;
}

}  // namespace tessera
