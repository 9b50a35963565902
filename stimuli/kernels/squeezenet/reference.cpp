// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {
namespace {

/// The rectifier does not increase errors.
Element64 rectified(const FloatSum& sum) {
  return Element64::about(std::max(sum.value(), 0.0), sum.error());
}

/// The squeezed maps with their borders of zeros.
std::vector<Element64> squeeze(const Inputs& in) {
  const auto pixels = in.values<float>("in");
  const auto weights = in.values<float>("squeeze_weights");
  const auto bias = in.values<float>("squeeze_bias");
  const auto channels = static_cast<std::size_t>(in.size("channels"));
  const auto size = static_cast<std::size_t>(in.size("size"));
  const std::size_t padded = size + 2;
  std::vector<Element64> out(bias.size() * padded * padded);
  for (std::size_t map = 0; map < bias.size(); ++map) {
    for (std::size_t at = 0; at < size * size; ++at) {
      FloatSum sum;
      sum.add(double{bias[map]});
      for (std::size_t c = 0; c < channels; ++c) {
        sum.add(double{pixels[c * size * size + at]} * double{weights[map * channels + c]});
      }
      out[(map * padded + at / size + 1) * padded + at % size + 1] = rectified(sum);
    }
  }
  return out;
}

std::vector<Expectation> reference(const Inputs& in) {
  const std::vector<Element64> squeezed_maps = squeeze(in);
  const auto weights_1x1 = in.values<float>("weights_1x1");
  const auto weights_3x3 = in.values<float>("weights_3x3");
  const auto bias = in.values<float>("bias");
  const auto squeezed = static_cast<std::size_t>(in.size("squeezed"));
  const auto expanded = static_cast<std::size_t>(in.size("expanded"));
  const auto size = static_cast<std::size_t>(in.size("size"));
  // Every thread starts from the bias and adds its products in order. Errors of the squeezed maps
  // propagate to the expanded ones.
  const auto expand = [=](std::uint64_t at) {
    const std::size_t padded = size + 2;
    const std::size_t map = at / (size * size) % expanded;
    const bool wide = at / (size * size) >= expanded;
    FloatSum sum;
    sum.add(double{bias[map]});
    for (std::size_t c = 0; c < squeezed; ++c) {
      for (std::size_t tap = 0; tap < (wide ? 9u : 1u); ++tap) {
        const std::size_t i = wide ? tap / 3 : 1;
        const std::size_t j = wide ? tap % 3 : 1;
        const Element64& pixel =
            squeezed_maps[(c * padded + at / size % size + i) * padded + at % size + j];
        const double weight = wide ? double{weights_3x3[(map * squeezed + c) * 9 + tap]}
                                   : double{weights_1x1[map * squeezed + c]};
        sum.add(pixel.value * weight, pixel.allowed * std::fabs(weight));
      }
    }
    return rectified(sum);
  };
  return {{"squeeze_out", [squeezed_maps](std::uint64_t i) { return squeezed_maps[i]; }},
          {"out", expand}};
}

}  // namespace

Part part_of_squeezenet() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels
