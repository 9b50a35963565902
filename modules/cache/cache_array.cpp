// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/cache_array.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "modules/kernel/unlikely.h"

namespace tessera {

namespace {

std::uint32_t checked_ways(std::uint32_t ways) {
  if (ways >= 1 && ways <= CacheArray::kMaxWays) return ways;
  throw std::invalid_argument("a cache has 1 to 64 ways");
}

constexpr std::uint64_t low_bits(unsigned n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

}  // namespace

CacheArray::CacheArray(std::uint32_t sets, std::uint32_t ways, std::uint32_t line_bytes,
                       Bytes bytes, const PolicyChoice<CacheReplacement>& replacement)
    : sets_(sets),
      ways_(checked_ways(ways)),
      line_bytes_(line_bytes),
      per_byte_((ways + 7) / 8),
      order_(bytes == Bytes::kPerByte ? kOther + 1 : kLocked + 1),
      signatures_(order_ + per_byte_),
      stride_(signatures_ + per_byte_),
      power_of_two_((sets & (sets - 1)) == 0),
      by_ways_((std::uint64_t{1} << 32) / ways + 1),
      reciprocal_(~std::uint64_t{0} / sets + 1),
      words_(std::size_t{sets} * stride_),
      lines_(std::size_t{sets} * ways),
      replacement_(replacement.make({sets, ways})),
      whole_line_(ByteMask::first(line_bytes)) {
  invalidate_all();
}

CacheArray::Way CacheArray::victim(std::uint64_t index) const {
  const std::uint32_t set = set_of(index);
  const std::uint64_t* const words = words_of(set);
  const std::uint64_t empty = ~words[kOccupied] & low_bits(ways_);
  if (empty != 0) return set * ways_ + static_cast<Way>(__builtin_ctzll(empty));
  const std::uint64_t unlocked = ~words[kLocked] & low_bits(ways_);
  return unlocked == 0 ? kNone : set * ways_ + replacement_->victim(words + order_, unlocked);
}

std::uint32_t CacheArray::unlocked(std::uint64_t index) const {
  return ways_ - static_cast<std::uint32_t>(__builtin_popcountll(words_of(set_of(index))[kLocked]));
}

void CacheArray::install(Way f, std::uint64_t line) {
  const bool evicted = occupied(f);
  invalidate(f);
  const std::uint32_t way = number_in_set(f);
  std::uint64_t* const words = words_of(set_of_way(f));
  words[kOccupied] |= std::uint64_t{1} << way;
  std::uint64_t& signatures = words[signatures_ + way / 8];
  const unsigned at = way % 8 * 8;
  signatures = (signatures & ~(std::uint64_t{0xff} << at)) | signature(line) << at;
  lines_[f] = line;
  replacement_->insert(words + order_, way, evicted);
}

void CacheArray::invalidate(Way f) {
  std::uint64_t* const words = words_of(set_of_way(f));
  const std::uint64_t others = ~(std::uint64_t{1} << number_in_set(f));
  for (std::uint32_t mask = kOccupied; mask < order_; ++mask) words[mask] &= others;
}

void CacheArray::invalidate_all() {
  std::fill(words_.begin(), words_.end(), 0);
  for (std::uint32_t set = 0; set < sets_; ++set) replacement_->reset(words_of(set) + order_);
}

void CacheArray::set_state(Way f, const State& state) {
  const bool clean = state.dirty.none();
  const bool whole = clean && state.valid == whole_line_;
  const bool other = !whole && !(clean && state.valid.none());
  mark(f, kWholeLine, whole);
  mark(f, kOther, other);
  if (!other) return;
  if (unlikely(states_.empty())) states_.resize(lines_.size());
  states_[f] = state;
}

unsigned char* CacheArray::data(Way f) {
  if (!data_) data_ = std::make_unique<unsigned char[]>(lines_.size() * line_bytes_);
  return data_.get() + std::size_t{f} * line_bytes_;
}

}  // namespace tessera
