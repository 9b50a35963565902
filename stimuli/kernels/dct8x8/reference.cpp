// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_dct8x8 {
namespace {

constexpr std::size_t kSide = 8;

/// The element of the orthonormal transform for a frequency and a position.
double cosine(std::size_t frequency, std::size_t place) {
  constexpr double kPi = 3.14159265358979323846;
  const double scale = frequency == 0 ? std::sqrt(0.125) : 0.5;
  return scale *
         std::cos((2 * static_cast<double>(place) + 1) * static_cast<double>(frequency) * kPi / 16);
}

void host(HostSession& session) {
  std::vector<float> matrix;
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    matrix.push_back(static_cast<float>(cosine(i / kSide, i % kSide)));
  }
  session.write("matrix", matrix);
  session.launch_all();
}

/// The definition: one sum over a block's 64 pixels for each frequency.
std::vector<Expectation> reference(const Inputs& in) {
  const auto image = in.values<float>("in");
  const auto width = static_cast<std::size_t>(in.size("width"));
  // The kernel's matrix elements are rounded to float. A pixel is multiplied by two of them and
  // takes part in two products and two sums of eight.
  constexpr std::uint64_t kRoundings = 2 + 2 * kSide + 2;
  return {{"out", [=](std::uint64_t at) {
             const std::size_t x = at % width;
             const std::size_t y = at / width;
             double sum = 0;
             double magnitude = 0;
             for (std::size_t j = 0; j < kSide; ++j) {
               for (std::size_t i = 0; i < kSide; ++i) {
                 const double pixel =
                     double{image[(y - y % kSide + j) * width + x - x % kSide + i]};
                 const double term = cosine(y % kSide, j) * pixel * cosine(x % kSide, i);
                 sum += term;
                 magnitude += std::fabs(term);
               }
             }
             return Element64::about(sum, float_error(kRoundings, magnitude));
           }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_dct8x8
