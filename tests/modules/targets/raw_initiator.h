// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a foreign initiator may send: payloads that no pool has made, with any fault.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/sc_time.h"
#include "modules/kernel/time.h"
#include "modules/protocol/memory_request.h"

namespace tessera::test {

/// Counts payloads given back.
class CountingManager final : public tlm::tlm_mm_interface {
 public:
  void free(tlm::tlm_generic_payload*) override { ++freed; }
  unsigned freed = 0;
};

/// A payload of its own, whose buffers are exactly as long as it says: a byte too many is seen by
/// AddressSanitizer.
class RawPayload {
 public:
  RawPayload(CountingManager& mm, tlm::tlm_command command, std::uint64_t address, unsigned bytes)
      : data(bytes, 0x5A) {
    payload.set_mm(&mm);
    payload.acquire();
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    request.kind = command == tlm::TLM_READ_COMMAND ? RequestKind::kLoad : RequestKind::kStore;
    request.carries_data = true;
    request.useful_bytes = static_cast<std::uint16_t>(bytes);
    payload.set_extension(&request);
  }
  ~RawPayload() { payload.clear_extension(&request); }
  RawPayload(const RawPayload&) = delete;
  RawPayload& operator=(const RawPayload&) = delete;

  /// Another length, with a buffer for it.
  void resize(unsigned bytes) {
    data.resize(bytes == 0 ? 1 : bytes);
    payload.set_data_ptr(data.data());
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    request.useful_bytes = static_cast<std::uint16_t>(std::min(bytes, 4U));
  }

  std::vector<unsigned char> data;
  std::vector<unsigned char> enables;
  AtomicOperands operands;
  MemoryRequest request;
  tlm::tlm_generic_payload payload;
};

/// Calls a target directly, and ends its responses at once.
class RawInitiator final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<> socket;

  explicit RawInitiator(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time delay = to_sc_time(kDelay);
    return socket->nb_transport_fw(payload, phase, delay);
  }
  void blocking(tlm::tlm_generic_payload& payload) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) { return socket->transport_dbg(payload); }

  unsigned responses = 0;

 private:
  static constexpr Tick kDelay = 1'000'000;

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                                     sc_core::sc_time&) override {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    ++responses;
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

}  // namespace tessera::test
