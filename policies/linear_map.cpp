// SPDX-License-Identifier: Apache-2.0
#include "policies/linear_map.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "policies/bit_matrix.h"

namespace tessera {

BitGather::BitGather(const BitPositions& positions) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (i > 0 && positions[i] == positions[i - 1] + 1) {
      run_[runs_ - 1].mask = run_[runs_ - 1].mask << 1 | 1;
      continue;
    }
    if (runs_ == run_.size()) throw std::logic_error("an address field in more than 4 pieces");
    run_[runs_++] = Run{positions[i], static_cast<std::uint8_t>(i), 1};
  }
}

unsigned log2_of(std::uint64_t power_of_two) {
  return static_cast<unsigned>(__builtin_ctzll(power_of_two));
}

unsigned bits_below(std::uint64_t n) {
  unsigned bits = 0;
  while (std::uint64_t{1} << bits < n) ++bits;
  return bits;
}

std::uint32_t chunk_bytes(const MemoryGeometry& geometry) {
  constexpr std::uint32_t kChunk = 256;
  return std::max(geometry.line_bytes, std::min(kChunk, geometry.row_bytes));
}

LinearMap::LinearMap(const MemoryGeometry& geometry, const AddressLayout& layout,
                     const std::vector<std::uint64_t>& channel_masks,
                     const std::vector<std::uint64_t>& bank_masks)
    : geometry_(geometry),
      rotated_(
          layout.rotated_groups == 0 ? 0 : geometry.channels / layout.gpus / layout.rotated_groups),
      rotation_seed_(layout.rotation_seed),
      regular_(is_power_of_two(layout.gpus) && is_power_of_two(geometry.channels) && rotated_ == 0),
      own_channels_(geometry.channels / layout.gpus),
      own_channel_bits_(bits_below(own_channels_)),
      channel_from_(layout.channel.empty() ? 0 : layout.channel.front()),
      gpu_bytes_(geometry.total_bytes() / layout.gpus),
      gpu_from_(own_channel_bits_ + log2_of(geometry.channel_bytes)),
      channel_bits_(own_channel_bits_ + bits_below(layout.gpus)),
      bank_bits_(log2_of(geometry.banks_per_channel)),
      slice_bits_(log2_of(geometry.slices_per_channel)),
      slice_mask_(geometry.slices_per_channel - 1),
      line_bits_(log2_of(geometry.line_bytes)),
      column_bits_(log2_of(geometry.row_bytes)),
      line_in_row_bits_(column_bits_ - line_bits_),
      row_(layout.row),
      column_(layout.column) {
  std::copy(channel_masks.begin(), channel_masks.end(), channel_masks_.begin());
  std::copy(bank_masks.begin(), bank_masks.end(), bank_masks_.begin());
  first_bit_ = line_bits_;
  const unsigned address_bits = channel_bits_ + log2_of(geometry.channel_bytes);
  for (unsigned bit = first_bit_; bit < address_bits; bit += kDigitBits) {
    std::array<Part, kDigits> parts;
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
      parts[digit] =
          computed(std::uint64_t{digit} << bit & ((std::uint64_t{1} << address_bits) - 1));
    }
    parts_.push_back(parts);
  }
}

std::uint32_t LinearMap::parities(const Masks& masks, unsigned n, std::uint64_t address) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < n; ++i) {
    value |= static_cast<std::uint32_t>(__builtin_parityll(address & masks[i])) << i;
  }
  return value;
}

std::uint64_t LinearMap::with_digits_as_bits(std::uint64_t physical) const {
  const std::uint64_t gpu = physical / gpu_bytes_;
  const std::uint64_t own = physical % gpu_bytes_;
  const std::uint64_t above = own >> channel_from_;
  const std::uint64_t below = own & ((std::uint64_t{1} << channel_from_) - 1);
  const std::uint64_t over = above / own_channels_;
  std::uint64_t channel = above % own_channels_;
  if (rotated_ != 0) {
    const std::uint64_t in_group = channel % rotated_;
    const std::uint64_t hash = FixedRandom(over + rotation_seed_).next() >> 32;
    channel += (in_group + hash) % rotated_ - in_group;
  }
  return gpu << gpu_from_ | (over << own_channel_bits_ | channel) << channel_from_ | below;
}

LinearMap::Part LinearMap::computed(std::uint64_t address) const {
  const std::uint64_t channel = parities(channel_masks_, channel_bits_, address);
  const std::uint64_t bank = parities(bank_masks_, bank_bits_, address);
  const std::uint64_t row = row_(address);
  // All fields except channel and slice, in lines: as many values as a slice has lines.
  return {(((row << (bank_bits_ - slice_bits_)) | (bank >> slice_bits_)) << line_in_row_bits_) |
              (column_(address) >> line_bits_),
          row << 32 | bank << kMaxBits | channel};
}

std::uint64_t LinearMap::channel_address(std::uint64_t physical) const {
  const std::uint64_t address = linear(physical);
  const std::uint64_t bank = parities(bank_masks_, bank_bits_, address);
  return (((row_(address) << bank_bits_) | bank) << column_bits_) | column_(address);
}

std::vector<std::uint64_t> address_masks(const BitMatrix& matrix, const BitPositions& inputs,
                                         unsigned first_output, unsigned count) {
  std::vector<std::uint64_t> masks;
  for (unsigned i = first_output; i < first_output + count; ++i) {
    const std::uint64_t row = matrix.row(i);
    std::uint64_t mask = 0;
    for (std::size_t j = 0; j < inputs.size(); ++j) mask |= ((row >> j) & 1) << inputs[j];
    masks.push_back(mask);
  }
  return masks;
}

}  // namespace tessera
