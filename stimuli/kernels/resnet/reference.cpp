// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {
namespace {

/// Maps with their borders, and the error bounds of the kernels' maps.
using Maps = std::vector<Element64>;

/// Every thread adds its products in order. Errors of the input propagate. The border remains zero.
Maps convolution(const Maps& in, const Values<float>& weights, std::size_t channels,
                 std::size_t size) {
  const std::size_t width = size + 2;
  Maps out(in.size());
  for (std::size_t map = 0; map < channels; ++map) {
    for (std::size_t at = 0; at < size * size; ++at) {
      FloatSum sum;
      for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t tap = 0; tap < 9; ++tap) {
          const Element64& pixel =
              in[(c * width + at / size + tap / 3) * width + at % size + tap % 3];
          const double weight = double{weights[(map * channels + c) * 9 + tap]};
          sum.add(pixel.value * weight, pixel.allowed * std::fabs(weight));
        }
      }
      out[(map * width + at / size + 1) * width + at % size + 1] = sum.expectation();
    }
  }
  return out;
}

/// max(0, scale * maps + shift + added) within the borders; the rectifier does not increase errors.
Maps normalised(const Maps& in, const Values<float>& scale, const Values<float>& shift,
                const Maps& added, std::size_t size) {
  const std::size_t width = size + 2;
  Maps out(in.size());
  for (std::size_t at = 0; at < in.size(); ++at) {
    const std::size_t map = at / (width * width);
    const std::size_t y = at / width % width;
    const std::size_t x = at % width;
    if (x == 0 || y == 0 || x + 1 == width || y + 1 == width) continue;
    FloatSum sum;
    sum.add(double{scale[map]} * in[at].value, double{scale[map]} * in[at].allowed);
    sum.add(double{shift[map]});
    sum.add(added[at].value, added[at].allowed);
    out[at] = Element64::about(std::max(sum.value(), 0.0), sum.error());
  }
  return out;
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto channels = static_cast<std::size_t>(in.size("channels"));
  const auto size = static_cast<std::size_t>(in.size("size"));
  Maps x;
  for (const float v : in.values<float>("x")) x.push_back(Element64::about(double{v}, 0));
  const Maps nothing(x.size());
  const auto first = convolution(x, in.values<float>("weights_1"), channels, size);
  const auto middle =
      normalised(first, in.values<float>("scale_1"), in.values<float>("shift_1"), nothing, size);
  const auto second = convolution(middle, in.values<float>("weights_2"), channels, size);
  const auto out =
      normalised(second, in.values<float>("scale_2"), in.values<float>("shift_2"), x, size);
  const auto expected = [](const Maps& maps) {
    return [maps](std::uint64_t at) { return maps[at]; };
  };
  return {{"middle", expected(middle)}, {"second", expected(second)}, {"out", expected(out)}};
}

}  // namespace

Part part_of_resnet() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels
