// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_lbm {
namespace {

constexpr std::size_t kDirections = 19;
constexpr std::array<std::array<int, 3>, kDirections> kVelocity = {{{0, 0, 0},
                                                                    {1, 0, 0},
                                                                    {-1, 0, 0},
                                                                    {0, 1, 0},
                                                                    {0, -1, 0},
                                                                    {0, 0, 1},
                                                                    {0, 0, -1},
                                                                    {1, 1, 0},
                                                                    {-1, -1, 0},
                                                                    {1, -1, 0},
                                                                    {-1, 1, 0},
                                                                    {1, 0, 1},
                                                                    {-1, 0, -1},
                                                                    {1, 0, -1},
                                                                    {-1, 0, 1},
                                                                    {0, 1, 1},
                                                                    {0, -1, -1},
                                                                    {0, 1, -1},
                                                                    {0, -1, 1}}};

struct Lattice {
  std::size_t nx, ny, nz;

  std::size_t cells() const { return nx * ny * nz; }
  /// The cell one velocity away, in a periodic lattice.
  std::size_t neighbour(std::size_t cell, const std::array<int, 3>& v) const {
    const auto shifted = [](std::size_t at, int by, std::size_t n) {
      return static_cast<std::size_t>(static_cast<std::int64_t>(at + n) + by) % n;
    };
    const std::size_t x = shifted(cell % nx, v[0], nx);
    const std::size_t y = shifted(cell / nx % ny, v[1], ny);
    const std::size_t z = shifted(cell / (nx * ny), v[2], nz);
    return (z * ny + y) * nx + x;
  }
};

std::vector<double> step(const std::vector<double>& from, const Lattice& lattice, double omega) {
  std::vector<double> to(from.size());
  for (std::size_t cell = 0; cell < lattice.cells(); ++cell) {
    double density = 0;
    std::array<double, 3> u{};
    for (std::size_t d = 0; d < kDirections; ++d) {
      const double f = from[d * lattice.cells() + cell];
      density += f;
      for (std::size_t axis = 0; axis < 3; ++axis) u[axis] += kVelocity[d][axis] * f;
    }
    for (double& v : u) v /= density;
    const double still = 1 - 1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (std::size_t d = 0; d < kDirections; ++d) {
      const auto& v = kVelocity[d];
      const double weight = d == 0 ? 1.0 / 3 : d < 7 ? 1.0 / 18 : 1.0 / 36;
      const double along = v[0] * u[0] + v[1] * u[1] + v[2] * u[2];
      const double equilibrium = weight * density * (still + along * (3 + 4.5 * along));
      const double f = from[d * lattice.cells() + cell];
      to[d * lattice.cells() + lattice.neighbour(cell, v)] = f + omega * (equilibrium - f);
    }
  }
  return to;
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto initial = in.values<float>("even");
  const Lattice lattice{static_cast<std::size_t>(in.size("nx")),
                        static_cast<std::size_t>(in.size("ny")),
                        static_cast<std::size_t>(in.size("nz"))};
  const double omega = in.scalar("omega");
  const std::vector<double> odd =
      step(std::vector<double>(initial.begin(), initial.end()), lattice, omega);
  const std::vector<double> even = step(odd, lattice, omega);
  // A result takes at most 60 roundings of magnitudes up to the density, about 1 (19 values up to
  // 0.06, below 1.2). The error of a result is at most ten times that of the 19 inputs: the slopes
  // of its equilibrium add up to 19 / 3 for the velocity at rest and less for the others, times
  // omega 1.25, plus |1 - omega|.
  const double once = float_error(60, 1.2);
  return {{"odd", within(odd, once)}, {"even", within(even, 11 * once)}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_lbm
