// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_stencil2d {
namespace {

void host(HostSession& session) {
  session.write("odd", session.inputs().values<float>("even").vector());
  for (std::int64_t r = 0; r < session.size("rounds"); ++r) session.launch_all();
}

/// The nine weights as three terms: the 3x3 square with the diagonal weight, the middle row and
/// column with the excess of the cardinal weight, and the centre with the rest of its weight.
std::vector<Expectation> reference(const Inputs& in) {
  const auto initial = in.values<float>("even");
  const auto rows = static_cast<std::size_t>(in.size("rows"));
  const auto columns = static_cast<std::size_t>(in.size("columns"));
  const auto pitch = static_cast<std::size_t>(in.scalar("pitch"));
  const auto scalar = [&](const char* name) {
    return static_cast<double>(static_cast<float>(in.scalar(name)));
  };
  const double diagonal = scalar("diagonal");
  const double cardinal = scalar("cardinal") - diagonal;
  const double centre = scalar("centre") - diagonal - 2 * cardinal;
  std::vector<double> now(initial.begin(), initial.end());
  std::vector<double> before;
  const std::int64_t steps = 2 * in.size("rounds");
  // The weights add up to 1.05, the growth of magnitudes and errors per step. A step rounds each of
  // its terms at most seven times.
  constexpr double kGrowth = 1.0500001;
  double largest = 1;
  double error = 0;
  double error_before = 0;
  for (std::int64_t s = 0; s < steps; ++s) {
    before = now;
    error_before = error;
    error = kGrowth * error + float_error(7, kGrowth * largest);
    largest = kGrowth * largest + error;
    for (std::size_t y = 1; y <= rows; ++y) {
      for (std::size_t x = 1; x <= columns; ++x) {
        const std::size_t at = y * pitch + x;
        const auto three = [&](std::size_t i, std::size_t stride) {
          return before[i - stride] + before[i] + before[i + stride];
        };
        const double square = three(at - pitch, 1) + three(at, 1) + three(at + pitch, 1);
        now[at] =
            diagonal * square + cardinal * (three(at, 1) + three(at, pitch)) + centre * before[at];
      }
    }
  }
  const auto about = [](std::vector<double> values, double e) {
    return
        [values = std::move(values), e](std::uint64_t i) { return Element64::about(values[i], e); };
  };
  return {{"even", about(std::move(now), error)}, {"odd", about(std::move(before), error_before)}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_stencil2d
