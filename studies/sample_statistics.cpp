// SPDX-License-Identifier: Apache-2.0
#include "studies/sample_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace tessera::studies {
namespace {

constexpr std::size_t kFewestPairs = 3;

/// Ranks from 1; equal values get the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double v : values) {
    const auto below = std::count_if(values.begin(), values.end(), [v](double w) { return w < v; });
    const auto equal = std::count(values.begin(), values.end(), v);
    out.push_back(static_cast<double>(below) + (static_cast<double>(equal) + 1) / 2);
  }
  return out;
}

/// Rounding can give a set of equal values a small variance.
bool all_equal(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&values](double v) { return v == values.front(); });
}

}  // namespace

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

std::optional<double> pearson(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < kFewestPairs || all_equal(x) || all_equal(y)) return std::nullopt;
  const double middle_x = *mean_of(x);
  const double middle_y = *mean_of(y);
  double both = 0;
  double of_x = 0;
  double of_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - middle_x) * (y[i] - middle_y);
    of_x += (x[i] - middle_x) * (x[i] - middle_x);
    of_y += (y[i] - middle_y) * (y[i] - middle_y);
  }
  const double r = both / std::sqrt(of_x * of_y);
  if (!std::isfinite(r)) return std::nullopt;
  return std::clamp(r, -1.0, 1.0);
}

std::optional<double> spearman(const std::vector<double>& x, const std::vector<double>& y) {
  return pearson(ranks(x), ranks(y));
}

}  // namespace tessera::studies
