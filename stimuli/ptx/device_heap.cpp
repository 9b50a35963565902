// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/device_heap.h"

#include <algorithm>

namespace tessera::ptx {

DeviceHeap::DeviceHeap(Address begin, std::uint64_t bytes) : bytes_(bytes) {
  if (bytes != 0) free_[begin] = bytes;
}

Address DeviceHeap::allocate(std::uint64_t bytes) {
  if (bytes > bytes_) return 0;  // also prevents overflow of the rounding
  const std::uint64_t needed =
      std::max<std::uint64_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
  const auto fits = std::find_if(free_.begin(), free_.end(),
                                 [&](const auto& block) { return block.second >= needed; });
  if (fits == free_.end()) return 0;
  const auto [begin, size] = *fits;
  free_.erase(fits);
  if (size > needed) free_[begin + needed] = size - needed;
  live_[begin] = needed;
  used_ += needed;
  return begin;
}

bool DeviceHeap::release(Address address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  std::uint64_t bytes = found->second;
  used_ -= bytes;
  live_.erase(found);
  // Merge with adjacent free blocks.
  auto next = free_.lower_bound(address);
  if (next != free_.end() && next->first == address + bytes) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address) {
      before->second += bytes;
      return true;
    }
  }
  free_[address] = bytes;
  return true;
}

}  // namespace tessera::ptx
