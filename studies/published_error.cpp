// SPDX-License-Identifier: Apache-2.0
#include "studies/published_error.h"

#include <cmath>

#include "studies/sample_statistics.h"

namespace tessera::studies {
namespace {

std::optional<double> correlation_of(const std::vector<MeasuredFigure>& figures) {
  std::vector<double> published;
  std::vector<double> measured;
  for (const MeasuredFigure& f : figures) {
    if (!(f.published > 0) || !(f.measured > 0)) return std::nullopt;
    published.push_back(std::log(f.published));
    measured.push_back(std::log(f.measured));
  }
  return pearson(published, measured);
}

}  // namespace

double error_of(double published, double measured) { return measured / published - 1; }

ErrorSummary summary_of(const std::vector<MeasuredFigure>& figures) {
  ErrorSummary s;
  std::vector<double> magnitudes;
  for (const MeasuredFigure& f : figures) {
    magnitudes.push_back(std::fabs(error_of(f.published, f.measured)));
    if (s.worst && magnitudes.back() <= *s.worst) continue;
    s.worst = magnitudes.back();
    s.worst_claim = f.claim;
  }
  s.figures = magnitudes.size();
  s.median = median_of(magnitudes);
  s.mean = mean_of(magnitudes);
  s.correlation = correlation_of(figures);
  return s;
}

}  // namespace tessera::studies
