// SPDX-License-Identifier: Apache-2.0
// Atomics of a warp: operands of one register, or of several parts of up to 16 bytes together.

#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

/// `bytes`: 2, 4 or 8.
std::uint64_t read_part(const std::byte* from, unsigned bytes) {
  const auto read = [from](auto v) {
    __builtin_memcpy(&v, from, sizeof v);
    return std::uint64_t{v};
  };
  return bytes == 8   ? read(std::uint64_t{})
         : bytes == 4 ? read(std::uint32_t{})
                      : read(std::uint16_t{});
}

AtomicWord read_value(const std::byte* from, unsigned bytes) {
  if (bytes <= 8) return read_part(from, bytes);
  AtomicWord v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

/// The registers of one operand of an atomic.
class Parts {
 public:
  /// `list`: 0 for the result, 1 for the operand, 2 for the comparand.
  Parts(const Frame& f, const Decoded& d, unsigned slot, unsigned list)
      : frame_(f),
        single_(&d.slot[slot]),
        count_(d.memory.parts),
        bytes_(d.memory.element_bytes / count_) {
    if (count_ == 1) return;
    single_ = reinterpret_cast<const Slot*>(f.at(d.slot[Decoded::kParts])) + list * count_;
  }

  AtomicWord get(unsigned lane) const {
    AtomicWord word = 0;
    for (unsigned k = 0; k < count_; ++k) {
      word |= AtomicWord{read_part(cell_of(k, lane), bytes_)} << (8 * bytes_ * k);
    }
    return word;
  }
  void put(unsigned lane, AtomicWord word) const {
    for (unsigned k = 0; k < count_; ++k) {
      const auto part = static_cast<std::uint64_t>(word >> (8 * bytes_ * k));
      if (bytes_ == 8) {
        __builtin_memcpy(cell_of(k, lane), &part, sizeof part);
      } else {
        const auto low = static_cast<std::uint32_t>(bytes_ == 4 ? part : part & 0xffffu);
        __builtin_memcpy(cell_of(k, lane), &low, sizeof low);
      }
    }
  }

 private:
  std::byte* cell_of(unsigned part, unsigned lane) const {
    return frame_.at(single_[part]) + std::size_t{bytes_ == 8 ? 8u : 4u} * lane;
  }

  const Frame& frame_;
  const Slot* single_;  ///< of each part
  unsigned count_;
  unsigned bytes_;  ///< of a part
};

}  // namespace

/// Performs the atomic on host memory, in ascending order of lanes.
void Warp::run_atomic(const Decoded& d, const MemoryOp& op, std::byte* base,
                      const std::uint64_t* offsets) {
  const unsigned bytes = d.memory.element_bytes;
  const Parts results(frame_, d, Decoded::kResult, 0);
  const Parts operands(frame_, d, Decoded::kOperand, 1);
  const Parts comparands(frame_, d, Decoded::kComparand, 2);
  const bool swaps = op.atomic == AtomicOp::kCompareAndSwap;
  // Each lane reads its operands before it writes, because the result register can be an operand.
  for_lanes(op.active, [&](unsigned i) {
    std::byte* at = base + offsets[i];
    const AtomicWord old = read_value(at, bytes);
    const AtomicWord value = apply_atomic(op.atomic, op.atomic_type, old, operands.get(i),
                                          swaps ? comparands.get(i) : 0);
    __builtin_memcpy(at, &value, bytes);
    results.put(i, old);
  });
}

/// Carried mode: copies the operands into the operation.
void Warp::carry_operands(const Decoded& d, MemoryOp& op) {
  const Parts operands(frame_, d, Decoded::kOperand, 1);
  for_lanes(op.active, [&](unsigned i) {
    const AtomicWord word = operands.get(i);
    __builtin_memcpy(&op.data[std::size_t{i} * kMaxLaneBytes], &word, sizeof word);
  });
  if (op.atomic != AtomicOp::kCompareAndSwap) return;
  const Parts comparands(frame_, d, Decoded::kComparand, 2);
  for_lanes(op.active, [&](unsigned i) { op.compare[i] = comparands.get(i); });
}

/// Carried mode: writes the old values to the result registers.
void Warp::complete_atomic(const Decoded& d, std::uint32_t active, const std::byte* data) {
  const Parts results(frame_, d, Decoded::kResult, 0);
  for_lanes(active, [&](unsigned i) {
    results.put(i, read_value(data + std::size_t{i} * kMaxLaneBytes, d.memory.element_bytes));
  });
}

}  // namespace tessera::ptx
