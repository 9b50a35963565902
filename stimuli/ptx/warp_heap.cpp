// SPDX-License-Identifier: Apache-2.0
// malloc and free in device code: the lanes of a warp in ascending order.

#include <cstdio>

#include "stimuli/ptx/device_heap.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

unsigned first_lane(std::uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }

}  // namespace

void Warp::heap_call(const Decoded& d, std::uint32_t mask) {
  DeviceHeap* heap = launch_.memory().heap;
  if (heap == nullptr) fail(first_lane(mask), "this device has no heap");
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const std::uint64_t value = argument(d.slot[1], lane, 8);
    if (d.action == Action::kMalloc) {
      const Address block = heap->allocate(value);
      __builtin_memcpy(frame_.at(d.slot[0]) + std::size_t{lane} * frame_.local_stride, &block,
                       sizeof block);
    } else if (value != 0 && !heap->release(value)) {
      char text[24];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
      fail(lane, std::string("free of ") + text +
                     ": malloc gave no block that begins there, or it has been freed already");
    }
  }
}

}  // namespace tessera::ptx
