// SPDX-License-Identifier: Apache-2.0
#pragma once

// Samples of a design space. Equal arguments give equal samples on every machine: random numbers
// are the outputs of std::mt19937_64, which the standard defines, without a distribution of the
// library.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::studies {

/// One index per dimension: the level of the dimension.
using LevelPoint = std::vector<std::size_t>;
/// One number in [0, 1) per dimension.
using UnitPoint = std::vector<double>;

/// Product of the level counts; the largest std::size_t if it exceeds that.
std::size_t grid_size(const std::vector<std::size_t>& levels);
/// All combinations of levels. The last dimension varies fastest.
std::vector<LevelPoint> full_grid(const std::vector<std::size_t>& levels);

/// Independent, uniformly distributed points.
std::vector<UnitPoint> random_points(std::size_t points, std::size_t dimensions,
                                     std::uint64_t seed);

/// A Latin hypercube: of N points, each of the N equal intervals of each dimension has one point,
/// at a random position in the interval.
std::vector<UnitPoint> latin_hypercube(std::size_t points, std::size_t dimensions,
                                       std::uint64_t seed);

/// The Sobol sequence (boost::random::sobol, without the point at the origin) after its first
/// `skip` points.
std::vector<UnitPoint> sobol_points(std::size_t points, std::size_t dimensions, std::uint64_t skip);

/// The level of [0, 1) divided into `levels` equal intervals.
std::size_t level_of(double unit, std::size_t levels);

}  // namespace tessera::studies
