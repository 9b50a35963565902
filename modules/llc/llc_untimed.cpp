// SPDX-License-Identifier: Apache-2.0
// A slice's loosely timed and debug transport.
#include <algorithm>
#include <array>

#include "modules/llc/llc_slice.h"

namespace tessera {

void LlcSlice::blocking(int port, Payload& payload, sc_core::sc_time& delay) {
  const sc_core::sc_object& socket = in[static_cast<unsigned>(port)];
  if (check_.refuse_blocking(socket, payload)) return;
  if (!serves(map_.locate(payload.get_address()))) {
    check_.response(socket, payload, PayloadFault::kHome);
    return;
  }
  if (is_remote_cache()) {
    blocking_remote(payload, delay);
    return;
  }
  // Loosely timed: values where they are, no allocation, the latencies added up.
  const std::uint64_t line = line_of(payload);
  const Location home = map_.locate(payload.get_address());
  const CacheArray::Frame f = array_.find(home.slice_line, line);
  if (role_.caching != nullptr && home.slice != role_.self) {
    if (payload.is_write() && f != CacheArray::kNone) array_.invalidate(f);
    remote->b_transport(payload, delay);
    return;
  }
  delay += to_sc_time(clock_.time_of(config_.latency_cycles));
  if (f == CacheArray::kNone || !array_.valid(f).contains(array_.whole_line())) {
    sc_core::sc_time below = sc_core::SC_ZERO_TIME;
    Payload probe;
    unsigned char byte = 0;
    probe.set_read();
    probe.set_address(payload.get_address());
    probe.set_data_ptr(&byte);
    probe.set_data_length(1);
    probe.set_streaming_width(1);
    memory->b_transport(probe, below);
    delay += below;
  }
  payload.set_response_status(access_enabled(payload) ? tlm::TLM_OK_RESPONSE
                                                      : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

/// An untimed access by its byte enables, which debug() does not look at. False: memory refused it.
bool LlcSlice::access_enabled(Payload& payload) {
  const unsigned length = payload.get_data_length();
  if (payload.get_byte_enable_ptr() == nullptr) return debug(0, payload) == length;
  std::array<unsigned char, kMaxLineBytes> bytes{};
  Payload whole;
  whole.set_read();
  whole.set_address(payload.get_address());
  whole.set_data_ptr(bytes.data());
  whole.set_data_length(length);
  whole.set_streaming_width(length);
  if (debug(0, whole) != length) return false;
  const ByteMask mask = byte_mask_of(payload);
  if (payload.is_read()) {
    copy_masked(payload.get_data_ptr(), bytes.data(), mask, length);
    return true;
  }
  copy_masked(bytes.data(), payload.get_data_ptr(), mask, length);
  whole.set_write();
  return debug(0, whole) == length;
}

unsigned LlcSlice::debug(int, Payload& payload) {
  if (!PayloadCheck::admits_debug(payload)) return 0;
  const std::uint64_t address = payload.get_address();
  const Location home = map_.locate(address);
  const std::uint64_t line = address / config_.line_bytes;
  const CacheArray::Frame f = array_.find(index_of(home), line);
  if (role_.caching != nullptr && home.slice != role_.self) {
    // The home has the newest bytes; a copy that is written behind its back goes.
    if (payload.is_write() && f != CacheArray::kNone) array_.invalidate(f);
    return remote->transport_dbg(payload);
  }
  const unsigned done = memory->transport_dbg(payload);
  const unsigned offset = static_cast<unsigned>(address % config_.line_bytes);
  const unsigned length = std::min(done, config_.line_bytes - offset);
  const auto exchange = [&](const ByteMask& known, unsigned char* bytes) {
    for (unsigned i = 0; i < length; ++i) {
      if (!known.test(offset + i)) continue;
      unsigned char& cached = bytes[offset + i];
      unsigned char& given = payload.get_data_ptr()[i];
      (payload.is_write() ? cached : given) = payload.is_write() ? given : cached;
    }
  };
  // Bytes on their way to the channel are newer than its own; cached ones are newer still.
  for (Payload* w : writes_) {
    if (line_of(*w) != line) continue;
    exchange(byte_mask_of(*w), w->get_data_ptr());
  }
  if (f != CacheArray::kNone) exchange(array_.valid(f), array_.data(f));
  return length;
}

/// Loosely timed: a whole copy serves loads; whatever else goes on, and a copy gives way to it. No
/// access to the line may be under way in the other style.
void LlcSlice::blocking_remote(Payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t line = line_of(payload);
  const CacheArray::Frame f = array_.find(index_of(map_.locate(payload.get_address())), line);
  if (f != CacheArray::kNone) {
    sc_assert(!array_.locked(f));
    const auto* request = payload.get_extension<MemoryRequest>();
    const bool pass = !payload.is_read() || (request != nullptr && must_reach_home(*request));
    if (!pass && array_.valid(f).contains(array_.whole_line())) {
      delay += to_sc_time(clock_.time_of(config_.latency_cycles));
      payload.set_response_status(access_enabled(payload) ? tlm::TLM_OK_RESPONSE
                                                          : tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    write_back_debug(f);
    array_.invalidate(f);
  }
  memory->b_transport(payload, delay);
}

/// The dirty bytes of a frame, to memory at once.
void LlcSlice::write_back_debug(CacheArray::Frame frame) {
  if (!carried_) return;
  const ByteMask dirty = array_.dirty(frame);
  for (unsigned i = 0, end = 0; i < config_.line_bytes; i = end + 1) {
    end = i;
    while (end < config_.line_bytes && dirty.test(end)) ++end;
    if (end == i) continue;
    Payload run;
    run.set_write();
    run.set_address(array_.line(frame) * config_.line_bytes + i);
    run.set_data_ptr(array_.data(frame) + i);
    run.set_data_length(end - i);
    run.set_streaming_width(end - i);
    memory->transport_dbg(run);
  }
}

}  // namespace tessera
