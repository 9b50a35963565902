// SPDX-License-Identifier: Apache-2.0
#pragma once

// A workload's manifest: a host program as data. docs/guide/your-own-kernel.md describes the file
// for users.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/located_json.h"
#include "stimuli/runner/array_spec.h"
#include "stimuli/runner/element.h"
#include "stimuli/runner/expression.h"
#include "stimuli/runner/formula.h"
#include "stimuli/runner/step.h"
#include "stimuli/texture.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

/// A texture or surface over a whole array; rows are dense.
struct TextureSpec {
  std::string name;
  std::string array;
  bool is_surface = false;
  Formula width;
  std::optional<Formula> height;  ///< absent: one dimension
  std::optional<Formula> depth;   ///< present: three dimensions
  std::optional<Formula> layers;
  unsigned channels = 1;
  std::array<TextureAddressing, 3> addressing{TextureAddressing::kClamp, TextureAddressing::kClamp,
                                              TextureAddressing::kClamp};
  TextureFilter filter = TextureFilter::kPoint;
  bool normalized_coordinates = false;
  bool normalized_read = false;
  bool linear_memory = false;
  std::array<float, 4> border{};
  /// The .texref or .surfref of the module to which it is bound; empty: none.
  std::string reference;
  std::string pointer;
};

struct StreamSpec {
  std::string name;
  std::int32_t priority = 0;  ///< lower numbers first
};

struct OutputSpec {
  std::string array;  ///< or a variable
  /// An element passes if |got - expected| <= absolute + relative * |expected|. These two and the
  /// next two members apply only to arrays in `expected`; a C++ reference computes error bounds.
  std::optional<double> absolute;
  std::optional<double> relative;
  bool any_order = false;  ///< compare as multisets
  bool nan_equal = false;  ///< NaN passes if NaN is expected
  /// Name of a file in the run's output folder for the raw elements; empty: none.
  std::string file;
  std::string pointer;
};

struct ExpectedSpec {
  /// The values, or a file of raw little-endian elements of the array's type.
  std::variant<std::vector<Literal>, std::string> values;
  std::string pointer;
};

/// A named number that the manifest computes from the run.
struct FigureSpec {
  std::string name;
  std::string unit;
  std::string description;
  Formula value;  ///< for evaluate_figure()
};

struct Manifest {
  WorkloadInfo info;
  /// Complete paths of the PTX files, which are linked together.
  std::vector<std::string> ptx;
  std::map<Scale, Sizes> sizes;
  /// Bytes of stack of a thread; absent: ptx::kDefaultStackBytes.
  std::optional<Formula> stack_bytes;
  std::vector<ArraySpec> arrays;
  std::vector<ArraySpec> variables;
  std::vector<ScalarSpec> scalars;
  std::vector<TextureSpec> textures;  ///< and surfaces
  std::vector<StreamSpec> streams;
  std::vector<Step> steps;  ///< "launches"
  std::vector<OutputSpec> outputs;
  std::map<std::string, ExpectedSpec> expected;
  std::vector<FigureSpec> figures;
  /// Text positions of the manifest, without its value.
  LocatedJson source;

  /// The array or variable of a name, or nullptr.
  const ArraySpec* array(const std::string& name) const;
  const ScalarSpec* scalar(const std::string& name) const;
  const TextureSpec* texture(const std::string& name) const;
  const StreamSpec* stream(const std::string& name) const;
  /// Every launch, in the order of the text.
  std::vector<const LaunchSpec*> launches() const;

  /// Throws InputError "FILE:LINE: POINTER: message".
  [[noreturn]] void fail(const std::string& pointer, const std::string& message) const;
  /// Evaluates a formula. Throws InputError with its location.
  std::int64_t value(const Formula& formula, const Sizes& sizes) const;
  /// The bytes of one element. Throws InputError if an integer does not fit.
  std::vector<std::byte> element(const Number& value, Element type, const Sizes& sizes) const;
  /// The sizes of a scale. Throws InputError if the manifest has none for it.
  const Sizes& sizes_of(Scale scale) const;
};

const char* scale_name(Scale scale);

/// Loads and checks a manifest without its PTX. Evaluates every formula at every scale, in the
/// first and in the last pass of its loops. Throws InputError (file, line, JSON path, expected
/// value, nearest known name). `ptx`: if not empty, paths that replace the manifest's PTX files.
/// `sizes`: values that replace those of each scale.
Manifest load_manifest(const std::string& path, const std::vector<std::string>& ptx = {},
                       const Sizes& sizes = {});
/// The same from text; relative paths in it are relative to `path`'s folder.
Manifest parse_manifest(std::string_view text, const std::string& path);

}  // namespace tessera::kernels
