// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arrays and module variables of a manifest, and their initial contents.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stimuli/runner/element.h"
#include "stimuli/runner/formula.h"

namespace tessera::kernels {

struct Zero {};
/// Element i is start + i * step.
struct Iota {
  Number start = Formula{"0", {}};
  Number step = Formula{"1", {}};
};
/// All elements have the same value.
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
/// Running sums of row lengths: the row starts of a sparse matrix or graph with count - 1 rows.
/// With a Formula: random lengths between 0.5 and 1.5 times that degree. The lengths of a pair of
/// rows add up to twice the degree, so that an even number of rows has degree * rows elements.
/// With RandomIntegers: random lengths in that range.
/// With a list: the given lengths.
struct RowStarts {
  std::variant<Formula, RandomIntegers, std::vector<std::int64_t>> degrees;
  std::string pointer;
};
/// Column indices below `of` for the rows of `rows`. The columns of a row are distinct.
struct Columns {
  std::string rows;  ///< an array of row starts
  Formula of;
  bool sorted = true;  ///< true: ascending in each row; false: random order
  std::string pointer;
};
/// A list with one value per element.
struct List {
  std::vector<Literal> values;
  std::string pointer;
};
/// A file of raw little-endian elements, with its complete path.
struct FromFile {
  std::string path;
};
/// The initialiser of a module variable.
struct AsInModule {};
using Initial = std::variant<Zero, Iota, Constant, Uniform, RandomIntegers, Permutation, RowStarts,
                             Columns, List, FromFile, AsInModule>;

struct ArraySpec {
  std::string name;
  Element type = Element::kF32;
  /// Number of elements. Absent for Columns, whose row starts determine it, and for a variable
  /// until resolve_symbols() has set it.
  std::optional<Formula> count;
  Initial initial;
  /// Symbol of a module variable; empty for an array of the manifest.
  std::string symbol;
  std::string pointer;

  bool is_variable() const { return !symbol.empty(); }
};

}  // namespace tessera::kernels
