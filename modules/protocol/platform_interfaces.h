// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera {

/// A block that caches translations of several SMs, as an L2 TLB.
class TranslationsIf {
 public:
  virtual ~TranslationsIf() = default;
  /// Invalidates all entries at once, because mappings have changed.
  virtual void invalidate_all() = 0;
  /// Invalidates the entries of one virtual page at once, of all requesters.
  virtual void invalidate_page(std::uint64_t virtual_page) = 0;
};

/// A block that moves pages.
class MovesPagesIf {
 public:
  virtual ~MovesPagesIf() = default;
  /// Whether a shootdown or a transfer is in progress, which takes its time without activity of
  /// other blocks.
  virtual bool moving() const = 0;
};

/// A block that must know of the end of a kernel after which no other runs.
class KernelEndIf {
 public:
  virtual ~KernelEndIf() = default;
  virtual void kernel_ended() = 0;
};

}  // namespace tessera
