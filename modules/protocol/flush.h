// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>

#include "common/ids.h"

namespace tessera {

/// A cache that can invalidate all its lines.
class FlushIf : public virtual sc_core::sc_interface {
 public:
  /// Takes effect at the cache's next clock edge.
  virtual void flush() = 0;
};

/// A write-back cache that can write back all dirty lines and invalidate all lines.
class SliceFlushIf : public virtual sc_core::sc_interface {
 public:
  /// Begins at the cache's next clock edge. Calls `done` once, when the last write-back has been
  /// acknowledged. The cache must have no access in flight until then, unless it is a block of a
  /// coherent hierarchy. `launch`: for which the write-backs are counted.
  virtual void flush(LaunchSlot launch, std::function<void()> done) = 0;
  /// Writes back the dirty bytes of copies of other nodes' lines, which stay, from the cache's next
  /// clock edge on. Calls `done` once, when these write-backs and the ones before them have been
  /// acknowledged. Accesses can be in flight. A cache without such bytes calls it at once.
  virtual void write_back_copies(LaunchSlot /*launch*/, std::function<void()> done) {
    const std::function<void()> call = std::move(done);
    call();
  }
  /// Whether the cache holds state that must be flushed at the end of a kernel.
  virtual bool needs_flush() const { return true; }
  /// Invalidates copies of other nodes' lines at the cache's next clock edge, because an SM that
  /// uses the cache has issued a fence, or a kernel has ended. Of a copy with dirty bytes, the
  /// other bytes. Accesses can be in flight. No effect on a cache without copies.
  virtual void drop_copies() {}
};

/// A cache that can invalidate the lines of a migrated page.
class PageDropIf {
 public:
  virtual ~PageDropIf() = default;
  /// Invalidates the lines of [address, address + bytes) immediately, without write-back: the page
  /// has been copied, and its old frame can be allocated to another page. No access to these lines
  /// can be in flight.
  virtual void drop_page(std::uint64_t address, std::uint64_t bytes) = 0;
  /// Whether a fetch or a write-back of a line of [address, address + bytes) has not been
  /// acknowledged. Changes no state.
  virtual bool page_in_flight(std::uint64_t address, std::uint64_t bytes) const = 0;
};

}  // namespace tessera
