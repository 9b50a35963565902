// SPDX-License-Identifier: Apache-2.0
#include "rtl/common/untimed_axi4.h"

#include <algorithm>

namespace tessera {

namespace {

Axi4Address beat_at(const Design& design, std::uint64_t address) {
  Axi4Address a;
  a.size = design.above_shape.max_size();
  a.addr = address / design.above_shape.data_bytes * design.above_shape.data_bytes;
  return a;
}

/// Clocks the design until its response has transferred.
template <class Response>
bool transfer(Design& design, Response& response) {
  Axi4Pins& pins = design.axi4_above;
  response.ready = true;
  for (unsigned cycle = 0; cycle < kUntimedLimit; ++cycle) {
    const bool aw = pins.aw.ready;
    const bool w = pins.w.ready;
    const bool ar = pins.ar.ready;
    const bool done = response.valid;
    const Response transferred = response;
    design.step(now());
    if (aw) pins.aw.valid = false;
    if (w) pins.w.valid = false;
    if (ar) pins.ar.valid = false;
    if (!done) continue;
    response = transferred;
    response.ready = response.valid = false;
    return response.resp == Axi4Response::kOkay;
  }
  response.ready = false;
  pins.aw.valid = pins.w.valid = pins.ar.valid = false;
  return false;
}

}  // namespace

bool untimed_read(Design& design, std::uint64_t address, unsigned char* to, unsigned bytes) {
  Axi4Pins& pins = design.axi4_above;
  const unsigned width = design.above_shape.data_bytes;
  for (unsigned done = 0; done < bytes;) {
    const auto lane = static_cast<unsigned>((address + done) % width);
    const unsigned count = std::min(width - lane, bytes - done);
    static_cast<Axi4Address&>(pins.ar) = beat_at(design, address + done);
    pins.ar.valid = true;
    if (!transfer(design, pins.r)) return false;
    std::copy_n(pins.r.data.begin() + lane, count, to + done);
    done += count;
  }
  return true;
}

bool untimed_write(Design& design, std::uint64_t address, const unsigned char* from,
                   const unsigned char* enables, unsigned bytes) {
  Axi4Pins& pins = design.axi4_above;
  const unsigned width = design.above_shape.data_bytes;
  for (unsigned done = 0; done < bytes;) {
    const auto lane = static_cast<unsigned>((address + done) % width);
    const unsigned count = std::min(width - lane, bytes - done);
    static_cast<Axi4Address&>(pins.aw) = beat_at(design, address + done);
    pins.w.strobe = {};
    pins.w.data.fill(0);
    for (unsigned i = 0; i < count; ++i) {
      if (enables != nullptr && enables[done + i] == 0) continue;
      pins.w.strobe |= ByteMask::range(lane + i, 1);
      pins.w.data[lane + i] = from[done + i];
    }
    pins.w.last = true;
    pins.aw.valid = pins.w.valid = true;
    if (!transfer(design, pins.b)) return false;
    done += count;
  }
  return true;
}

}  // namespace tessera
