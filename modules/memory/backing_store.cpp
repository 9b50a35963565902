// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/backing_store.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

namespace tessera {

void BackingStore::add(std::uint64_t chunk) {
  if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
  // calloc of this size returns zeroed pages of the host, which the host commits at the first
  // access.
  auto* const bytes = static_cast<unsigned char*>(std::calloc(1, kChunk));
  if (bytes == nullptr) throw std::bad_alloc();
  chunks_[chunk].reset(bytes);
}

void BackingStore::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
  assert(contains(address, bytes));
  while (bytes != 0) {
    const std::uint64_t chunk = address >> kChunkBits;
    const std::uint64_t offset = address & (kChunk - 1);
    const std::uint64_t n = std::min(bytes, kChunk - offset);
    if (chunk < chunks_.size() && chunks_[chunk] != nullptr) {
      std::memcpy(to, chunks_[chunk].get() + offset, n);
    } else {
      std::memset(to, 0, n);
    }
    address += n;
    to += n;
    bytes -= n;
  }
}

void BackingStore::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) {
  assert(contains(address, bytes));
  while (bytes != 0) {
    const std::uint64_t n = std::min(bytes, kChunk - (address & (kChunk - 1)));
    std::memcpy(at(address), from, n);
    address += n;
    from += n;
    bytes -= n;
  }
}

void BackingStore::write_masked(std::uint64_t address, const unsigned char* from, ByteMask mask,
                                unsigned line_bytes) {
  assert(contains(address, line_bytes) && (address & (kChunk - 1)) + line_bytes <= kChunk);
  copy_masked(at(address), from, mask, line_bytes);
}

void BackingStore::reset() { chunks_.clear(); }

}  // namespace tessera
