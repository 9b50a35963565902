// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "modules/core/byte_mask.h"

namespace tessera {

/// The bytes of one DRAM channel: zero until written. A chunk is taken from the host when it is
/// first written, and committed page by page: both address space and memory go with what is
/// touched.
class BackingStore {
 public:
  /// `bytes`: capacity, 1 or more.
  explicit BackingStore(std::uint64_t bytes) : bytes_(bytes) {}
  BackingStore(const BackingStore&) = delete;
  BackingStore& operator=(const BackingStore&) = delete;

  std::uint64_t size() const { return bytes_; }
  /// Whether [address, address + bytes) lies inside.
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return bytes <= bytes_ && address <= bytes_ - bytes;
  }

  // The range must lie inside. Writes throw std::bad_alloc when the host has no memory left.
  void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes);
  void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes);
  /// Writes the masked bytes of a line of at most kMaxLineBytes, aligned to its size.
  void write_masked(std::uint64_t address, const unsigned char* from, ByteMask mask,
                    unsigned line_bytes);
  /// Every byte is zero again; memory goes back to the host.
  void reset();

 private:
  static constexpr unsigned kChunkBits = 20;
  static constexpr std::uint64_t kChunk = std::uint64_t{1} << kChunkBits;
  struct Free {
    void operator()(unsigned char* p) const { std::free(p); }
  };

  /// Where an address is written; its chunk is there from now on.
  unsigned char* at(std::uint64_t address) {
    const std::uint64_t chunk = address >> kChunkBits;
    if (chunk >= chunks_.size() || chunks_[chunk] == nullptr) add(chunk);
    return chunks_[chunk].get() + (address & (kChunk - 1));
  }
  void add(std::uint64_t chunk);

  std::uint64_t bytes_;
  std::vector<std::unique_ptr<unsigned char, Free>> chunks_;
};

}  // namespace tessera
