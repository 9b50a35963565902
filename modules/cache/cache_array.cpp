// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/cache_array.h"

#include <algorithm>
#include <cstddef>

namespace tessera {

CacheArray::CacheArray(std::uint32_t sets, std::uint32_t ways, std::uint32_t line_bytes)
    : sets_(sets),
      ways_(ways),
      line_bytes_(line_bytes),
      power_of_two_((sets & (sets - 1)) == 0),
      tags_(std::size_t{sets} * ways, kNoLine),
      last_use_(tags_.size()),
      locked_(tags_.size()),
      valid_(tags_.size()),
      dirty_(tags_.size()) {}

CacheArray::Frame CacheArray::victim(std::uint64_t index) const {
  const std::uint32_t first = set_of(index) * ways_;
  Frame best = kNone;
  for (Frame f = first; f < first + ways_; ++f) {
    if (tags_[f] == kNoLine) return f;
    if (locked_[f] == 0 && (best == kNone || last_use_[f] < last_use_[best])) best = f;
  }
  return best;
}

void CacheArray::install(Frame f, std::uint64_t line) {
  tags_[f] = line;
  locked_[f] = 0;
  valid_[f] = ByteMask{};
  dirty_[f] = ByteMask{};
  touch(f);
}

void CacheArray::invalidate(Frame f) {
  tags_[f] = kNoLine;
  locked_[f] = 0;
  valid_[f] = ByteMask{};
  dirty_[f] = ByteMask{};
}

void CacheArray::invalidate_all() {
  std::fill(tags_.begin(), tags_.end(), kNoLine);
  std::fill(locked_.begin(), locked_.end(), std::uint8_t{0});
  std::fill(valid_.begin(), valid_.end(), ByteMask{});
  std::fill(dirty_.begin(), dirty_.end(), ByteMask{});
}

unsigned char* CacheArray::data(Frame f) {
  if (!data_) data_ = std::make_unique<unsigned char[]>(tags_.size() * line_bytes_);
  return data_.get() + std::size_t{f} * line_bytes_;
}

}  // namespace tessera
