// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_simpleconvolution {
namespace {

/// In integers: the mask's values are integers up to 15, so that sums stay below 2^24 and the
/// kernel's float sums are exact.
std::vector<Expectation> reference(const Inputs& in) {
  const auto image = in.values<std::uint32_t>("in");
  const auto mask = in.values<float>("mask");
  const std::int64_t width = in.size("width");
  const std::int64_t height = in.size("height");
  const std::int64_t side = in.size("side");
  return {{"out", [=](std::uint64_t at) {
             const std::int64_t left = static_cast<std::int64_t>(at) % width - side / 2;
             const std::int64_t top = static_cast<std::int64_t>(at) / width - side / 2;
             std::int64_t sum = 0;
             for (std::int64_t m = 0; m < side * side; ++m) {
               const std::int64_t x = left + m % side;
               const std::int64_t y = top + m / side;
               if (x < 0 || x >= width || y < 0 || y >= height) continue;
               sum += std::int64_t{image[static_cast<std::size_t>(y * width + x)]} *
                      static_cast<std::int64_t>(mask[static_cast<std::size_t>(m)]);
             }
             return Element64::exactly(sum);
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_simpleconvolution
