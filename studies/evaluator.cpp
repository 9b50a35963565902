// SPDX-License-Identifier: Apache-2.0
#include "studies/evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "studies/sample_statistics.h"

namespace tessera::studies {
namespace {

constexpr std::size_t kNoWorkload = static_cast<std::size_t>(-1);

std::optional<double> finite(double v) {
  return std::isfinite(v) ? std::optional<double>(v) : std::nullopt;
}

/// `here`: the workloads for which this node is evaluated.
void collect(const Node& n, const Selection& workloads, const Selection& here,
             std::set<Reading>& into) {
  if (n.kind == Node::Kind::kStatistic) {
    for (const std::size_t w : here) into.insert({n.platform, w, n.name});
  }
  const bool own = n.kind == Node::Kind::kAggregate || n.kind == Node::Kind::kPick;
  const Selection& inner = !own ? here : n.selection ? *n.selection : workloads;
  for (const Expression& a : n.arguments) collect(*a, workloads, inner, into);
}

}  // namespace

std::optional<double> mean_named(const std::string& name, const std::vector<double>& v) {
  const auto n = static_cast<double>(v.size());
  if (name == "max") return *std::max_element(v.begin(), v.end());
  if (name == "min") return *std::min_element(v.begin(), v.end());
  const auto sum_of = [&v](auto&& f) {
    return std::accumulate(v.begin(), v.end(), 0.0, [&f](double s, double x) { return s + f(x); });
  };
  // Conditions are 1 or 0.
  if (name == "sum" || name == "count") return finite(sum_of([](double x) { return x; }));
  if (name == "mean") return finite(sum_of([](double x) { return x; }) / n);
  // Harmonic and geometric means are defined for positive numbers only.
  if (*std::min_element(v.begin(), v.end()) <= 0) return std::nullopt;
  if (name == "hmean") return finite(n / sum_of([](double x) { return 1 / x; }));
  return finite(std::exp(sum_of([](double x) { return std::log(x); }) / n));
}

void collect_readings(const Expression& expression, const Selection& workloads,
                      std::set<Reading>& into) {
  collect(*expression, workloads, workloads, into);
}

std::optional<double> Evaluator::value(const Expression& expression) const {
  return evaluate(*expression, kNoWorkload);
}

std::optional<double> Evaluator::value_for(const Expression& expression,
                                           std::size_t workload) const {
  if (usable_.count(workload) == 0) return std::nullopt;
  return evaluate(*expression, workload);
}

std::optional<double> Evaluator::evaluate(const Node& n, std::size_t workload) const {
  using Kind = Node::Kind;
  if (n.kind == Kind::kNumber) return n.number;
  if (n.kind == Kind::kStatistic) return finite(read_({n.platform, workload, n.name}));
  if (n.kind == Kind::kAggregate) return aggregate(n);
  if (n.kind == Kind::kPick) return value_for(n.arguments[0], n.selection->front());

  std::vector<double> v;
  for (const Expression& a : n.arguments) {
    const auto one = evaluate(*a, workload);
    if (!one) return std::nullopt;
    v.push_back(*one);
  }
  switch (n.kind) {
    case Kind::kComparison:
      return compare(v[0], n.name, v[1]) ? 1 : 0;
    case Kind::kBoth:
      return *std::min_element(v.begin(), v.end());
    case Kind::kFunction:
      if (n.name == "abs") return std::fabs(v[0]);
      return n.name == "larger" ? std::max(v[0], v[1]) : std::min(v[0], v[1]);
    default:
      if (n.name == "+") return finite(v[0] + v[1]);
      if (n.name == "-") return finite(v[0] - v[1]);
      if (n.name == "*") return finite(v[0] * v[1]);
      return finite(v[0] / v[1]);
  }
}

std::optional<double> Evaluator::aggregate(const Node& n) const {
  std::vector<std::vector<double>> columns(n.arguments.size());
  for (const std::size_t w : n.selection ? *n.selection : workloads_) {
    if (usable_.count(w) == 0) continue;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto v = evaluate(*n.arguments[i], w);
      if (!v) return std::nullopt;
      columns[i].push_back(*v);
    }
  }
  if (columns[0].empty()) return std::nullopt;
  if (n.name == "spearman") return spearman(columns[0], columns[1]);
  return mean_named(n.name == "all" ? "min" : n.name == "any" ? "max" : n.name, columns[0]);
}

}  // namespace tessera::studies
