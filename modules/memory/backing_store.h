// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/core/byte_mask.h"

namespace tessera {

/// The bytes of one DRAM channel: zero until written. Address space is reserved at the first
/// access and memory committed page by page by the host, so that a channel of which little is
/// touched costs little.
class BackingStore {
 public:
  /// `bytes`: capacity, 1 or more.
  explicit BackingStore(std::uint64_t bytes) : bytes_(bytes) {}
  ~BackingStore();
  BackingStore(const BackingStore&) = delete;
  BackingStore& operator=(const BackingStore&) = delete;

  std::uint64_t size() const { return bytes_; }
  /// Whether [address, address + bytes) lies inside.
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return bytes <= bytes_ && address <= bytes_ - bytes;
  }

  // The range must lie inside. Throw std::runtime_error when the host has no address space left.
  void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes);
  void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes);
  /// Writes the masked bytes of a line of at most kMaxLineBytes.
  void write_masked(std::uint64_t address, const unsigned char* from, ByteMask mask,
                    unsigned line_bytes);
  /// Every byte is zero again; memory goes back to the host.
  void reset();

 private:
  unsigned char* data() { return data_ != nullptr ? data_ : map(); }
  unsigned char* map();

  std::uint64_t bytes_;
  unsigned char* data_ = nullptr;
};

}  // namespace tessera
