// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "modules/cache/cache_array.h"

namespace tessera {

/// Records the lines of a home slice that the peer slice on the other side of an SM-side UBA can
/// hold: a sparse directory, LRU. The peer does not report replacements, so that the filter can
/// contain lines that the peer no longer holds. (Ours; the NUBA paper gives no coherence protocol
/// for its SM-side baseline.)
class SnoopFilter {
 public:
  SnoopFilter(std::uint32_t sets, std::uint32_t ways)
      : tags_(sets, ways, 1, CacheArray::Bytes::kPerLine) {}

  /// Records that the peer receives the line. Returns the line whose entry has been evicted, if
  /// any: the peer must invalidate it. `index` selects the set.
  std::optional<std::uint64_t> add(std::uint64_t index, std::uint64_t line) {
    CacheArray::Way f = tags_.find(index, line);
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

  /// Records that the peer no longer holds the line, or is about to drop it. Returns whether the
  /// filter contained the line.
  bool remove(std::uint64_t index, std::uint64_t line) {
    const CacheArray::Way f = tags_.find(index, line);
    if (f == CacheArray::kNone) return false;
    tags_.invalidate(f);
    return true;
  }

  void clear() { tags_.invalidate_all(); }

 private:
  CacheArray tags_;
};

}  // namespace tessera
