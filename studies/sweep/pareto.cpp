// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/pareto.h"

#include <algorithm>
#include <numeric>
#include <pagmo/utils/hypervolume.hpp>
#include <pagmo/utils/multi_objective.hpp>

namespace tessera::studies {

std::vector<std::size_t> pareto_front(const std::vector<ObjectiveValues>& designs) {
  std::vector<std::size_t> front(designs.size());
  std::iota(front.begin(), front.end(), std::size_t{0});
  // pagmo sorts two points or more.
  if (designs.size() < 2) return front;
  const auto first = std::get<0>(pagmo::fast_non_dominated_sorting(designs)).front();
  front.assign(first.begin(), first.end());
  std::sort(front.begin(), front.end());
  return front;
}

double hypervolume(const std::vector<ObjectiveValues>& designs, const ObjectiveValues& reference) {
  std::vector<ObjectiveValues> inside;
  for (const ObjectiveValues& d : designs) {
    if (std::equal(d.begin(), d.end(), reference.begin(), std::less<>())) inside.push_back(d);
  }
  if (inside.empty()) return 0;
  // pagmo's algorithms are for two objectives or more.
  if (reference.size() == 1)
    return reference[0] - (*std::min_element(inside.begin(), inside.end()))[0];
  return pagmo::hypervolume(inside).compute(reference);
}

}  // namespace tessera::studies
