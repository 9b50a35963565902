// SPDX-License-Identifier: Apache-2.0
#pragma once

// Expressions of a study's measurements: "hmean(cycles[uba-mem] / cycles[nuba], low-sharing) > 1".
// docs/guide/studies.md describes the language for users.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::studies {

struct Node;
using Expression = std::shared_ptr<const Node>;

/// A set of workloads: ascending indices of the study's list.
using Selection = std::vector<std::size_t>;

/// A node of a parsed expression. If `condition`, its value is 1 (true) or 0 (false). If
/// `per_workload`, it has one value for each workload.
struct Node {
  enum class Kind {
    kNumber,
    kStatistic,   ///< `name` is the path into stats.json, of `platform`
    kArithmetic,  ///< `name`: "+", "-", "*", "/"
    kComparison,  ///< `name`: "<", "<=", ">", ">="
    kBoth,        ///< all arguments are true: a chain of comparisons
    kFunction,    ///< function of values: "larger", "smaller", "abs"
    kAggregate,   ///< over the workloads: "hmean", "max", ...
    kPick,        ///< the argument's value for the one workload of `selection`
  };
  Kind kind = Kind::kNumber;
  bool per_workload = false;
  bool condition = false;
  double number = 0;
  std::string name;
  std::size_t platform = 0;
  std::vector<Expression> arguments;
  /// Aggregates and picks: the named workloads. An aggregate without names uses the workloads of
  /// its claim or series.
  std::optional<Selection> selection;
};

/// The names that an expression can use.
struct Vocabulary {
  std::vector<std::string> platforms;
  std::vector<std::string> workloads;
  /// Classes, and "all", with their workloads.
  std::vector<std::pair<std::string, Selection>> groups;
  /// Paths into stats.json that an expression can read. A path with the suffix ".*" permits all
  /// paths with its prefix. Empty: all paths.
  std::vector<std::string> statistics;
  /// What a name without a platform is ("parameter"), as in "llc.sets * llc.ways": one number, of
  /// platform 0. There are then no platforms and no functions over workloads. Empty: a name needs a
  /// platform.
  std::string bare_names = {};

  bool knows_statistic(const std::string& path) const;
  /// The selection of a workload's or group's name. Throws InputError with the nearest name.
  Selection select(const std::string& name) const;
  std::size_t platform(const std::string& name) const;
};

/// `each`: the expression that replaces the word "each"; can be empty. Throws InputError with the
/// column.
Expression parse_expression(const std::string& text, const Vocabulary& vocabulary,
                            const Expression& each = {});

/// The functions that reduce one value per workload to one value ("hmean", "max", ...).
std::vector<std::string> mean_names();

/// The weakest acceptable outcome in claims.json: "ratio > 1".
struct Bound {
  std::string name;  ///< "ratio", "fraction", "value"
  std::string op;    ///< "<", "<=", ">", ">="
  double limit = 0;

  bool allows(double value) const;
};
/// Throws InputError unless the text is NAME OPERATOR NUMBER with the name ratio, fraction or
/// value.
Bound parse_bound(const std::string& text);

bool compare(double a, const std::string& op, double b);

}  // namespace tessera::studies
