// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "modules/protocol/byte_mask.h"

namespace tessera {

/// The bytes of one DRAM channel. All bytes are zero until they are written. The first write to a
/// chunk allocates the chunk's address space on the host; the host commits its memory page by page.
/// Address space and memory are therefore proportional to the bytes that a run touches.
class BackingStore {
 public:
  /// `bytes`: capacity, 1 or more.
  explicit BackingStore(std::uint64_t bytes) : bytes_(bytes) {}
  BackingStore(const BackingStore&) = delete;
  BackingStore& operator=(const BackingStore&) = delete;

  std::uint64_t size() const { return bytes_; }
  /// Whether [address, address + bytes) is within the capacity.
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return bytes <= bytes_ && address <= bytes_ - bytes;
  }

  // The range must be within the capacity. Writes throw std::bad_alloc if the host has no free
  // memory.
  void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes);
  void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes);
  /// Writes the masked bytes of a line of at most kMaxLineBytes, aligned to its size.
  void write_masked(std::uint64_t address, const unsigned char* from, ByteMask mask,
                    unsigned line_bytes);
  /// Sets all bytes to zero and releases the memory to the host.
  void reset();

 private:
  static constexpr unsigned kChunkBits = 20;
  static constexpr std::uint64_t kChunk = std::uint64_t{1} << kChunkBits;
  struct Free {
    void operator()(unsigned char* p) const { std::free(p); }
  };

  /// Location of an address for a write; allocates the address's chunk if it is not allocated.
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
