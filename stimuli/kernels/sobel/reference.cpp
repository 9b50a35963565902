// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_sobel {
namespace {

/// The largest integer whose square is at most v.
std::int64_t root(std::int64_t v) {
  std::int64_t r = 0;
  for (std::int64_t bit = 1024; bit > 0; bit /= 2) {
    if ((r + bit) * (r + bit) <= v) r += bit;
  }
  return r;
}

/// In integers: half of a root, rounded down, is half of the rounded-down root, rounded down. The
/// kernel's float root cannot reach the next integer: roots are below 1443, so that the distance of
/// a root from the next integer is at least 1 / 2886 and a rounding at most 1 / 16384.
std::vector<Expectation> reference(const Inputs& in) {
  const auto image = in.values<std::uint8_t>("in");
  const auto width = static_cast<std::size_t>(in.size("width"));
  const auto height = static_cast<std::size_t>(in.size("height"));
  return {{"out", [=](std::uint64_t i) {
             const std::size_t x = i / 4 % width;
             const std::size_t y = i / 4 / width;
             if (x == 0 || y == 0 || x + 1 == width || y + 1 == height)
               return Element64::exactly(0);
             // Differences of lines, smoothed along them.
             const auto smoothed = [&](std::size_t middle, std::size_t stride) {
               return std::int64_t{image[middle - stride]} + 2 * std::int64_t{image[middle]} +
                      std::int64_t{image[middle + stride]};
             };
             const std::int64_t gx = smoothed(i + 4, 4 * width) - smoothed(i - 4, 4 * width);
             const std::int64_t gy = smoothed(i + 4 * width, 4) - smoothed(i - 4 * width, 4);
             return Element64::exactly(std::min<std::int64_t>(root(gx * gx + gy * gy) / 2, 255));
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_sobel
