// SPDX-License-Identifier: Apache-2.0
// malloc and free in device code, executed for the lanes of a warp in ascending order.

#include "stimuli/ptx/device_heap.h"
#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

void Warp::heap_call(const Decoded& d, std::uint32_t mask) {
  DeviceHeap* heap = launch_.memory().heap;
  if (heap == nullptr) fail(first_lane(mask), "this device has no heap");
  for_lanes(mask, [&](unsigned lane) {
    const std::uint64_t value = argument(d.slot[1], lane, 8);
    if (d.action == Action::kMalloc) {
      const Address block = heap->allocate(value);
      __builtin_memcpy(frame_.at(d.slot[0]) + std::size_t{lane} * frame_.local_stride, &block,
                       sizeof block);
    } else if (value != 0 && !heap->release(value)) {
      fail(lane, "free of " + hex(value) +
                     ": malloc gave no block that begins there, or it has been freed already");
    }
  });
}

}  // namespace tessera::ptx
