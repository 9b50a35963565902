// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "studies/evaluator.h"
#include "studies/points.h"
#include "studies/study.h"

namespace tessera::studies {

/// Reads statistics of the runs and explains missing ones. Refers to both arguments, which must
/// outlive the object.
class Results {
 public:
  Results(const Study& study, const PointResults& results) : study_(study), results_(results) {}

  /// Empty if the run is missing or failed, or if the statistic is not a number.
  std::optional<double> value(const Reading& reading) const;
  /// The workloads of the readings that have all their readings.
  std::set<std::size_t> usable(const std::set<Reading>& readings) const;
  /// The reasons for the other workloads: "no workload yet: LBM, NW; failed on nuba: MM".
  std::string missing(const std::set<Reading>& readings) const;
  /// An evaluator for the usable workloads among `workloads`.
  Evaluator evaluator(const Selection& workloads, const std::set<Reading>& readings) const;

 private:
  std::string why_not(const Reading& reading) const;

  const Study& study_;
  const PointResults& results_;
};

}  // namespace tessera::studies
