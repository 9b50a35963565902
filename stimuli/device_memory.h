// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device virtual memory as a stimulus sees it: named allocations, and (in functional mode) one
// flat memory that holds all values.

#include <cstddef>
#include <cstdint>
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

/// One flat, lazily committed, zero-initialised memory over the device's allocations: the
/// functional mode's values. Takes host address space for what is allocated, not for all that could
/// be (a farm limits it), and host memory for what is touched.
class FlatMemory {
 public:
  explicit FlatMemory(std::uint64_t capacity_bytes = 0);
  ~FlatMemory();
  FlatMemory(const FlatMemory&) = delete;
  FlatMemory& operator=(const FlatMemory&) = delete;

  /// Holds device addresses up to `top` from now on. Host pointers that at() has given are void.
  /// Throws RunError when the host has no address space left.
  void cover(Address top);

  /// Host pointer to a covered device address. The caller has checked the range against the
  /// allocations.
  std::byte* at(Address a) { return data_ + (a - Allocations::kBase); }
  const std::byte* at(Address a) const { return data_ + (a - Allocations::kBase); }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t capacity_ = 0;
};

}  // namespace tessera
