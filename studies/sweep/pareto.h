// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pareto fronts of designs with one or more objectives, all of them minimised.

#include <cstddef>
#include <vector>

namespace tessera::studies {

/// Values of a design's objectives, all minimised.
using ObjectiveValues = std::vector<double>;

/// Ascending indices of the designs that no other design dominates. A design dominates another one
/// if it is at least as good in all objectives and better in one.
std::vector<std::size_t> pareto_front(const std::vector<ObjectiveValues>& designs);

/// Volume of the space between the designs and the reference point, which the designs dominate (2
/// objectives: an area, 1: a length). A design that is not better than the reference in all
/// objectives adds nothing. A larger volume is better.
double hypervolume(const std::vector<ObjectiveValues>& designs, const ObjectiveValues& reference);

}  // namespace tessera::studies
