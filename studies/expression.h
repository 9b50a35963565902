// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a study measures, as text: "hmean(cycles[uba-mem] / cycles[nuba], low-sharing) > 1".
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

/// A set of workloads, as indices of the study's list, ascending.
using Selection = std::vector<std::size_t>;

/// A node of a parsed expression. It is true or false (1 or 0) where `condition` says so, and has
/// one value for each workload where `per_workload` says so.
struct Node {
  enum class Kind {
    kNumber,
    kStatistic,   ///< `name` is the path into stats.json, of `platform`
    kArithmetic,  ///< `name`: "+", "-", "*", "/"
    kComparison,  ///< `name`: "<", "<=", ">", ">="
    kBoth,        ///< all arguments are true: a chain of comparisons
    kFunction,    ///< of values: "larger", "smaller", "abs"
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
  /// Aggregates and picks: the workloads that are named; aggregates that name none go over those
  /// of the claim or series in which they stand.
  std::optional<Selection> selection;
};

/// The names that an expression may use.
struct Vocabulary {
  std::vector<std::string> platforms;
  std::vector<std::string> workloads;
  /// Classes, and "all", with their workloads.
  std::vector<std::pair<std::string, Selection>> groups;
  /// Paths into stats.json that an expression may read; one that ends with ".*" stands for all that
  /// begin so. Empty: any.
  std::vector<std::string> statistics;

  bool knows_statistic(const std::string& path) const;
  /// A workload's or group's. Throws InputError with the nearest name.
  Selection select(const std::string& name) const;
  std::size_t platform(const std::string& name) const;
};

/// `each`: what the word "each" stands for; may be empty. Throws InputError with the column.
Expression parse_expression(const std::string& text, const Vocabulary& vocabulary,
                            const Expression& each = {});

/// The functions that take one value per workload and give one ("hmean", "max", ...).
std::vector<std::string> mean_names();

/// "ratio > 1", as claims.json says what the weakest acceptable outcome is.
struct Bound {
  std::string op;  ///< "<", "<=", ">", ">="
  double limit = 0;

  bool allows(double value) const;
};
/// Throws InputError when it is not NAME OPERATOR NUMBER with the name ratio, fraction or value.
Bound parse_bound(const std::string& text);

bool compare(double a, const std::string& op, double b);

}  // namespace tessera::studies
