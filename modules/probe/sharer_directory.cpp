// SPDX-License-Identifier: Apache-2.0
#include "modules/probe/sharer_directory.h"

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
  const auto set = [&e](Mask& mask, bool on) {
    const std::uint64_t bit = std::uint64_t{1} << e.core % 64;
    std::uint64_t& word = mask[e.core / 64];
    word = on ? word | bit : word & ~bit;
  };
  switch (e.kind) {
    case Event::kFilled:
      set(holders_.try_emplace(e.line, Mask((cores_ + 63) / 64, 0)).first->second, true);
      break;
    case Event::kEvicted:
      if (const auto held = holders_.find(e.line); held != holders_.end()) set(held->second, false);
      break;
    case Event::kFlushed:
      for (auto& [line, mask] : holders_) set(mask, false);
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

void SharerDirectory::fence() {
  if (fence_at_ == now()) return;
  fence_ = fence_at_;
  fence_at_ = now();
}

bool SharerDirectory::supplies(Tick issued) {
  return issued > (fence_at_ < now() ? fence_at_ : fence_);
}

}  // namespace tessera
