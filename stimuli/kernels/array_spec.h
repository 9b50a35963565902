// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arrays and module variables of a manifest, and their initial contents.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stimuli/kernels/element.h"
#include "stimuli/kernels/formula.h"

namespace tessera::kernels {

struct Zero {};
/// Element i is start + i * step.
struct Iota {
  Number start = Formula{"0", {}};
  Number step = Formula{"1", {}};
};
/// Every element is the same.
struct Constant {
  Number value;
};
/// Real numbers in [low, high).
struct Uniform {
  double low = 0;
  double high = 1;
};
/// Integers in [low, high], both included.
struct RandomIntegers {
  Formula low;
  Formula high;
};
/// The numbers 0 to count - 1 in random order.
struct Permutation {};
/// Running sums of row lengths: the row starts of a sparse matrix or graph of count - 1 rows.
/// With a Formula: lengths vary at random between half and one and a half times that degree; rows
/// come in pairs, so that the rows (an even number) have degree * rows elements in all.
/// With RandomIntegers: every length is random in that range.
/// With a list: the lengths themselves.
struct RowStarts {
  std::variant<Formula, RandomIntegers, std::vector<std::int64_t>> degrees;
  std::string pointer;
};
/// Column indices below `of` for the rows that `rows` starts. The columns of a row differ.
struct Columns {
  std::string rows;  ///< an array of row starts
  Formula of;
  bool sorted = true;  ///< ascending in each row; else in random order
  std::string pointer;
};
/// As many values as elements.
struct List {
  std::vector<Literal> values;
  std::string pointer;
};
/// Raw little-endian elements; the path is complete.
struct FromFile {
  std::string path;
};
/// A module variable's own initialiser.
struct AsInModule {};
using Initial = std::variant<Zero, Iota, Constant, Uniform, RandomIntegers, Permutation, RowStarts,
                             Columns, List, FromFile, AsInModule>;

struct ArraySpec {
  std::string name;
  Element type = Element::kF32;
  /// Elements. Absent: as many as the row starts of Columns say; for a variable, until
  /// ManifestWorkload has seen its symbol.
  std::optional<Formula> count;
  Initial initial;
  /// The module variable that it is. Empty for an array of the manifest's own.
  std::string symbol;
  std::string pointer;

  bool is_variable() const { return !symbol.empty(); }
};

}  // namespace tessera::kernels
