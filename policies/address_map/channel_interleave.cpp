// SPDX-License-Identifier: Apache-2.0
// "channel-interleave": chunks of `interleave_bytes` go to the channels in turn, whose number need
// not be a power of two, and within a channel to its slices. So that streams that begin at
// different addresses do not meet in one channel after the other, each turn begins at a channel
// that a hash of the turn's number gives; so that streams a power of two apart do not meet in one
// bank, bank bits are randomised with row and bank bits. The hash rotates within `groups` of
// channels: if a GPU's L2 has two sides, runs of interleave_bytes x channels / 2 bytes alternate
// between them (ours; an A100 alternates by 8 KiB: Choquette, GTC 2021, S33322).
//
//   high                                                        low
//   | row ... | bank high | column high | channel | slice | column low |
//
// With `pages_in_groups`, a group's memory is one address range, and chunks go to its channels in
// turn: page placement selects a page's group (ours: what a GPU of two sides could do).
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "common/error.h"
#include "policies/bit_matrix.h"
#include "policies/linear_map.h"

namespace tessera::address_map::channel_interleave {

namespace {

class ChannelInterleave final : public LinearMap {
 public:
  using LinearMap::LinearMap;
  bool page_has_one_home() const override { return false; }
  std::uint64_t page_address(ChannelId, std::uint64_t) const override {
    throw std::logic_error("a page has no channel of its own under 'channel-interleave'");
  }
};

struct Parameters {
  std::uint32_t interleave_bytes = 256;
  std::uint32_t groups = 1;
  bool pages_in_groups = false;
  std::uint64_t seed = 1;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.integer("interleave_bytes", p.interleave_bytes, "byte",
            "bytes that stay together in one slice; a power of two from a line to the smaller of "
            "DRAM row and page (ours)",
            32, 1 << 20);
  v.integer(
      "groups", p.groups, "group",
      "groups of neighbouring channels, which take turns with whole runs of chunks; a divisor "
      "of the channels (ours: 2 if an L2 has two sides)",
      1, 1024);
  v.flag("pages_in_groups", p.pages_in_groups,
         "a page is in the channels of one group, which page placement selects (ours)");
  v.integer("seed", p.seed, "", "chooses the hash of the turns and the bank bits' matrix (ours)", 0,
            ~std::uint32_t{0});
}

std::unique_ptr<AddressMap> make(const PolicyContext& context, const Parameters& parameters) {
  const MemoryGeometry& g = context.memory;
  const std::uint32_t chunk = parameters.interleave_bytes;
  const std::uint64_t most = std::min<std::uint64_t>(g.row_bytes, g.page_bytes);
  if (chunk < g.line_bytes || chunk > most || !is_power_of_two(chunk)) {
    throw InputError("address map 'channel-interleave': interleave_bytes is " +
                     std::to_string(chunk) + "; expected a power of two from " +
                     std::to_string(g.line_bytes) + " (a line) to " + std::to_string(most) +
                     " (the smaller of DRAM row and page)");
  }
  if (g.gpus != 1) {
    throw InputError("address map 'channel-interleave' is for one GPU, not " +
                     std::to_string(g.gpus) + ": gpu-interleave gives each GPU a range");
  }
  if (g.channels % parameters.groups != 0) {
    throw InputError("address map 'channel-interleave': groups is " +
                     std::to_string(parameters.groups) + "; expected a divisor of the " +
                     std::to_string(g.channels) + " channels");
  }
  const unsigned bank_bits = log2_of(g.banks_per_channel);
  const unsigned slice_bits = log2_of(g.slices_per_channel);

  AddressLayout layout;
  // With pages in groups, a group is an address range, as a GPU is.
  layout.gpus = parameters.pages_in_groups ? parameters.groups : 1;
  layout.rotated_groups = parameters.groups / layout.gpus;
  layout.rotation_seed = parameters.seed;
  unsigned position = 0;
  const auto take = [&position](BitPositions& field, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i) field.push_back(static_cast<std::uint8_t>(position++));
  };
  take(layout.column, log2_of(chunk));
  take(layout.bank, slice_bits);
  take(layout.channel, bits_below(g.channels / layout.gpus));
  take(layout.column, log2_of(g.row_bytes) - log2_of(chunk));
  take(layout.bank, bank_bits - slice_bits);
  take(layout.row, log2_of(g.channel_bytes / g.banks_per_channel / g.row_bytes));
  take(layout.channel, bits_below(layout.gpus));

  // The channel's number is no field of bits: it takes no part in the matrix.
  BitPositions inputs = layout.bank;
  inputs.insert(inputs.end(), layout.row.begin(), layout.row.end());
  FixedRandom random(parameters.seed);
  const BitMatrix matrix = random_invertible(bank_bits, static_cast<unsigned>(inputs.size()),
                                             {{0, slice_bits}, {0, bank_bits}}, random);
  std::vector<std::uint64_t> channel_masks;
  for (const std::uint8_t bit : layout.channel) channel_masks.push_back(std::uint64_t{1} << bit);
  const auto bank_masks = address_masks(matrix, inputs, 0, bank_bits);
  if (parameters.pages_in_groups) {
    return std::make_unique<RangedMap>(g, layout, channel_masks, bank_masks);
  }
  return std::make_unique<ChannelInterleave>(g, layout, channel_masks, bank_masks);
}

const PolicyRegistration<AddressMap> kRegistered(
    "channel-interleave",
    "lines go to the channels of a GPU in turn, whatever their number; bank bits randomised (ours)",
    make);

}  // namespace

}  // namespace tessera::address_map::channel_interleave
