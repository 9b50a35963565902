// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {

Part part_of_alexnet() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto maps = in.values<float>("in");
    const auto weights = in.values<float>("weights");
    const auto bias = in.values<float>("bias");
    const auto channels = static_cast<std::uint64_t>(in.size("channels"));
    const auto size = static_cast<std::uint64_t>(in.size("size"));
    constexpr std::uint64_t kFilter = 5;
    const std::uint64_t padded = size + kFilter - 1;
    // Every thread starts from the bias and adds its products in order: maps, rows, columns. The
    // rectifier does not increase errors.
    return std::vector<Expectation>{
        {"out", [=](std::uint64_t at) {
           const std::uint64_t map = at / (size * size);
           const std::uint64_t y = at / size % size;
           const std::uint64_t x = at % size;
           FloatSum sum;
           sum.add(double{bias[map]});
           for (std::uint64_t c = 0; c < channels; ++c) {
             for (std::uint64_t i = 0; i < kFilter; ++i) {
               for (std::uint64_t j = 0; j < kFilter; ++j) {
                 sum.add(double{maps[(c * padded + y + i) * padded + x + j]} *
                         double{weights[((map * channels + c) * kFilter + i) * kFilter + j]});
               }
             }
           }
           return Element64::about(std::max(sum.value(), 0.0), sum.error());
         }}};
  };
  return part;
}

}  // namespace tessera::kernels
