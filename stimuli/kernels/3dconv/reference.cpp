// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {

Part part_of_3dconv() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto ni = static_cast<std::uint64_t>(in.size("ni"));
    const auto nj = static_cast<std::uint64_t>(in.size("nj"));
    const auto nk = static_cast<std::uint64_t>(in.size("nk"));
    // The kernel's weights are float literals: a plane's row before, element before, element,
    // element after, row after.
    constexpr float kWeights[3][5] = {{0.2f, -0.3f, 0.4f, 0.5f, -0.6f},
                                      {0.7f, 0.8f, -0.9f, 0.15f, 0.25f},
                                      {-0.35f, 0.45f, -0.55f, 0.65f, 0.75f}};
    // Every thread adds its products in that order. The border remains zero.
    return std::vector<Expectation>{
        {"b", [=](std::uint64_t at) {
           const std::uint64_t i = at / (nj * nk);
           const std::uint64_t j = at / nk % nj;
           const std::uint64_t k = at % nk;
           if (i == 0 || j == 0 || k == 0 || i + 1 == ni || j + 1 == nj || k + 1 == nk) {
             return Element64::about(0, 0);
           }
           FloatSum sum;
           for (std::uint64_t p = 0; p < 3; ++p) {
             const std::uint64_t centre = at + p * nj * nk - nj * nk;
             const std::uint64_t taps[5] = {centre - nk, centre - 1, centre, centre + 1,
                                            centre + nk};
             for (std::uint64_t t = 0; t < 5; ++t) {
               sum.add(double{kWeights[p][t]} * double{a[taps[t]]});
             }
           }
           return sum.expectation();
         }}};
  };
  return part;
}

}  // namespace tessera::kernels
