// SPDX-License-Identifier: Apache-2.0
#pragma once

// The value of an mbarrier object (PTX ISA 9.7.13.15): 64 bits in shared memory, of which PTX
// programs know only the meaning of the operations. Ours has, from bit 0 on: pending arrivals of
// the present phase, arrivals that each phase expects, pending bytes of asynchronous copies, phase.

#include <cstdint>

namespace tessera::ptx {

class Mbarrier {
 public:
  /// Most arrivals of a phase, and most pending bytes.
  static constexpr std::int64_t kMost = (1 << 20) - 1;

  explicit Mbarrier(std::uint64_t bits) : bits_(bits) {}
  /// mbarrier.init. `expected`: 1 to kMost.
  static Mbarrier initial(std::uint32_t expected) {
    Mbarrier b(0);
    b.set(expected, expected, 0, 0);
    return b;
  }

  std::uint64_t bits() const { return bits_; }
  std::uint32_t pending() const { return field(0); }
  std::uint32_t expected() const { return field(20); }
  /// Bytes that asynchronous copies of this phase have still to write; can be negative for a time.
  std::int64_t pending_bytes() const { return static_cast<std::int64_t>(bits_ << 2) >> 42; }
  /// 0 or 1: the parity of the phase, which is not complete.
  std::uint32_t phase() const { return static_cast<std::uint32_t>(bits_ >> 63); }

  /// Each returns false, without a change, if a field leaves its range.
  [[nodiscard]] bool arrive(std::uint32_t count) { return change(-std::int64_t{count}, 0, 0); }
  /// An arrival that also takes part in no later phase.
  [[nodiscard]] bool arrive_drop(std::uint32_t count) {
    return change(-std::int64_t{count}, -std::int64_t{count}, 0);
  }
  /// One more pending arrival of the present phase.
  [[nodiscard]] bool expect_arrival() { return change(1, 0, 0); }
  [[nodiscard]] bool expect_bytes(std::int64_t bytes) { return change(0, 0, bytes); }
  [[nodiscard]] bool complete_bytes(std::int64_t bytes) { return change(0, 0, -bytes); }

 private:
  std::uint32_t field(unsigned at) const {
    return static_cast<std::uint32_t>(bits_ >> at) & ((1u << 20) - 1);
  }
  void set(std::uint64_t pending, std::uint64_t expected, std::int64_t bytes, std::uint64_t phase) {
    const std::uint64_t low = static_cast<std::uint64_t>(bytes) & ((1u << 22) - 1);
    bits_ = pending | expected << 20 | low << 40 | phase << 63;
  }
  bool change(std::int64_t pending, std::int64_t expected, std::int64_t bytes) {
    pending += this->pending();
    expected += this->expected();
    bytes += pending_bytes();
    if (pending < 0 || pending > kMost || expected < 0 || expected > kMost || bytes < -kMost ||
        bytes > kMost) {
      return false;
    }
    std::uint64_t at = phase();
    if (pending == 0 && bytes == 0) {
      // The phase is complete, and the next one begins.
      pending = expected;
      at ^= 1;
    }
    set(static_cast<std::uint64_t>(pending), static_cast<std::uint64_t>(expected), bytes, at);
    return true;
  }

  std::uint64_t bits_;
};

}  // namespace tessera::ptx
