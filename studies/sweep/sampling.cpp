// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sampling.h"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <limits>
#include <numeric>
#include <random>

namespace tessera::studies {
namespace {

/// The upper 53 bits as a number in [0, 1), exactly.
double unit_of(std::uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1p-53; }

}  // namespace

std::size_t grid_size(const std::vector<std::size_t>& levels) {
  std::size_t size = 1;
  for (const std::size_t n : levels) {
    if (n != 0 && size > std::numeric_limits<std::size_t>::max() / n) {
      return std::numeric_limits<std::size_t>::max();
    }
    size *= n;
  }
  return size;
}

std::vector<LevelPoint> full_grid(const std::vector<std::size_t>& levels) {
  std::vector<LevelPoint> points;
  points.reserve(grid_size(levels));
  for (std::size_t i = 0; i < points.capacity(); ++i) {
    LevelPoint p(levels.size());
    std::size_t rest = i;
    for (std::size_t d = levels.size(); d-- > 0; rest /= levels[d]) p[d] = rest % levels[d];
    points.push_back(std::move(p));
  }
  return points;
}

std::vector<UnitPoint> random_points(std::size_t points, std::size_t dimensions,
                                     std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<UnitPoint> out(points, UnitPoint(dimensions));
  for (UnitPoint& p : out) {
    for (double& x : p) x = unit_of(engine());
  }
  return out;
}

std::vector<UnitPoint> latin_hypercube(std::size_t points, std::size_t dimensions,
                                       std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<UnitPoint> out(points, UnitPoint(dimensions));
  std::vector<std::size_t> interval(points);
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::iota(interval.begin(), interval.end(), std::size_t{0});
    for (std::size_t i = points; i > 1; --i) {
      std::swap(interval[i - 1], interval[level_of(unit_of(engine()), i)]);
    }
    for (std::size_t i = 0; i < points; ++i) {
      out[i][d] =
          (static_cast<double>(interval[i]) + unit_of(engine())) / static_cast<double>(points);
    }
  }
  return out;
}

std::vector<UnitPoint> sobol_points(std::size_t points, std::size_t dimensions,
                                    std::uint64_t skip) {
  boost::random::sobol engine(dimensions);
  engine.discard(skip * dimensions);
  std::vector<UnitPoint> out(points, UnitPoint(dimensions));
  for (UnitPoint& p : out) {
    for (double& x : p) x = unit_of(engine());
  }
  return out;
}

std::size_t level_of(double unit, std::size_t levels) {
  return std::min(static_cast<std::size_t>(unit * static_cast<double>(levels)), levels - 1);
}

}  // namespace tessera::studies
