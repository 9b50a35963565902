// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policies/address_map.h"

namespace tessera {

/// Where the bits of one field stand in an address, lowest first.
using BitPositions = std::vector<std::uint8_t>;

/// Gathers scattered address bits: a few runs of neighbouring bits, each one shift and mask.
class BitGather {
 public:
  /// `positions` may fall into at most 4 runs.
  explicit BitGather(const BitPositions& positions);

  std::uint64_t operator()(std::uint64_t address) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < runs_; ++i) {
      value |= ((address >> run_[i].shift) & run_[i].mask) << run_[i].to;
    }
    return value;
  }

 private:
  struct Run {
    std::uint8_t shift = 0;
    std::uint8_t to = 0;
    std::uint64_t mask = 0;
  };
  std::array<Run, 4> run_{};
  unsigned runs_ = 0;
};

/// Which address bits make which field, before any randomisation. Where GPUs or channels are no
/// power of two, the bits are those of the address whose GPU and channel number are bits
/// (LinearMap::linear()).
struct AddressLayout {
  std::uint32_t gpus = 1;  ///< with an address range each; their bits stand above all others
  BitPositions channel;    ///< of a GPU, then those of the GPU
  BitPositions bank;       ///< the slice bits first
  BitPositions column;
  BitPositions row;
};

constexpr bool is_power_of_two(std::uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }
/// Of a power of two.
unsigned log2_of(std::uint64_t power_of_two);
/// Bits of the numbers below n.
unsigned bits_below(std::uint64_t n);

/// Bytes that stay together in one slice: successive chunks go to different slices (and, with
/// "pae", channels). Small enough to spread a page, large enough to hold a few lines.
std::uint32_t chunk_bytes(const MemoryGeometry& geometry);

struct BitMatrix;

/// Binary linear map: the channel and the bank are each a vector of parities of address bits.
/// The part that all of our maps share.
class LinearMap : public AddressMap {
 public:
  /// Masks over address bits: one for each bit of the channel and of the bank.
  LinearMap(const MemoryGeometry& geometry, const AddressLayout& layout,
            const std::vector<std::uint64_t>& channel_masks,
            const std::vector<std::uint64_t>& bank_masks);

  Location locate(std::uint64_t physical) const final {
    const Part part = sum_of(physical);
    Location where;
    where.channel = channel_of(part);
    where.slice = SliceId((where.channel.value << slice_bits_) | (bank_of(part) & slice_mask_));
    where.slice_line = part.slice_line;
    return where;
  }
  DramLocation decode(std::uint64_t physical) const final {
    const Part part = sum_of(physical);
    return {channel_of(part), Bank(bank_of(part)), static_cast<std::uint32_t>(part.place >> 32)};
  }
  std::uint64_t channel_address(std::uint64_t physical) const override;
  const MemoryGeometry& geometry() const final { return geometry_; }

 protected:
  /// The address with room for a power of two of GPUs and channels: where they are none, an address
  /// has their numbers as digits (of the channels, and of the GPUs), and here they become bits.
  std::uint64_t linear(std::uint64_t physical) const {
    return regular_ ? physical : with_digits_as_bits(physical);
  }

 private:
  static constexpr unsigned kMaxBits = 16;
  static constexpr unsigned kDigitBits = 4;
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  using Masks = std::array<std::uint64_t, kMaxBits>;

  /// A location, packed: row, bank and channel in 32, 16 and 16 bits.
  struct Part {
    std::uint64_t slice_line = 0;
    std::uint64_t place = 0;
  };

  static std::uint32_t parities(const Masks& masks, unsigned n, std::uint64_t address);
  std::uint64_t with_digits_as_bits(std::uint64_t physical) const;
  /// The location of a linear address, field by field and bit by bit.
  Part computed(std::uint64_t address) const;
  Part sum_of(std::uint64_t physical) const {
    const std::uint64_t address = linear(physical);
    Part sum;
    for (unsigned i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i][address >> (first_bit_ + kDigitBits * i) & (kDigits - 1)];
      sum.slice_line ^= part.slice_line;
      sum.place ^= part.place;
    }
    return sum;
  }
  ChannelId channel_of(const Part& part) const {
    const std::uint32_t channel = static_cast<std::uint32_t>(part.place) & 0xffff;
    if (regular_) return ChannelId(channel);
    return ChannelId((channel >> own_channel_bits_) * own_channels_ +
                     (channel & ((1U << own_channel_bits_) - 1)));
  }
  static std::uint32_t bank_of(const Part& part) {
    return static_cast<std::uint32_t>(part.place) >> 16;
  }

  MemoryGeometry geometry_;
  bool regular_;                ///< GPUs and channels are powers of two
  std::uint32_t own_channels_;  ///< of a GPU
  unsigned own_channel_bits_;
  unsigned channel_from_;  ///< the lowest bit of the channel's number
  std::uint64_t gpu_bytes_;
  unsigned gpu_from_;  ///< the lowest bit of the GPU's number in a linear address
  unsigned channel_bits_;
  unsigned bank_bits_;
  unsigned slice_bits_;
  std::uint32_t slice_mask_;
  unsigned line_bits_;
  unsigned column_bits_;
  unsigned line_in_row_bits_;
  Masks channel_masks_{};
  Masks bank_masks_{};
  BitGather row_;
  BitGather column_;
  /// Every bit of a location is a parity of address bits: a location is the XOR of what each digit
  /// (four bits) of the address adds to it, from `first_bit_` on. Every access asks for it twice.
  std::vector<std::array<Part, kDigits>> parts_;
  unsigned first_bit_ = 0;
};

/// Address masks from a matrix over the input bits at `inputs`.
std::vector<std::uint64_t> address_masks(const BitMatrix& matrix, const BitPositions& inputs,
                                         unsigned first_output, unsigned count);

}  // namespace tessera
