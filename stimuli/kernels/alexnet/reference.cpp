// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "stimuli/runner/max_pooling.h"
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_alexnet {
namespace {

/// Maps, and the error bounds of the kernels' maps.
using Maps = std::vector<Element64>;

/// The rectifier does not increase errors.
Element64 rectified(const FloatSum& sum) {
  return Element64::about(std::max(sum.value(), 0.0), sum.error());
}

/// Every thread adds its products in order: rows, columns, colours; then the bias.
Maps first_layer(const Inputs& in) {
  const auto image = in.values<float>("image");
  const auto weights = in.values<float>("first_weights");
  const auto bias = in.values<float>("first_bias");
  const auto size = static_cast<std::size_t>(in.size("size"));
  const std::size_t width = 4 * size + 7;
  Maps out;
  for (std::size_t map = 0; map < bias.size(); ++map) {
    for (std::size_t at = 0; at < size * size; ++at) {
      FloatSum sum;
      for (std::size_t tap = 0; tap < 121; ++tap) {
        const std::size_t pixel = (at / size * 4 + tap / 11) * width + at % size * 4 + tap % 11;
        for (std::size_t c = 0; c < 3; ++c) {
          sum.add(double{image[pixel * 3 + c]} * double{weights[(map * 3 + c) * 121 + tap]});
        }
      }
      sum.add(double{bias[map]});
      out.push_back(rectified(sum));
    }
  }
  return out;
}

/// Every thread adds its products in order: maps, rows, columns; then the bias. Errors of the
/// pooled maps propagate.
Element64 second_layer(const Maps& in, const Values<float>& weights, const Values<float>& bias,
                       std::size_t channels, std::size_t size, std::size_t at) {
  const std::size_t map = at / (size * size);
  const std::size_t row = at / size % size;
  const std::size_t column = at % size;
  FloatSum sum;
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t tap = 0; tap < 25; ++tap) {
      // Unsigned: a place before the map's begin is beyond its end.
      const std::size_t y = row + tap / 5 - 2;
      const std::size_t x = column + tap % 5 - 2;
      if (y >= size || x >= size) continue;
      const Element64& pixel = in[(c * size + y) * size + x];
      const double weight = double{weights[(map * channels + c) * 25 + tap]};
      sum.add(pixel.value * weight, pixel.allowed * std::fabs(weight));
    }
  }
  sum.add(double{bias[map]});
  return rectified(sum);
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto maps = static_cast<std::size_t>(in.size("maps"));
  const auto size = static_cast<std::size_t>(in.size("pooled"));
  const auto weights = in.values<float>("second_weights");
  const auto bias = in.values<float>("second_bias");
  const Maps first = first_layer(in);
  const Maps middle = max_pooled(first, maps, static_cast<std::size_t>(in.size("size")), size);
  return {{"first", [first](std::uint64_t at) { return first[at]; }},
          {"pooled", [middle](std::uint64_t at) { return middle[at]; }},
          {"second", [=](std::uint64_t at) {
             return second_layer(middle, weights, bias, maps / 2, size, at);
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_alexnet
