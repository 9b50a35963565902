// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_hotspot3d {
namespace {

void host(HostSession& session) { session.launch_all(session.size("rounds")); }

/// One axis at a time: each adds the contribution of the neighbours along it.
std::vector<Expectation> reference(const Inputs& in) {
  const auto power = in.values<float>("power");
  const auto initial = in.values<float>("even");
  const auto scalar = [&](const char* name) {
    return static_cast<double>(static_cast<float>(in.scalar(name)));
  };
  struct Axis {
    std::size_t stride;
    std::size_t length;
    double weight;
  };
  const auto nx = static_cast<std::size_t>(in.size("nx"));
  const auto ny = static_cast<std::size_t>(in.size("ny"));
  const auto nz = static_cast<std::size_t>(in.size("nz"));
  const std::array<Axis, 3> axes = {Axis{1, nx, scalar("across")}, Axis{nx, ny, scalar("along")},
                                    Axis{nx * ny, nz, scalar("through")}};
  const double own = scalar("own");
  const double heating = scalar("heating");
  const double from_outside = scalar("through") * scalar("ambient");
  std::vector<double> now(initial.begin(), initial.end());
  std::vector<double> before;
  const std::int64_t steps = 2 * in.size("rounds");
  for (std::int64_t s = 0; s < steps; ++s) {
    before = now;
    for (std::size_t at = 0; at < now.size(); ++at) {
      now[at] = own * before[at] + heating * double{power[at]} + from_outside;
    }
    for (const Axis& axis : axes) {
      for (std::size_t at = 0; at < now.size(); ++at) {
        const std::size_t place = at / axis.stride % axis.length;
        now[at] += axis.weight * (before[place > 0 ? at - axis.stride : at] +
                                  before[place + 1 < axis.length ? at + axis.stride : at]);
      }
    }
  }
  // A step is a mean of temperatures, so that errors do not grow, plus at most 1/4 for the power.
  // It adds its own roundings: at most eight of each term, of terms that add up to the result.
  const double warmest = 2 + static_cast<double>(steps) / 4;
  const double once = float_error(8, warmest);
  return {{"even", within(std::move(now), static_cast<double>(steps) * once)},
          {"odd", within(std::move(before), static_cast<double>(steps - 1) * once)}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_hotspot3d
