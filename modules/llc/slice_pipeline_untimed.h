// SPDX-License-Identifier: Apache-2.0
#pragma once

// SlicePipeline's untimed transport, observers, page invalidation and statistics. Included by
// modules/llc/slice_pipeline.h.

#include "modules/kernel/sc_time.h"
#include "modules/llc/slice_observer.h"
#include "modules/llc/slice_pipeline.h"

namespace tessera {

/// Loosely timed access: allocates no way and adds up the latencies of the path. untimed() provides
/// the values.
template <class Role>
void SlicePipeline<Role>::blocking(int port, Payload& payload, sc_core::sc_time& delay) {
  const sc_core::sc_object& socket = in[static_cast<unsigned>(port)];
  if (check_.refuse_blocking(socket, payload)) return;
  const Home home = map_.locate(payload.get_address());
  if (!role_.serves(home)) {
    check_.response(socket, payload, PayloadFault::kHome);
    return;
  }
  const CacheArray::Way f = way_at(payload.get_address());
  const bool whole = f != CacheArray::kNone && array_.valid(f).contains(array_.whole_line());
  const auto* request = payload.get_extension<MemoryRequest>();
  if (!role_.owns(home) &&
      (!payload.is_read() || !whole || (request != nullptr && role_.must_reach_home(*request)))) {
    pass_untimed(payload, delay);
    return;
  }
  delay += to_sc_time(clock_.time_of(config_.latency_cycles));
  if (!whole) {
    // The probe only measures the channel's latency.
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
  untimed().access(payload);
}

/// Forwards an untimed access to the line's home. Newer bytes in this slice are settled before; a
/// copy in this slice is refreshed after a write.
template <class Role>
void SlicePipeline<Role>::pass_untimed(Payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = line_of(payload) << line_shift_;
  if (holds_newer(address)) untimed().settle(address);
  if (role_.is_foreign(map_.locate(address))) {
    remote->b_transport(payload, delay);
  } else {
    memory->b_transport(payload, delay);
  }
  if (payload.is_read() || failed(payload)) return;
  refresh_copy(*this, address, config_.line_bytes,
               [this](Payload& line) { return debug_below(line); });
}

template <class Role>
unsigned SlicePipeline<Role>::debug_below(Payload& payload) {
  return role_.is_foreign(map_.locate(payload.get_address())) ? remote->transport_dbg(payload)
                                                              : memory->transport_dbg(payload);
}

template <class Role>
void SlicePipeline<Role>::notify(const Access& a, bool leaving) {
  const AccessOrigin origin = leaving || !role_.owns(a.request->home())
                                  ? AccessOrigin::kRemoteLeaving
                              : local(a) ? AccessOrigin::kLocal
                                         : AccessOrigin::kRemoteArriving;
  const ObservedAccess access{origin, a.payload->get_address(), *a.request};
  for (SliceObserver* o : observers_) o->on_access(access);
}

template <class Role>
void SlicePipeline<Role>::drop_page(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t at = address; at < address + bytes; at += config_.line_bytes) {
    const CacheArray::Way f = way_at(at);
    if (f != CacheArray::kNone) array_.invalidate(f);
  }
}

template <class Role>
bool SlicePipeline<Role>::page_in_flight(std::uint64_t address, std::uint64_t bytes) const {
  for (const Payload* w : writes_) {
    if (w->get_address() >= address && w->get_address() < address + bytes) return true;
  }
  for (std::uint64_t at = address; at < address + bytes; at += config_.line_bytes) {
    const CacheArray::Way f = way_at(at);
    if (f != CacheArray::kNone && array_.locked(f)) return true;
  }
  return false;
}

template <class Role>
void SlicePipeline<Role>::register_statistics(StatisticsRegistry& registry) const {
  LlcSlice::register_statistics(registry);
  registry.counters(name(), array_.replacement().counters());
  role_.register_statistics(registry);
}

}  // namespace tessera
