// SPDX-License-Identifier: Apache-2.0
#pragma once

// A workload's manifest: what a host program without logic says, as data. docs/guide/
// your-own-kernel.md describes the file for users.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/located_json.h"
#include "stimuli/kernels/element.h"
#include "stimuli/kernels/expression.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

/// An integer expression and the place in the manifest where it stands.
struct Formula {
  std::string text = "0";
  std::string pointer;
};

struct Zero {};
/// Element i is i.
struct Iota {};
/// Every element is the same.
struct Constant {
  std::variant<Formula, double> value;
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
/// Row starts of a sparse matrix or graph: running sums of row lengths that vary at random between
/// half and one and a half times `degree`; rows come in pairs, so that count - 1 rows (an even
/// number) have degree * rows elements in all.
struct RowStarts {
  Formula degree;
};
/// Raw little-endian elements; the path is complete.
struct FromFile {
  std::string path;
};
using Initial = std::variant<Zero, Iota, Constant, Uniform, RandomIntegers, RowStarts, FromFile>;

struct ArraySpec {
  std::string name;
  Element type = Element::kF32;
  Formula count;
  Initial initial;
  std::string pointer;
};

struct ScalarSpec {
  std::string name;  ///< empty for a scalar written in the list of arguments
  Element type = Element::kI32;
  std::variant<Formula, double> value;
  std::string pointer;
};

struct ArgumentSpec {
  /// Name of an array (its address is passed) or of a scalar; or a scalar written in place.
  std::variant<std::string, ScalarSpec> value;
  std::string pointer;
};

/// Formulas of a launch and of scalars may use `iteration`, which counts its repeats from 0.
struct LaunchSpec {
  std::string kernel;
  std::array<Formula, 3> grid{Formula{"1", {}}, Formula{"1", {}}, Formula{"1", {}}};
  std::array<Formula, 3> block{Formula{"1", {}}, Formula{"1", {}}, Formula{"1", {}}};
  Formula dynamic_shared;
  Formula repeat{"1", {}};
  std::vector<ArgumentSpec> arguments;
  std::string pointer;
};

struct OutputSpec {
  std::string array;
  /// An element passes when |got - expected| <= absolute + relative * |expected|. Only for arrays
  /// that `expected` lists; a C++ reference knows its own error bounds.
  std::optional<double> absolute;
  std::optional<double> relative;
  std::string pointer;
};

struct ExpectedSpec {
  /// The numbers, or a file of raw little-endian elements of the array's type.
  std::variant<std::vector<double>, std::string> values;
  std::string pointer;
};

struct Manifest {
  WorkloadInfo info;
  /// Complete path of the PTX file.
  std::string ptx;
  std::map<Scale, Sizes> sizes;
  std::vector<ArraySpec> arrays;
  std::vector<ScalarSpec> scalars;
  std::vector<LaunchSpec> launches;
  std::vector<OutputSpec> outputs;
  std::map<std::string, ExpectedSpec> expected;
  /// The manifest's text positions; the value itself is dropped.
  LocatedJson source;

  const ArraySpec* array(const std::string& name) const;
  const ScalarSpec* scalar(const std::string& name) const;
  /// Throws InputError "FILE:LINE: POINTER: message".
  [[noreturn]] void fail(const std::string& pointer, const std::string& message) const;
  /// Evaluates, naming the place when it cannot.
  std::int64_t value(const Formula& formula, const Sizes& sizes) const;
  /// The sizes of a scale. Throws InputError when the manifest has none for it.
  const Sizes& sizes_of(Scale scale) const;
};

const char* scale_name(Scale scale);

/// Loads and checks a manifest, without looking at its PTX. Every formula is tried at every scale.
/// Throws InputError (file, line, JSON path, what was expected, nearest known name).
/// `ptx`: the path of the PTX file, instead of the manifest's own, where it is not empty.
Manifest load_manifest(const std::string& path, const std::string& ptx = {});
/// The same from text; relative paths in it are relative to `path`'s folder.
Manifest parse_manifest(std::string_view text, const std::string& path);

}  // namespace tessera::kernels
