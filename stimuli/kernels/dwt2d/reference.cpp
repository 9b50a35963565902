// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_dwt2d {
namespace {

/// Lifts a line of n pixels, `along` apart, in place: odd pixels become details, even ones means.
/// Beyond the ends the line is mirrored, so that the last detail has its left neighbour twice and
/// the first mean its right one. Shifts round down.
void lift(std::int32_t* line, std::size_t n, std::size_t along) {
  const auto pixel = [&](std::size_t i) -> std::int32_t& { return line[i * along]; };
  for (std::size_t i = 1; i < n; i += 2) {
    pixel(i) -= (pixel(i - 1) + pixel(i + 1 < n ? i + 1 : i - 1)) >> 1;
  }
  for (std::size_t i = 0; i < n; i += 2) {
    pixel(i) += (pixel(i > 0 ? i - 1 : 1) + pixel(i + 1) + 2) >> 2;
  }
}

std::vector<Expectation> reference(const Inputs& in) {
  std::vector<std::int32_t> image = in.values<std::int32_t>("in").vector();
  const auto width = static_cast<std::size_t>(in.size("width"));
  const auto height = static_cast<std::size_t>(in.size("height"));
  for (std::size_t y = 0; y < height; ++y) lift(&image[y * width], width, 1);
  for (std::size_t x = 0; x < width; ++x) lift(&image[x], height, width);
  // Means first, then details, in both directions.
  const auto from = [](std::size_t at, std::size_t n) {
    return at < n / 2 ? 2 * at : 2 * (at - n / 2) + 1;
  };
  return {{"out", [=](std::uint64_t at) {
             return Element64::exactly(
                 image[from(at / width, height) * width + from(at % width, width)]);
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_dwt2d
