// SPDX-License-Identifier: Apache-2.0
#pragma once

// A workload's manifest: what a host program says, as data. docs/guide/your-own-kernel.md describes
// the file for users.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/located_json.h"
#include "stimuli/kernels/array_spec.h"
#include "stimuli/kernels/element.h"
#include "stimuli/kernels/expression.h"
#include "stimuli/kernels/formula.h"
#include "stimuli/kernels/step.h"
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
  /// The module's .texref or .surfref that it is bound to; empty: none.
  std::string reference;
  std::string pointer;
};

struct OutputSpec {
  std::string array;  ///< or a variable
  /// An element passes when |got - expected| <= absolute + relative * |expected|. These and the
  /// next two only for arrays that `expected` lists; a C++ reference knows its own error bounds.
  std::optional<double> absolute;
  std::optional<double> relative;
  bool any_order = false;  ///< compared as multisets
  bool nan_equal = false;  ///< NaN passes where NaN is expected
  /// Name of the file that gets the raw elements, in the run's output folder; empty: none.
  std::string file;
  std::string pointer;
};

struct ExpectedSpec {
  /// The values, or a file of raw little-endian elements of the array's type.
  std::variant<std::vector<Literal>, std::string> values;
  std::string pointer;
};

struct Manifest {
  WorkloadInfo info;
  /// Complete paths of the PTX files, which are linked.
  std::vector<std::string> ptx;
  std::map<Scale, Sizes> sizes;
  std::vector<ArraySpec> arrays;
  std::vector<ArraySpec> variables;
  std::vector<ScalarSpec> scalars;
  std::vector<TextureSpec> textures;  ///< and surfaces
  std::vector<Step> steps;            ///< "launches"
  std::vector<OutputSpec> outputs;
  std::map<std::string, ExpectedSpec> expected;
  /// The manifest's text positions; the value itself is dropped.
  LocatedJson source;

  /// An array or variable; nullptr when there is none of that name.
  const ArraySpec* array(const std::string& name) const;
  const ScalarSpec* scalar(const std::string& name) const;
  const TextureSpec* texture(const std::string& name) const;
  /// Every launch, in the order of the text.
  std::vector<const LaunchSpec*> launches() const;

  /// Throws InputError "FILE:LINE: POINTER: message".
  [[noreturn]] void fail(const std::string& pointer, const std::string& message) const;
  /// Evaluates, naming the place when it cannot.
  std::int64_t value(const Formula& formula, const Sizes& sizes) const;
  /// The bytes of one element. Throws InputError when an integer does not fit.
  std::vector<std::byte> element(const Number& value, Element type, const Sizes& sizes) const;
  /// The sizes of a scale. Throws InputError when the manifest has none for it.
  const Sizes& sizes_of(Scale scale) const;
};

const char* scale_name(Scale scale);

/// Loads and checks a manifest, without looking at its PTX. Every formula is tried at every scale,
/// in the first and in the last pass of its loops.
/// Throws InputError (file, line, JSON path, what was expected, nearest known name).
/// `ptx`: the paths of the PTX files, instead of the manifest's own, where it is not empty.
Manifest load_manifest(const std::string& path, const std::vector<std::string>& ptx = {});
/// The same from text; relative paths in it are relative to `path`'s folder.
Manifest parse_manifest(std::string_view text, const std::string& path);

}  // namespace tessera::kernels
