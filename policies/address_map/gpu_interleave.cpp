// SPDX-License-Identifier: Apache-2.0
// "gpu-interleave" (MGPUSim): the highest bits are the GPU's number, so that a GPU's memory is one
// address range; the bits above `interleave_bytes` are its channel's number.
//
//   high                                                        low
//   | GPU | row ... | bank high | column high | channel | slice | column low |
#include <algorithm>
#include <memory>
#include <string>

#include "common/error.h"
#include "policies/linear_map.h"

namespace tessera::address_map::gpu_interleave {

namespace {

std::vector<std::uint64_t> single_bits(const BitPositions& positions) {
  std::vector<std::uint64_t> masks;
  for (const std::uint8_t bit : positions) masks.push_back(std::uint64_t{1} << bit);
  return masks;
}

struct Parameters {
  std::uint32_t interleave_bytes = 128;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.integer("interleave_bytes", p.interleave_bytes, "byte",
            "bytes that stay together in one channel; a power of two from a line to the smaller of "
            "DRAM row and page (MGPUSim)",
            32, 1 << 20, {"system.interleave_bytes"});
}

std::unique_ptr<AddressMap> make(const PolicyContext& context, const Parameters& parameters) {
  const MemoryGeometry& g = context.memory;
  const std::uint32_t chunk = parameters.interleave_bytes;
  const std::uint64_t most = std::min<std::uint64_t>(g.row_bytes, g.page_bytes);
  if (chunk < g.line_bytes || chunk > most || !is_power_of_two(chunk)) {
    throw InputError("address map 'gpu-interleave': interleave_bytes is " + std::to_string(chunk) +
                     "; expected a power of two from " + std::to_string(g.line_bytes) +
                     " (a line) to " + std::to_string(most) +
                     " (the smaller of DRAM row and page)");
  }
  const unsigned gpu_bits = bits_below(g.gpus);
  const unsigned channel_bits = bits_below(g.channels / g.gpus);
  const unsigned bank_bits = log2_of(g.banks_per_channel);
  const unsigned slice_bits = log2_of(g.slices_per_channel);

  AddressLayout layout;
  layout.gpus = g.gpus;
  unsigned position = 0;
  const auto take = [&position](BitPositions& field, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i) field.push_back(static_cast<std::uint8_t>(position++));
  };
  take(layout.column, log2_of(chunk));
  take(layout.bank, slice_bits);
  take(layout.channel, channel_bits);
  take(layout.column, log2_of(g.row_bytes) - log2_of(chunk));
  take(layout.bank, bank_bits - slice_bits);
  take(layout.row, log2_of(g.channel_bytes / g.banks_per_channel / g.row_bytes));
  take(layout.channel, gpu_bits);
  return std::make_unique<RangedMap>(g, layout, single_bits(layout.channel),
                                     single_bits(layout.bank));
}

const PolicyRegistration<AddressMap> kRegistered(
    "gpu-interleave",
    "a GPU's memory is one range; within it, lines go to the channels in turn (MGPUSim)", make);

}  // namespace

}  // namespace tessera::address_map::gpu_interleave
