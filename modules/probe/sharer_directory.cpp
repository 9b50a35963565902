// SPDX-License-Identifier: Apache-2.0
#include "modules/probe/sharer_directory.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace tessera {

void SharerDirectory::add(Event event) {
  settle();
  events_at_ = now();
  events_.push_back(event);
}

void SharerDirectory::settle() {
  if (events_.empty() || events_at_ == now()) return;
  for (const Event& e : events_) apply(e);
  events_.clear();
}

void SharerDirectory::apply(const Event& e) {
  const std::uint64_t bit = std::uint64_t{1} << e.core % 64;
  const std::size_t word = e.core / 64;
  // Removes the core, and a line that no core holds any more. Returns the next line.
  const auto drop = [&](auto held) {
    Mask& mask = held->second;
    mask[word] &= ~bit;
    const bool none = std::all_of(mask.begin(), mask.end(), [](std::uint64_t w) { return w == 0; });
    return none ? holders_.erase(held) : std::next(held);
  };
  switch (e.kind) {
    case Event::kFilled:
      holders_.try_emplace(e.line, Mask((cores_ + 63) / 64, 0)).first->second[word] |= bit;
      break;
    case Event::kEvicted:
      if (const auto held = holders_.find(e.line); held != holders_.end()) drop(held);
      break;
    case Event::kFlushed:
      for (auto held = holders_.begin(); held != holders_.end();) held = drop(held);
      break;
  }
}

std::vector<std::uint32_t> SharerDirectory::holders(std::uint64_t line, std::uint32_t core) {
  settle();
  std::vector<std::uint32_t> cores;
  const auto held = holders_.find(line);
  if (held == holders_.end()) return cores;
  for (std::uint32_t c = 0; c < cores_; ++c) {
    if (c != core && (held->second[c / 64] >> c % 64 & 1) != 0) cores.push_back(c);
  }
  return cores;
}

bool SharerDirectory::held_elsewhere(std::uint64_t line, std::uint32_t core) {
  settle();
  const auto held = holders_.find(line);
  if (held == holders_.end()) return false;
  for (std::size_t word = 0; word < held->second.size(); ++word) {
    const std::uint64_t own = core / 64 == word ? std::uint64_t{1} << core % 64 : 0;
    if ((held->second[word] & ~own) != 0) return true;
  }
  return false;
}

void SharerDirectory::fence() {
  if (fence_at_ == now()) return;
  fence_ = fence_at_;
  fence_at_ = now();
}

bool SharerDirectory::supplies(Tick issued) {
  return issued > (fence_at_ < now() ? fence_at_ : fence_);
}

}  // namespace tessera
