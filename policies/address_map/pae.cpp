// SPDX-License-Identifier: Apache-2.0
// "pae" (Liu et al., ISCA'18): each channel and bank bit is the parity of a random subset of the
// bits that identify a DRAM page (row, bank, channel). Column bits do not change, so that addresses
// of one row still share a row.
//
//   high                                                              low
//   | row ... | bank high | column high | slice | channel | column low |
#include <memory>
#include <stdexcept>
#include <string>

#include "common/error.h"
#include "common/legal_values.h"
#include "policies/bit_matrix.h"
#include "policies/linear_map.h"

namespace tessera::address_map::pae {

namespace {

class Pae final : public LinearMap {
 public:
  using LinearMap::LinearMap;
  bool page_has_one_home() const override { return false; }
  std::uint64_t page_address(ChannelId, std::uint64_t) const override {
    throw std::logic_error("a page has no channel of its own under 'pae'");
  }
};

struct Parameters {
  std::uint64_t seed = 1;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.integer("seed", p.seed, "", "chooses the random matrix of the channel and bank bits (ours)", 0,
            ~std::uint32_t{0}, {"system.address_map_seed"});
}

std::unique_ptr<AddressMap> make(const PolicyContext& context, const Parameters& parameters) {
  const MemoryGeometry& g = context.memory;
  if (!is_power_of_two(g.channels)) {
    throw InputError("address map 'pae': channels is " + std::to_string(g.channels) +
                     "; expected a power of two, for a channel's number is made of parities: " +
                     near_powers_of_two(g.channels, 1, std::uint64_t{1} << 31) +
                     " (fixed-channel takes any number)");
  }
  const unsigned channel_bits = log2_of(g.channels);
  const unsigned bank_bits = log2_of(g.banks_per_channel);
  const unsigned slice_bits = log2_of(g.slices_per_channel);
  const unsigned row_bits = log2_of(g.channel_bytes / g.banks_per_channel / g.row_bytes);
  const unsigned chunk_bits = log2_of(chunk_bytes(g));

  AddressLayout layout;
  unsigned position = 0;
  const auto take = [&](BitPositions& field, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i) field.push_back(static_cast<std::uint8_t>(position++));
  };
  take(layout.column, chunk_bits);
  take(layout.channel, channel_bits);
  take(layout.bank, slice_bits);
  take(layout.column, log2_of(g.row_bytes) - chunk_bits);
  take(layout.bank, bank_bits - slice_bits);
  take(layout.row, row_bits);

  // In address order. Outputs: channel bits, then bank bits.
  BitPositions inputs = layout.channel;
  inputs.insert(inputs.end(), layout.bank.begin(), layout.bank.end());
  inputs.insert(inputs.end(), layout.row.begin(), layout.row.end());
  FixedRandom random(parameters.seed);
  const unsigned outputs = channel_bits + bank_bits;
  const BitMatrix matrix =
      random_invertible(outputs, static_cast<unsigned>(inputs.size()),
                        {{0, channel_bits}, {0, channel_bits + slice_bits}, {0, outputs}}, random);
  return std::make_unique<Pae>(g, layout, address_masks(matrix, inputs, 0, channel_bits),
                               address_masks(matrix, inputs, channel_bits, bank_bits));
}

const PolicyRegistration<AddressMap> kRegistered(
    "pae", "channel and bank bits are parities of random address bits (Liu et al., ISCA'18)", make);

}  // namespace

}  // namespace tessera::address_map::pae
