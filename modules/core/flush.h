// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

namespace tessera {

/// A cache that can be told to drop its lines.
class FlushIf : public virtual sc_core::sc_interface {
 public:
  /// Takes effect at the cache's next clock edge.
  virtual void flush() = 0;
};

/// A write-back cache that can be told to write all dirty lines back and to drop every line.
class SliceFlushIf : public virtual sc_core::sc_interface {
 public:
  /// Begins at the cache's next clock edge; `done` is called, once, when the last write-back has
  /// been acknowledged. The cache must have no access under way until then.
  virtual void flush(std::function<void()> done) = 0;
  /// Whether it holds anything that must not outlive the kernel.
  virtual bool needs_flush() const { return true; }
};

/// A cache that can be told that a page has moved away.
class PageDropIf {
 public:
  virtual ~PageDropIf() = default;
  /// Drops the lines of [address, address + bytes), dirty ones too: nobody will ask for them, and
  /// the memory may soon be another page's. No access to them may be under way. At once.
  virtual void drop_page(std::uint64_t address, std::uint64_t bytes) = 0;
};

}  // namespace tessera
