// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_hotspot {
namespace {

void host(HostSession& session) { session.launch_all(session.size("rounds")); }

/// Whole grids, one time step at a time.
std::vector<Expectation> reference(const Inputs& in) {
  const auto power = in.values<float>("power");
  const auto initial = in.values<float>("even");
  const auto columns = static_cast<std::size_t>(in.size("columns"));
  const auto rows = static_cast<std::size_t>(in.size("rows"));
  const auto scalar = [&](const char* name) {
    return static_cast<double>(static_cast<float>(in.scalar(name)));
  };
  const double step = scalar("step");
  const double across = scalar("across");
  const double along = scalar("along");
  const double outward = scalar("outward");
  const double ambient = scalar("ambient");
  std::vector<double> now(initial.begin(), initial.end());
  std::vector<double> before;
  const std::int64_t steps = 4 * in.size("rounds");
  for (std::int64_t s = 0; s < steps; ++s) {
    if (s == steps - 2) before = now;
    std::vector<double> next(now.size());
    for (std::size_t y = 0; y < rows; ++y) {
      for (std::size_t x = 0; x < columns; ++x) {
        const std::size_t at = y * columns + x;
        const double t = now[at];
        const double vertical =
            now[y > 0 ? at - columns : at] + now[y + 1 < rows ? at + columns : at] - 2 * t;
        const double horizontal = now[x > 0 ? at - 1 : at] + now[x + 1 < columns ? at + 1 : at];
        next[at] = t + step * (double{power[at]} + vertical * along +
                               (horizontal - 2 * t) * across + (ambient - t) * outward);
      }
    }
    now = next;
  }
  // A step is a mean of temperatures and the ambient one (the weight of the cell itself is above
  // 0.5), so that errors do not grow, plus at most step * power: temperatures stay below 2 + steps
  // / 4. It adds its own roundings: at most eight of each of five terms, whose magnitudes with the
  // factor `step` add up to less than three temperatures and a power.
  const double warmest = 2 + static_cast<double>(steps) / 4;
  const double once = float_error(8, 3 * warmest + 1);
  return {{"even", within(std::move(now), static_cast<double>(steps) * once)},
          {"odd", within(std::move(before), static_cast<double>(steps - 2) * once)}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_hotspot
