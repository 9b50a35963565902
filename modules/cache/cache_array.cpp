// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/cache_array.h"

#include <algorithm>
#include <cstddef>

namespace tessera {

CacheArray::CacheArray(std::uint32_t sets, std::uint32_t ways, std::uint32_t line_bytes,
                       Bytes bytes)
    : sets_(sets),
      ways_(ways),
      line_bytes_(line_bytes),
      power_of_two_((sets & (sets - 1)) == 0),
      reciprocal_(~std::uint64_t{0} / sets + 1),
      tags_(std::size_t{sets} * ways),
      summaries_(bytes == Bytes::kEach ? tags_.size() : 0, Summary::kEmpty),
      states_(summaries_.size()) {}

CacheArray::Frame CacheArray::victim(std::uint64_t index) const {
  const std::uint32_t begin = set_of(index) * ways_;
  Frame best = begin;
  // An empty frame was never used, or its use was forgotten with its line.
  for (Frame f = begin + 1; f < begin + ways_; ++f) {
    if (tags_[f].last_use < tags_[best].last_use) best = f;
  }
  return tags_[best].last_use == kLocked ? kNone : best;
}

std::uint32_t CacheArray::unlocked(std::uint64_t index) const {
  const std::uint32_t begin = set_of(index) * ways_;
  std::uint32_t n = 0;
  for (Frame f = begin; f < begin + ways_; ++f) n += locked(f) ? 0 : 1;
  return n;
}

void CacheArray::install(Frame f, std::uint64_t line) {
  tags_[f].line = line;
  if (!summaries_.empty()) summaries_[f] = Summary::kEmpty;
  touch(f);
}

void CacheArray::invalidate(Frame f) {
  tags_[f] = Tag{};
  if (!summaries_.empty()) summaries_[f] = Summary::kEmpty;
}

void CacheArray::invalidate_all() {
  std::fill(tags_.begin(), tags_.end(), Tag{});
  std::fill(summaries_.begin(), summaries_.end(), Summary::kEmpty);
}

void CacheArray::set_state(Frame f, const State& state) {
  if (state.dirty.none() && state.valid.none()) {
    summaries_[f] = Summary::kEmpty;
  } else if (state.dirty.none() && state.valid == ByteMask::first(line_bytes_)) {
    summaries_[f] = Summary::kWhole;
  } else {
    summaries_[f] = Summary::kOther;
    states_[f] = state;
  }
}

unsigned char* CacheArray::data(Frame f) {
  if (!data_) data_ = std::make_unique<unsigned char[]>(tags_.size() * line_bytes_);
  return data_.get() + std::size_t{f} * line_bytes_;
}

}  // namespace tessera
