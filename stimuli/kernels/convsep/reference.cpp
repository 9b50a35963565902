// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_convsep {
namespace {

constexpr std::int64_t kRadius = 8;
// The kernel's taps are float literals.
constexpr float kTaps[2 * kRadius + 1] = {0.0125f, -0.025f, 0.0375f,  0.05f,   -0.0625f, 0.075f,
                                          0.0875f, 0.1f,    0.3f,     0.125f,  0.1375f,  -0.15f,
                                          0.025f,  0.0375f, -0.0125f, 0.0625f, -0.0375f};

/// Every thread adds its products in the order of the taps. Values outside of the image are 0.
FloatSum row_result(const Values<float>& image, std::int64_t width, std::int64_t y,
                    std::int64_t x) {
  FloatSum sum;
  for (std::int64_t j = -kRadius; j <= kRadius; ++j) {
    if (x + j < 0 || x + j >= width) continue;
    sum.add(double{kTaps[kRadius + j]} *
            double{image[static_cast<std::size_t>(y * width + x + j)]});
  }
  return sum;
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto image = in.values<float>("in");
  const std::int64_t width = in.size("width");
  const std::int64_t height = in.size("height");
  std::vector<FloatSum> rows;
  rows.reserve(image.size());
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) rows.push_back(row_result(image, width, y, x));
  }
  // Errors of the row pass propagate to the column pass.
  return {{"rows", [rows](std::uint64_t at) { return rows[at].expectation(); }},
          {"out", [=](std::uint64_t at) {
             const auto y = static_cast<std::int64_t>(at) / width;
             FloatSum sum;
             for (std::int64_t j = -kRadius; j <= kRadius; ++j) {
               if (y + j < 0 || y + j >= height) continue;
               const FloatSum& row = rows[at + static_cast<std::uint64_t>(j * width)];
               const double tap = double{kTaps[kRadius + j]};
               sum.add(tap * row.value(), std::fabs(tap) * row.error());
             }
             return sum.expectation();
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_convsep
