// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sensitivity.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tessera::studies {
namespace {

struct Group {
  double sum = 0;
  std::size_t count = 0;
};

/// Sum over groups of N_g (y_g - y_)^2.
template <class KeyOf>
std::pair<double, std::size_t> between_groups(const std::vector<double>& values, double mean,
                                              const KeyOf& key_of) {
  std::map<std::pair<std::size_t, std::size_t>, Group> groups;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Group& g = groups[key_of(i)];
    g.sum += values[i] - mean;
    ++g.count;
  }
  double sum = 0;
  for (const auto& [key, g] : groups) sum += g.sum * g.sum / static_cast<double>(g.count);
  return {sum, groups.size()};
}

}  // namespace

std::optional<Sensitivity> sensitivity(const std::vector<std::vector<std::size_t>>& levels,
                                       const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low == *high) return std::nullopt;
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double total = 0;
  for (const double y : values) total += (y - mean) * (y - mean);

  Sensitivity out;
  std::vector<std::size_t> varying;
  for (std::size_t f = 0; f < levels.size(); ++f) {
    const auto [sum, groups] = between_groups(values, mean, [&](std::size_t i) {
      return std::pair{levels[f][i], std::size_t{0}};
    });
    out.main.push_back(sum / total);
    if (groups > 1) varying.push_back(f);
  }
  for (std::size_t a = 0; a < varying.size(); ++a) {
    for (std::size_t b = a + 1; b < varying.size(); ++b) {
      const std::size_t f = varying[a];
      const std::size_t g = varying[b];
      const auto [sum, cells] = between_groups(values, mean, [&](std::size_t i) {
        return std::pair{levels[f][i], levels[g][i]};
      });
      if (varying.size() > 2 && values.size() < 2 * cells) continue;
      out.interactions.push_back({f, g, std::max(0.0, sum / total - out.main[f] - out.main[g])});
    }
  }
  std::stable_sort(out.interactions.begin(), out.interactions.end(),
                   [](const Interaction& x, const Interaction& y) { return x.share > y.share; });
  return out;
}

std::vector<std::size_t> rank_levels(const std::vector<double>& values, std::size_t bins) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> levels;
  levels.reserve(values.size());
  for (const double v : values) {
    const auto rank = static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), v) -
                                               sorted.begin());
    levels.push_back(rank * bins / values.size());
  }
  return levels;
}

}  // namespace tessera::studies
