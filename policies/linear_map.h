// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policies/address_map.h"

namespace tessera {

/// Bit positions of one field in an address, lowest first.
using BitPositions = std::vector<std::uint8_t>;

/// Gathers scattered address bits as a few runs of neighbouring bits, each by one shift and mask.
class BitGather {
 public:
  /// `positions` must form at most 4 runs.
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

/// Address bits of each field, before any randomisation. If the number of GPUs or channels is not a
/// power of two, the bits are those of the linear address (LinearMap::linear()), in which GPU and
/// channel numbers are bit fields.
struct AddressLayout {
  std::uint32_t gpus = 1;  ///< with an address range each; their bits are above all others
  /// Groups of neighbouring channels of a GPU within which channels are rotated, by an amount that
  /// a hash of the bits above the channel's number gives; 0: no rotation.
  std::uint32_t rotated_groups = 0;
  std::uint64_t rotation_seed = 0;
  BitPositions channel;  ///< channel within its GPU, then the GPU
  BitPositions bank;     ///< the slice bits first
  BitPositions column;
  BitPositions row;
};

constexpr bool is_power_of_two(std::uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }
/// `power_of_two` must be a power of two.
unsigned log2_of(std::uint64_t power_of_two);
/// Number of bits of the numbers below n.
unsigned bits_below(std::uint64_t n);

/// Bytes of a chunk, which is within one slice. Successive chunks are in different slices (and,
/// with "pae", channels). A chunk is small enough to spread a page over slices, and large enough to
/// hold a few lines.
std::uint32_t chunk_bytes(const MemoryGeometry& geometry);

struct BitMatrix;

/// Binary linear map: each bit of channel and bank is a parity of address bits. Base of all maps of
/// Tessera.
class LinearMap : public AddressMap {
 public:
  /// Masks over address bits: one per bit of the channel and of the bank.
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
  /// The linear address: the numbers of GPU and channel are bit fields, each with a power-of-two
  /// range. If the number of GPUs or channels is not a power of two, or channels are rotated, the
  /// physical address has them as digits (to the base of that number) instead.
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
  /// Computes the location of a linear address, field by field and bit by bit.
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
  std::uint32_t rotated_;  ///< channels of a group that are rotated; 0: none
  std::uint64_t rotation_seed_;
  bool regular_;                ///< GPUs and channels are powers of two, and not rotated
  std::uint32_t own_channels_;  ///< per GPU
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
  /// Lookup table. Each bit of a location is a parity of address bits, so that a location is the
  /// XOR of one contribution per digit (four bits) of the address, from `first_bit_` on. Every
  /// access needs two locations.
  std::vector<std::array<Part, kDigits>> parts_;
  unsigned first_bit_ = 0;
};

/// A map in which a page's home is one of the layout's GPUs, each of which is one address range.
class RangedMap : public LinearMap {
 public:
  RangedMap(const MemoryGeometry& geometry, const AddressLayout& layout,
            const std::vector<std::uint64_t>& channel_masks,
            const std::vector<std::uint64_t>& bank_masks)
      : LinearMap(geometry, layout, channel_masks, bank_masks),
        ranges_(layout.gpus),
        range_bytes_(geometry.total_bytes() / layout.gpus),
        page_bytes_(geometry.page_bytes) {}

  bool page_has_one_home() const final { return true; }
  std::uint32_t page_homes() const final { return ranges_; }
  ChannelId page_home(std::uint64_t physical) const final {
    return ChannelId(static_cast<std::uint32_t>(physical / range_bytes_));
  }
  std::uint64_t page_address(ChannelId home, std::uint64_t index) const final {
    return home.value * range_bytes_ + index * page_bytes_;
  }

 private:
  std::uint32_t ranges_;
  std::uint64_t range_bytes_;
  std::uint64_t page_bytes_;
};

/// Address masks of a matrix over the input bits at `inputs`.
std::vector<std::uint64_t> address_masks(const BitMatrix& matrix, const BitPositions& inputs,
                                         unsigned first_output, unsigned count);

}  // namespace tessera
