// SPDX-License-Identifier: Apache-2.0
// Figures of a manifest.

#include <algorithm>

#include "common/suggest.h"
#include "common/text.h"
#include "stimuli/runner/manifest_reader.h"

namespace tessera::kernels {
namespace {

const std::vector<std::string>& unit_words() {
  static const std::vector<std::string> words = {
      "access",      "atomic", "byte", "cycle", "element",   "flit", "flop",    "hop",
      "instruction", "launch", "line", "ns",    "operation", "page", "request", "sector"};
  return words;
}

/// A unit is a word, a word over a word, or empty (a share).
void check_unit(const JsonNode& n) {
  const std::string unit = n.string();
  if (unit.empty()) return;
  const std::size_t slash = unit.find('/');
  std::vector<std::string> parts = {unit.substr(0, slash)};
  if (slash != std::string::npos) parts.push_back(unit.substr(slash + 1));
  const std::vector<std::string>& words = unit_words();
  for (const std::string& part : parts) {
    if (std::find(words.begin(), words.end(), part) != words.end()) continue;
    n.fail("unknown unit \"" + part + "\"" + did_you_mean(part, words) +
           " (known: " + joined(words) + ", and one of them over another, \"byte/cycle\")");
  }
}

}  // namespace

void ManifestReader::figure(const Node& n) {
  n.object({"name", "unit", "description", "value"});
  FigureSpec f;
  const Node name = n.required("name");
  f.name = name.string();
  if (!is_identifier(f.name)) name.expected("a name of letters, digits and '_'");
  for (const FigureSpec& other : m_.figures) {
    if (other.name == f.name) name.fail("\"" + f.name + "\" is listed already");
  }
  const Node unit = n.required("unit");
  check_unit(unit);
  f.unit = unit.string();
  if (const auto description = n.member("description")) f.description = description->string();
  f.value = formula(n.required("value"));
  m_.figures.push_back(std::move(f));
}

}  // namespace tessera::kernels
