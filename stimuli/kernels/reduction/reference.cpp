// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {
namespace {

/// Additions on the longest way of an element to the sum of its launch: the thread's own, two a
/// step, and the tree over 256 threads.
std::uint64_t depth(std::uint64_t elements, std::uint64_t ctas) {
  const std::uint64_t a_step = 2 * 256 * ctas;
  return 2 * ((elements + a_step - 1) / a_step) + 8;
}

}  // namespace

Part reduction_part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto values = in.values<float>("in");
    const auto ctas = static_cast<std::uint64_t>(in.size("ctas"));
    double sum = 0;
    double magnitude = 0;
    for (const float v : values) {
      sum += double{v};
      magnitude += std::fabs(double{v});
    }
    const double allowed = float_error(depth(values.size(), ctas) + depth(ctas, 1), magnitude);
    return std::vector<Expectation>{
        {"sum", [=](std::uint64_t) { return Element64::about(sum, allowed); }}};
  };
  return part;
}

}  // namespace tessera::kernels
