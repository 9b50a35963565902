// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/backing_store.h"

#include <sys/mman.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace tessera {

BackingStore::~BackingStore() { reset(); }

unsigned char* BackingStore::map() {
  void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    throw std::runtime_error("cannot reserve " + std::to_string(bytes_) +
                             " bytes of address space for a DRAM channel: " + std::strerror(errno));
  }
  data_ = static_cast<unsigned char*>(p);
  return data_;
}

void BackingStore::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
  assert(contains(address, bytes));
  if (data_ == nullptr) {
    std::memset(to, 0, bytes);
    return;
  }
  std::memcpy(to, data_ + address, bytes);
}

void BackingStore::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) {
  assert(contains(address, bytes));
  std::memcpy(data() + address, from, bytes);
}

void BackingStore::write_masked(std::uint64_t address, const unsigned char* from, ByteMask mask,
                                unsigned line_bytes) {
  assert(contains(address, line_bytes));
  copy_masked(data() + address, from, mask, line_bytes);
}

void BackingStore::reset() {
  if (data_ == nullptr) return;
  munmap(data_, bytes_);
  data_ = nullptr;
}

}  // namespace tessera
