// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "stimuli/runner/max_pooling.h"
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_squeezenet {
namespace {

/// Maps, and the error bounds of the kernels' maps.
using Maps = std::vector<Element64>;

/// A sum of doubles with a bound of its difference from the kernel's, for any contraction.
class DoubleSum {
 public:
  void add(double term, double term_error = 0) {
    value_ += term;
    magnitude_ += std::fabs(term);
    inherited_ += term_error;
    ++terms_;
  }
  /// The rectifier does not increase errors.
  Element64 rectified() const {
    // Two roundings per term here, and as many in the kernel.
    const double rounding = 4 * static_cast<double>(terms_) * 0x1p-53 * magnitude_;
    return Element64::about(std::max(value_, 0.0), inherited_ + rounding);
  }

 private:
  double value_ = 0;
  double magnitude_ = 0;
  double inherited_ = 0;
  std::size_t terms_ = 0;
};

Maps first_layer(const Inputs& in) {
  const Values<std::int32_t> planes[] = {in.values<std::int32_t>("red"),
                                         in.values<std::int32_t>("green"),
                                         in.values<std::int32_t>("blue")};
  const auto weights = in.values<double>("first_weights");
  const auto maps = static_cast<std::size_t>(in.size("maps"));
  const auto size = static_cast<std::size_t>(in.size("size"));
  const std::size_t width = 2 * size + 5;
  Maps out;
  for (std::size_t map = 0; map < maps; ++map) {
    for (std::size_t at = 0; at < size * size; ++at) {
      DoubleSum sum;
      for (std::size_t tap = 0; tap < 49; ++tap) {
        const std::size_t pixel = (at / size * 2 + tap / 7) * width + at % size * 2 + tap % 7;
        for (std::size_t c = 0; c < 3; ++c) {
          sum.add(static_cast<double>(planes[c][pixel]) * weights[(map * 3 + c) * 49 + tap]);
        }
      }
      out.push_back(sum.rectified());
    }
  }
  return out;
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto maps = static_cast<std::size_t>(in.size("maps"));
  const auto in_size = static_cast<std::size_t>(in.size("size"));
  const std::size_t area = (in_size / 2) * (in_size / 2);
  const auto weights = in.values<double>("squeeze_weights");
  const Maps first = first_layer(in);
  const Maps middle = max_pooled(first, maps, in_size, in_size / 2);
  const auto squeezed = [=](std::uint64_t at) {
    DoubleSum sum;
    for (std::size_t c = 0; c < maps; ++c) {
      const Element64& pixel = middle[c * area + at % area];
      const double weight = weights[at / area * maps + c];
      sum.add(pixel.value * weight, pixel.allowed * std::fabs(weight));
    }
    return sum.rectified();
  };
  return {{"first", [first](std::uint64_t at) { return first[at]; }},
          {"pooled", [middle](std::uint64_t at) { return middle[at]; }},
          {"squeezed", squeezed}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_squeezenet
