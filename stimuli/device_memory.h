// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device virtual memory as a stimulus sees it: named allocations, and (in functional mode) one
// flat memory that holds all values.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

/// A virtual device address.
using Address = std::uint64_t;

struct Allocation {
  std::string name;
  Address begin = 0;
  std::uint64_t bytes = 0;

  Address end() const { return begin + bytes; }
};

/// The allocations of a device, in ascending order of address. Guard space lies between them, so
/// that an overrun never lands in a neighbour.
class Allocations {
 public:
  /// First device address handed out. Nothing below it is ever valid.
  static constexpr Address kBase = Address{1} << 32;

  /// Alignment of every allocation, a power of two (the platform's page size, at least 4 KiB).
  explicit Allocations(std::uint64_t alignment = 4096);

  /// Throws InputError when `bytes` is 0 or the name is taken.
  const Allocation& allocate(const std::string& name, std::uint64_t bytes);

  /// The allocation that holds all of [address, address + bytes), or nullptr.
  const Allocation* find(Address address, std::uint64_t bytes) const;
  /// The allocation of that name, or nullptr.
  const Allocation* find(const std::string& name) const;
  /// The last allocation that begins at or below `address`, or nullptr (for error messages).
  const Allocation* nearest_below(Address address) const;

  const std::vector<Allocation>& all() const { return all_; }
  /// End of the highest allocation, rounded up to the alignment.
  Address top() const { return top_; }

 private:
  std::uint64_t alignment_;
  Address top_ = kBase;
  std::vector<Allocation> all_;
};

/// Makes a part of an array's initial contents: `bytes` bytes into `out`, from `offset` bytes after
/// the array's begin. The offset is a multiple of FlatMemory::kPageBytes; the same part has the
/// same contents each time. Throws InputError when they cannot be had (a file).
using Contents = std::function<void(std::uint64_t offset, std::byte* out, std::uint64_t bytes)>;

/// One flat, lazily committed, zero-initialised memory over the device's allocations: the
/// functional mode's values. Takes host address space for what is allocated, not for all that could
/// be (a farm limits it), and host memory for what is touched: initial contents are made page by
/// page of kPageBytes bytes.
class FlatMemory {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  explicit FlatMemory(std::uint64_t capacity_bytes = 0);
  ~FlatMemory();
  FlatMemory(const FlatMemory&) = delete;
  FlatMemory& operator=(const FlatMemory&) = delete;

  /// Holds device addresses up to `top` from now on. Host pointers that at() has given are void.
  /// Throws RunError when the host has no address space left.
  void cover(Address top);

  /// From now on [begin, begin + bytes) holds what `contents` makes when it is touched. `begin` is
  /// an allocation's begin (a multiple of kPageBytes), with nothing deferred above it.
  void defer(Address begin, std::uint64_t bytes, Contents contents);
  /// Makes what is still deferred of these bytes: before at() is used for them.
  void touch(Address begin, std::uint64_t bytes) {
    if (missing_.empty()) return;
    const std::uint64_t last = page_of(begin + bytes - 1);
    for (std::uint64_t page = page_of(begin); page <= last; ++page) {
      if (missing(page)) make(page);
    }
  }

  /// Ranges that are covered and checked against the allocations. Deferred contents that are read
  /// stay deferred, so that a host that looks at an array takes no memory for it.
  void read(void* to, Address from, std::uint64_t bytes) const;
  void write(Address to, const void* from, std::uint64_t bytes);
  /// The contents of these whole pages are void: their host memory is given back where the host's
  /// own pages allow it.
  void discard(Address begin, std::uint64_t bytes);

  /// Host pointer to a covered device address that was touched. The caller has checked the range
  /// against the allocations.
  std::byte* at(Address a) { return data_ + (a - Allocations::kBase); }
  const std::byte* at(Address a) const { return data_ + (a - Allocations::kBase); }

 private:
  struct Deferred {
    Address begin = 0;
    std::uint64_t bytes = 0;
    Contents contents;
  };

  static std::uint64_t page_of(Address a) { return (a - Allocations::kBase) / kPageBytes; }
  /// Whether a page holds deferred contents that are not made yet.
  bool missing(std::uint64_t page) const {
    return page / 64 < missing_.size() && (missing_[page / 64] >> page % 64 & 1u) != 0;
  }
  void set_made(std::uint64_t page) {
    if (missing(page)) missing_[page / 64] &= ~(std::uint64_t{1} << page % 64);
  }
  void make(std::uint64_t page);
  /// The initial contents of a page: kPageBytes bytes at `out`, zeros after the array's end.
  void contents_of(std::uint64_t page, std::byte* out) const;

  std::byte* data_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::vector<Deferred> deferred_;      ///< in ascending order of address
  std::vector<std::uint64_t> missing_;  ///< a bit for each page; empty: nothing was deferred
};

}  // namespace tessera
