// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "modules/cache/cache_array.h"

namespace tessera {

/// Which lines of a home slice the other side of an SM-side UBA may hold: a sparse directory, LRU.
/// Not told when the other side replaces a line, so it may name lines that have gone. (Ours; the
/// NUBA paper gives no coherence protocol for its SM-side baseline.)
class SnoopFilter {
 public:
  SnoopFilter(std::uint32_t sets, std::uint32_t ways)
      : tags_(sets, ways, 1, CacheArray::Bytes::kPerLine) {}

  /// The other side gets the line. Returns a line that had to give way: it must be invalidated
  /// there. `index` chooses the set.
  std::optional<std::uint64_t> add(std::uint64_t index, std::uint64_t line) {
    CacheArray::Frame f = tags_.find(index, line);
    if (f != CacheArray::kNone) {
      tags_.touch(f);
      return std::nullopt;
    }
    f = tags_.victim(index);
    std::optional<std::uint64_t> evicted;
    if (tags_.occupied(f)) evicted = tags_.line(f);
    tags_.install(f, line);
    return evicted;
  }

  /// The other side has lost the line, or is about to. True when it was named here.
  bool remove(std::uint64_t index, std::uint64_t line) {
    const CacheArray::Frame f = tags_.find(index, line);
    if (f == CacheArray::kNone) return false;
    tags_.invalidate(f);
    return true;
  }

  void clear() { tags_.invalidate_all(); }

 private:
  CacheArray tags_;
};

}  // namespace tessera
