// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_lavamd {
namespace {

constexpr std::size_t kNeighbours = 27;

struct Boxes {
  explicit Boxes(const Inputs& in) : nx(in.size("nx")), ny(in.size("ny")), nz(in.size("nz")) {}

  /// Calls `found` with the number of each box around a box, and of the box itself.
  template <class Found>
  void around(std::int64_t box, Found found) const {
    const auto clipped = [](std::int64_t at, std::int64_t n) {
      return std::array<std::int64_t, 2>{std::max<std::int64_t>(at - 1, 0),
                                         std::min(at + 1, n - 1)};
    };
    const auto x = clipped(box % nx, nx);
    const auto y = clipped(box / nx % ny, ny);
    const auto z = clipped(box / (nx * ny), nz);
    for (std::int64_t k = z[0]; k <= z[1]; ++k) {
      for (std::int64_t j = y[0]; j <= y[1]; ++j) {
        for (std::int64_t i = x[0]; i <= x[1]; ++i) found((k * ny + j) * nx + i);
      }
    }
  }
  std::int64_t count() const { return nx * ny * nz; }

  std::int64_t nx, ny, nz;
};

void host(HostSession& session) {
  const Boxes boxes(session.inputs());
  std::vector<std::int32_t> counts;
  std::vector<std::int32_t> neighbours;
  for (std::int64_t box = 0; box < boxes.count(); ++box) {
    const std::size_t begin = neighbours.size();
    boxes.around(box, [&](std::int64_t b) { neighbours.push_back(static_cast<std::int32_t>(b)); });
    counts.push_back(static_cast<std::int32_t>(neighbours.size() - begin));
    neighbours.resize(begin + kNeighbours);
  }
  session.write("neighbour_count", counts);
  session.write("neighbours", neighbours);
  session.launch_all();
}

/// Sum of terms of one particle: potential, then the force's components.
struct Sum {
  std::array<double, 4> value{};
  std::array<double, 4> magnitude{};
  std::size_t terms = 0;
};

/// In order of the acting particles: the contribution of each to all particles of the boxes around
/// it.
std::vector<Expectation> reference(const Inputs& in) {
  const Boxes boxes(in);
  const auto position = in.values<double>("position");
  const auto charge = in.values<double>("charge");
  const auto particles = static_cast<std::size_t>(in.size("particles"));
  const double alpha = in.scalar("alpha_squared_twice");
  std::vector<Sum> sums(charge.size());
  for (std::int64_t box = 0; box < boxes.count(); ++box) {
    const std::size_t acting = static_cast<std::size_t>(box) * particles;
    boxes.around(box, [&](std::int64_t around) {
      const std::size_t home = static_cast<std::size_t>(around) * particles;
      for (std::size_t b = acting; b < acting + particles; ++b) {
        for (std::size_t a = home; a < home + particles; ++a) {
          double r2 = position[4 * a] + position[4 * b];
          for (std::size_t c = 1; c < 4; ++c) r2 -= position[4 * a + c] * position[4 * b + c];
          const double weight = charge[b] * std::exp(-alpha * r2);
          Sum& sum = sums[a];
          ++sum.terms;
          for (std::size_t c = 0; c < 4; ++c) {
            const double term =
                c == 0 ? weight : 2 * weight * (position[4 * a + c] - position[4 * b + c]);
            sum.value[c] += term;
            sum.magnitude[c] += c == 0 ? weight : 2 * weight;
          }
        }
      }
    });
  }
  // A term, in units of the rounding to double: the exponent's sums are below 5 in magnitude and
  // round six times, and an error of the exponent is a relative one of the exponential; its 64th
  // power has 64 times the series' error (14 steps, the last two with full weight: below 4; the
  // truncation error of the series, (1.4 / 64)^8 / 8! relative to 1, is less than one) and that of
  // 63 products. Four more operations follow. The magnitudes omit differences of positions, because
  // these are below 1. Then one addition per term. The same bound is added for this reference.
  constexpr double kTerm = 5 * 6 + 64 * 5 + 63 + 4;
  return {{"force", [sums](std::uint64_t i) {
             const Sum& s = sums[i / 4];
             const double roundings = 2 * (kTerm + static_cast<double>(s.terms));
             return Element64::about(s.value[i % 4], roundings * 0x1p-53 * s.magnitude[i % 4]);
           }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_lavamd
