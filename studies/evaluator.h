// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "studies/expression.h"

namespace tessera::studies {

/// One statistic of one run.
struct Reading {
  std::size_t platform = 0;
  std::size_t workload = 0;
  std::string path;

  friend bool operator<(const Reading& a, const Reading& b) {
    return std::tie(a.workload, a.platform, a.path) < std::tie(b.workload, b.platform, b.path);
  }
};

/// Adds the readings of an expression. `workloads`: workloads of aggregates without a selection
/// and, for an expression with a value per workload, the workloads for which it is evaluated.
void collect_readings(const Expression& expression, const Selection& workloads,
                      std::set<Reading>& into);

/// The mean of a name in mean_names(), of at least one value. Empty if it is undefined: a harmonic
/// or geometric mean of a number that is not above 0.
std::optional<double> mean_named(const std::string& name, const std::vector<double>& values);

/// Evaluates expressions over a given set of workloads.
class Evaluator {
 public:
  /// Returns the value of a reading; called only for workloads of `usable`.
  using Read = std::function<double(const Reading&)>;

  /// `usable`: the workloads that have every reading. Aggregates exclude all others, also if they
  /// name them.
  Evaluator(Read read, Selection workloads, std::set<std::size_t> usable)
      : read_(std::move(read)), workloads_(std::move(workloads)), usable_(std::move(usable)) {}

  /// Value of an expression with one value. Empty if it is undefined: no usable workload, division
  /// by zero, undefined mean.
  std::optional<double> value(const Expression& expression) const;
  /// Value for one workload of an expression with a value per workload. Empty if it is undefined or
  /// the workload is not usable.
  std::optional<double> value_for(const Expression& expression, std::size_t workload) const;

 private:
  std::optional<double> evaluate(const Node& n, std::size_t workload) const;
  std::optional<double> aggregate(const Node& n) const;

  Read read_;
  Selection workloads_;
  std::set<std::size_t> usable_;
};

}  // namespace tessera::studies
