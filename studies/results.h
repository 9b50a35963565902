// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "studies/evaluator.h"
#include "studies/points.h"
#include "studies/study.h"

namespace tessera::studies {

/// Reads statistics of the runs, and says why one is not there. Refers to both arguments.
class Results {
 public:
  Results(const Study& study, const PointResults& results) : study_(study), results_(results) {}

  /// Empty when the run is not there or failed, and for what is no number.
  std::optional<double> value(const Reading& reading) const;
  /// Of the workloads that the readings name: those that have them all.
  std::set<std::size_t> usable(const std::set<Reading>& readings) const;
  /// Why the others are not: "no workload yet: LBM, NW; failed on nuba: MM".
  std::string missing(const std::set<Reading>& readings) const;
  /// Over the usable ones of `workloads`.
  Evaluator evaluator(const Selection& workloads, const std::set<Reading>& readings) const;

 private:
  std::string why_not(const Reading& reading) const;

  const Study& study_;
  const PointResults& results_;
};

}  // namespace tessera::studies
