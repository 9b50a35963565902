// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "stimuli/runner/max_pooling.h"
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_resnet {
namespace {

/// Maps, and the error bounds of the kernels' maps.
using Maps = std::vector<Element64>;

/// Every thread adds its products in order: rows, columns, colours. Taps in the image's border are
/// left out.
Maps first_layer(const Inputs& in) {
  const auto image = in.values<float>("image");
  const auto weights = in.values<float>("first_weights");
  const auto maps = static_cast<std::size_t>(in.size("maps"));
  const auto size = static_cast<std::size_t>(in.size("size"));
  const std::size_t width = 2 * size;
  Maps out;
  for (std::size_t map = 0; map < maps; ++map) {
    for (std::size_t at = 0; at < size * size; ++at) {
      FloatSum sum;
      for (std::size_t tap = 0; tap < 49; ++tap) {
        // Unsigned: a place before the image's begin is beyond its end.
        const std::size_t y = at / size * 2 + tap / 7 - 3;
        const std::size_t x = at % size * 2 + tap % 7 - 3;
        if (y >= width || x >= width) continue;
        for (std::size_t c = 0; c < 3; ++c) {
          sum.add(double{image[(y * width + x) * 3 + c]} *
                  double{weights[(map * 3 + c) * 49 + tap]});
        }
      }
      out.push_back(sum.expectation());
    }
  }
  return out;
}

/// Each map times its scale plus its shift. Errors propagate.
void scale(Maps& maps, const Values<float>& factors, const Values<float>& shifts) {
  const std::size_t area = maps.size() / factors.size();
  for (std::size_t at = 0; at < maps.size(); ++at) {
    const double factor = double{factors[at / area]};
    FloatSum sum;
    sum.add(factor * maps[at].value, std::fabs(factor) * maps[at].allowed);
    sum.add(double{shifts[at / area]});
    maps[at] = sum.expectation();
  }
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto maps = static_cast<std::size_t>(in.size("maps"));
  const auto size = static_cast<std::size_t>(in.size("size"));
  const std::size_t area = (size / 2) * (size / 2);
  const auto weights = in.values<float>("weights");
  Maps first = first_layer(in);
  scale(first, in.values<float>("deviation"), in.values<float>("mean"));
  scale(first, in.values<float>("scale"), in.values<float>("shift"));
  // The rectifier does not increase errors.
  for (Element64& pixel : first) pixel.value = std::max(pixel.value, 0.0);
  const Maps middle = max_pooled(first, maps, size, size / 2);
  const auto out = [=](std::uint64_t at) {
    FloatSum sum;
    for (std::size_t c = 0; c < maps; ++c) {
      const Element64& pixel = middle[c * area + at % area];
      const double weight = double{weights[at / area * maps + c]};
      sum.add(pixel.value * weight, pixel.allowed * std::fabs(weight));
    }
    return sum.expectation();
  };
  return {{"first", [first](std::uint64_t at) { return first[at]; }},
          {"pooled", [middle](std::uint64_t at) { return middle[at]; }},
          {"out", out}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_resnet
