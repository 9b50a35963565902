// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_3dconv {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto ni = static_cast<std::uint64_t>(in.size("ni"));
    const auto nj = static_cast<std::uint64_t>(in.size("nj"));
    const auto nk = static_cast<std::uint64_t>(in.size("nk"));
    // The kernel's taps in its order: planes, rows and elements away, and the float literals.
    struct Tap {
      int plane, row, element;
      float weight;
    };
    constexpr std::array<Tap, 11> kTaps = {{{-1, -1, -1, 0.2f},
                                            {1, -1, -1, -0.3f},
                                            {0, -1, 0, 0.4f},
                                            {0, 0, 0, 0.5f},
                                            {0, 1, 0, -0.6f},
                                            {-1, -1, 1, 0.7f},
                                            {1, -1, 1, 0.8f},
                                            {-1, 0, 1, -0.9f},
                                            {1, 0, 1, 0.15f},
                                            {-1, 1, 1, 0.25f},
                                            {1, 1, 1, -0.35f}}};
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
           for (const Tap& tap : kTaps) {
             const std::int64_t away = (tap.plane * static_cast<std::int64_t>(nj) + tap.row) *
                                           static_cast<std::int64_t>(nk) +
                                       tap.element;
             sum.add(double{tap.weight} * double{a[at + static_cast<std::uint64_t>(away)]});
           }
           return sum.expectation();
         }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_3dconv
