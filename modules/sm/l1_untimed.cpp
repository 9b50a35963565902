// SPDX-License-Identifier: Apache-2.0
// An L1's loosely timed and debug transport.
#include "modules/kernel/sc_time.h"
#include "modules/sm/l1_cache.h"

namespace tessera {

void L1Cache::blocking(Payload& payload, sc_core::sc_time& delay) {
  if (check_.refuse_blocking(core, payload)) return;
  delay += to_sc_time(clock_.time_of(config_.latency_cycles));
  memory->b_transport(payload, delay);
  if (payload.is_read() || failed(payload)) return;
  refresh_copy(*this, line_of(payload) << line_shift_, config_.line_bytes,
               [this](Payload& line) { return memory->transport_dbg(line); });
}

unsigned L1Cache::debug(Payload& payload) {
  return PayloadCheck::admits_debug(payload) ? untimed_->access_debug(payload) : 0;
}

void L1Cache::replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) {
  const std::uint64_t line = address >> line_shift_;
  mshr_.for_each_of(line, [&](Misses::Entry& e) {
    if (!request_of(*e.fetch).carries_data) return;
    copy_masked(e.fetch->get_data_ptr(), bytes, mask, config_.line_bytes);
  });
  for (CacheArray* const array : {&array_, scalar_.get()}) {
    if (array == nullptr || !array->has_data()) continue;
    const CacheArray::Way f = array->find(line, line);
    if (f != CacheArray::kNone) copy_masked(array->data(f), bytes, mask, config_.line_bytes);
  }
}

}  // namespace tessera
