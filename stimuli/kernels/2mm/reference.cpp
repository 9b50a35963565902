// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {

Part part_of_2mm() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto b = in.values<float>("b");
    const auto d = in.values<float>("d");
    const auto ni = static_cast<std::uint64_t>(in.size("ni"));
    const auto nk = static_cast<std::uint64_t>(in.size("nk"));
    const auto nj = static_cast<std::uint64_t>(in.size("nj"));
    const auto nl = static_cast<std::uint64_t>(in.size("nl"));
    // Every thread adds its products in the order of the inner dimension; what c may be wrong by
    // goes on into e.
    std::vector<FloatSum> c(ni * nj);
    for (std::uint64_t i = 0; i < ni; ++i) {
      for (std::uint64_t k = 0; k < nk; ++k) {
        for (std::uint64_t j = 0; j < nj; ++j) {
          c[i * nj + j].add(double{a[i * nk + k]} * double{b[k * nj + j]});
        }
      }
    }
    return std::vector<Expectation>{{"c", [c](std::uint64_t at) { return c[at].expectation(); }},
                                    {"e", [=](std::uint64_t at) {
                                       FloatSum sum;
                                       for (std::uint64_t j = 0; j < nj; ++j) {
                                         const FloatSum& left = c[at / nl * nj + j];
                                         const double right = double{d[j * nl + at % nl]};
                                         sum.add(left.value() * right,
                                                 left.error() * std::fabs(right));
                                       }
                                       return sum.expectation();
                                     }}};
  };
  return part;
}

}  // namespace tessera::kernels
