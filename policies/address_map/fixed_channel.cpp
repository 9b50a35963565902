// SPDX-License-Identifier: Apache-2.0
// "fixed-channel" (NUBA section 2): the driver selects a page's channel by its physical address,
// because the channel bits are directly above the page offset and are not hashed. Bank bits are
// randomised with row, bank and channel bits.
//
//   high                                                          low
//   | GPU | row ... | bank high | column high | slice | column low |    the bits of a GPU's channel
//                                                                       are inserted directly above
//                                                                       the page offset
// If there are several GPUs, the highest bits are the GPU's number: its memory is one address
// range.
#include <cstddef>
#include <memory>

#include "policies/bit_matrix.h"
#include "policies/linear_map.h"

namespace tessera::address_map::fixed_channel {

namespace {

class FixedChannel final : public LinearMap {
 public:
  FixedChannel(const MemoryGeometry& geometry, const AddressLayout& layout,
               const std::vector<std::uint64_t>& channel_masks,
               const std::vector<std::uint64_t>& bank_masks)
      : LinearMap(geometry, layout, channel_masks, bank_masks),
        page_bits_(log2_of(geometry.page_bytes)),
        channels_(geometry.channels / geometry.gpus),
        channel_bits_(bits_below(channels_)),
        gpu_bytes_(geometry.total_bytes() / geometry.gpus),
        own_bits_((std::uint64_t{1} << (channel_bits_ + log2_of(geometry.channel_bytes))) - 1) {}

  // Channel bits are not hashed, so that a page is one contiguous range of its channel.
  std::uint64_t channel_address(std::uint64_t physical) const override {
    const std::uint64_t offset = physical & ((std::uint64_t{1} << page_bits_) - 1);
    return ((linear(physical) & own_bits_) >> (page_bits_ + channel_bits_) << page_bits_) | offset;
  }
  bool page_has_one_home() const override { return true; }
  std::uint64_t page_address(ChannelId channel, std::uint64_t index) const override {
    const std::uint64_t gpu = channel.value / channels_;
    return gpu * gpu_bytes_ + ((index * channels_ + channel.value % channels_) << page_bits_);
  }

 private:
  unsigned page_bits_;
  std::uint64_t channels_;  ///< per GPU
  unsigned channel_bits_;
  std::uint64_t gpu_bytes_;
  std::uint64_t own_bits_;  ///< bits of a linear address except the GPU's number
};

struct Parameters {
  std::uint64_t seed = 1;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.integer("seed", p.seed, "", "chooses the random matrix of the bank bits (ours)", 0,
            ~std::uint32_t{0}, {"system.address_map_seed"});
}

std::unique_ptr<AddressMap> make(const PolicyContext& context, const Parameters& parameters) {
  const MemoryGeometry& g = context.memory;
  const unsigned page_bits = log2_of(g.page_bytes);
  const unsigned channel_bits = bits_below(g.channels / g.gpus);
  const unsigned bank_bits = log2_of(g.banks_per_channel);
  const unsigned slice_bits = log2_of(g.slices_per_channel);
  const unsigned row_bits = log2_of(g.channel_bytes / g.banks_per_channel / g.row_bytes);
  const unsigned chunk_bits = log2_of(chunk_bytes(g));

  AddressLayout layout;
  layout.gpus = g.gpus;
  for (unsigned i = 0; i < channel_bits; ++i) {
    layout.channel.push_back(static_cast<std::uint8_t>(page_bits + i));
  }
  unsigned position = 0;
  const auto take = [&](BitPositions& field, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i) {
      if (position == page_bits) position += channel_bits;
      field.push_back(static_cast<std::uint8_t>(position++));
    }
  };
  take(layout.column, chunk_bits);
  take(layout.bank, slice_bits);
  take(layout.column, log2_of(g.row_bytes) - chunk_bits);
  take(layout.bank, bank_bits - slice_bits);
  take(layout.row, row_bits);
  const unsigned gpu_from = channel_bits + log2_of(g.channel_bytes);
  for (unsigned i = 0; i < bits_below(g.gpus); ++i) {
    layout.channel.push_back(static_cast<std::uint8_t>(gpu_from + i));
  }

  // Within one channel only bank and row bits vary, so they have the successive columns.
  BitPositions inputs = layout.bank;
  inputs.insert(inputs.end(), layout.row.begin(), layout.row.end());
  inputs.insert(inputs.end(), layout.channel.begin(), layout.channel.end());
  FixedRandom random(parameters.seed);
  const BitMatrix matrix = random_invertible(bank_bits, static_cast<unsigned>(inputs.size()),
                                             {{0, slice_bits}, {0, bank_bits}}, random);
  std::vector<std::uint64_t> channel_masks;
  for (const std::uint8_t bit : layout.channel) channel_masks.push_back(std::uint64_t{1} << bit);
  return std::make_unique<FixedChannel>(g, layout, channel_masks,
                                        address_masks(matrix, inputs, 0, bank_bits));
}

const PolicyRegistration<AddressMap> kRegistered(
    "fixed-channel",
    "channel bits right above the page offset, unhashed; bank bits randomised (NUBA section 2)",
    make);

}  // namespace

}  // namespace tessera::address_map::fixed_channel
