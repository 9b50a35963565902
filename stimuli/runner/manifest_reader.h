// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the JSON of a manifest, key by key. Internal to manifest.cpp. Each part of the file has a
// separate source: read_arrays.cpp, read_steps.cpp, read_textures.cpp, read_outputs.cpp,
// read_figures.cpp.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/json_node.h"
#include "stimuli/runner/manifest.h"

namespace tessera::kernels {

/// Name of the innermost loop's pass in formulas.
inline constexpr const char* kIteration = "iteration";

/// Whether a name has letters, digits and '_' only, and does not begin with a digit.
bool is_identifier(const std::string& name);

class ManifestReader {
 public:
  /// `ptx`: paths of the PTX files; empty: the manifest's own. `replaced`: sizes of all scales.
  ManifestReader(Manifest& out, const nlohmann::json& root, std::string directory,
                 std::vector<std::string> ptx, Sizes replaced);

  /// Throws InputError.
  void read();

 private:
  using Node = JsonNode;

  std::string path(const Node& n) const;
  std::string fresh_name(const Node& n);
  static Element type(const Node& n);
  static Formula formula(const Node& n);
  static double real(const Node& n, Element type);
  /// A real number is an error for an integer type.
  static Number number_of(const Node& n, Element type);
  /// An element of a list: a number, or "nan", "inf", "-inf" for floating-point types.
  static Literal literal(const Node& n, Element type);
  static std::vector<Literal> literals(const Node& n, Element type);
  /// Fails unless the node is a known name.
  static void check_name(const Node& n, const std::set<std::string>& known, const char* what);
  std::string array_name(const Node& n) const;
  const ArraySpec& array_of(const Node& n) const;

  void ptx();
  void sizes();
  void replace_sizes();

  void array(const Node& n);
  void variable(const Node& n);
  ScalarSpec scalar(const Node& n, bool named);
  Initial initial(const Node& n, Element type) const;
  Initial row_starts(const Node& n, Element type) const;
  Initial columns(const Node& n, Element type) const;
  static std::pair<Node, Node> pair(const Node& n);

  void texture(const Node& n, bool is_surface);
  static TextureAddressing addressing(const Node& n);
  void check_sampling(const Node& n, const TextureSpec& t) const;

  void stream(const Node& n);
  std::vector<Step> steps(const Node& n);
  Step step(const Node& n);
  LaunchSpec launch(const Node& n);
  void order(const Node& n, LaunchSpec& launch);
  RepeatSpec repeat(const Node& n);
  UntilSpec until(const Node& n);
  FillSpec fill(const Node& n) const;
  SetSpec set(const Node& n) const;
  ElementRef element(const Node& n) const;
  /// The body of a loop, in which `iteration` and the counter are known.
  std::vector<Step> body(const Node& loop, std::string* counter);
  ArgumentSpec argument(const Node& n);
  StructSpec structure(const Node& n);
  static std::array<Formula, 3> dimensions(const Node& n);

  void output(const Node& n);
  void expected(const Node& n);
  void figure(const Node& n);

  Manifest& m_;
  Node root_;
  std::string directory_;
  Sizes size_names_;
  Sizes replaced_;
  /// Names that an argument can use.
  std::set<std::string> names_;
  std::set<std::string> launch_names_;
  unsigned loops_ = 0;  ///< number of loops that enclose the present step
};

}  // namespace tessera::kernels
