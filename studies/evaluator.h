// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "studies/expression.h"

namespace tessera::studies {

/// One statistic of one run that an expression needs.
struct Reading {
  std::size_t platform = 0;
  std::size_t workload = 0;
  std::string path;

  friend bool operator<(const Reading& a, const Reading& b) {
    return std::tie(a.workload, a.platform, a.path) < std::tie(b.workload, b.platform, b.path);
  }
};

/// Adds what the expression needs when its aggregates go over `workloads` where they name none (and
/// when it is evaluated for each of them where it has a value per workload).
void collect_readings(const Expression& expression, const Selection& workloads,
                      std::set<Reading>& into);

/// Evaluates expressions over a given set of workloads.
class Evaluator {
 public:
  /// Gives a reading's value; called only for workloads of `usable`.
  using Read = std::function<double(const Reading&)>;

  /// `usable`: the workloads that have every reading. Others are left out of every aggregate,
  /// named or not.
  Evaluator(Read read, Selection workloads, std::set<std::size_t> usable)
      : read_(std::move(read)), workloads_(std::move(workloads)), usable_(std::move(usable)) {}

  /// Of an expression with one value. Empty when there is none: no usable workload, a division by
  /// zero, a mean that is not defined.
  std::optional<double> value(const Expression& expression) const;
  /// Of an expression with a value per workload; empty for workloads that are not usable, too.
  std::optional<double> value_for(const Expression& expression, std::size_t workload) const;

 private:
  std::optional<double> evaluate(const Node& n, std::size_t workload) const;
  std::optional<double> aggregate(const Node& n) const;

  Read read_;
  Selection workloads_;
  std::set<std::size_t> usable_;
};

}  // namespace tessera::studies
