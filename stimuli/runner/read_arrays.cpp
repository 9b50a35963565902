// SPDX-License-Identifier: Apache-2.0
// Arrays, module variables and scalars of a manifest.

#include <algorithm>

#include "common/json.h"
#include "common/suggest.h"
#include "common/text.h"
#include "stimuli/runner/manifest_reader.h"

namespace tessera::kernels {

void ManifestReader::array(const Node& n) {
  n.object({"name", "type", "count", "init"});
  ArraySpec a;
  a.pointer = n.pointer();
  a.name = fresh_name(n);
  a.type = type(n);
  if (const auto init = n.member("init")) a.initial = initial(*init, a.type);
  // The row starts determine the number of columns.
  if (!std::holds_alternative<Columns>(a.initial) || n.member("count")) {
    a.count = formula(n.required("count"));
  }
  m_.arrays.push_back(std::move(a));
}

void ManifestReader::variable(const Node& n) {
  n.object({"name", "type", "init"});
  ArraySpec v;
  v.pointer = n.pointer();
  v.name = fresh_name(n);
  v.symbol = v.name;
  v.type = type(n);
  v.initial = AsInModule{};
  if (const auto init = n.member("init")) v.initial = initial(*init, v.type);
  m_.variables.push_back(std::move(v));
}

ScalarSpec ManifestReader::scalar(const Node& n, bool named) {
  n.object(named ? std::vector<std::string>{"name", "type", "value"}
                 : std::vector<std::string>{"type", "value"});
  ScalarSpec s;
  s.pointer = n.pointer();
  if (named) s.name = fresh_name(n);
  s.type = type(n);
  s.value = number_of(n.required("value"), s.type);
  return s;
}

Initial ManifestReader::initial(const Node& n, Element type) const {
  static const std::vector<std::string> kKinds = {"zero",       "iota",    "constant",
                                                  "uniform",    "random",  "permutation",
                                                  "row_starts", "columns", "file"};
  const auto unknown = [&](const Node& at, const std::string& kind) {
    at.fail("unknown initialisation \"" + kind + "\"" + did_you_mean(kind, kKinds) +
            " (known: " + joined(kKinds) + ", or a list of values)");
  };
  if (n.value().is_array()) return List{literals(n, type), n.pointer()};
  if (n.value().is_string()) {
    const std::string kind = n.string();
    if (kind == "zero") return Zero{};
    if (kind == "iota") return Iota{};
    if (kind == "permutation") {
      if (is_float(type)) n.fail("\"permutation\" is for integers");
      return Permutation{};
    }
    if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) unknown(n, kind);
    n.fail("\"" + kind + "\" needs values: {\"" + kind + "\": ...}");
  }
  const auto [kind, value] = n.only_member();
  if (kind == "constant") return Constant{number_of(value, type)};
  if (kind == "iota") {
    value.object({"start", "step"});
    Iota iota;
    if (const auto start = value.member("start")) iota.start = number_of(*start, type);
    if (const auto step = value.member("step")) iota.step = number_of(*step, type);
    return iota;
  }
  if (kind == "uniform") {
    if (!is_float(type)) value.fail("\"uniform\" is for f32 and f64; integers take \"random\"");
    const auto range = pair(value);
    Uniform u{range.first.number(), range.second.number()};
    if (!(u.low < u.high)) value.expected("[low, high] with low < high");
    return u;
  }
  if (kind == "random") {
    const auto range = pair(value);
    return RandomIntegers{formula(range.first), formula(range.second)};
  }
  if (kind == "row_starts") return row_starts(value, type);
  if (kind == "columns") return columns(value, type);
  if (kind == "file") return FromFile{path(value)};
  if (kind == "zero" || kind == "permutation") {
    value.fail("\"" + kind + "\" has no values: write \"init\": \"" + kind + "\"");
  }
  unknown(value, kind);
  return Zero{};
}

Initial ManifestReader::row_starts(const Node& n, Element type) const {
  if (is_float(type)) n.fail("\"row_starts\" is for integers");
  RowStarts out;
  out.pointer = n.pointer();
  if (n.value().is_array()) {
    std::vector<std::int64_t> degrees;
    for (const Node& d : n.elements()) {
      degrees.push_back(d.integer());
      if (degrees.back() < 0) d.expected("a degree of 0 or more");
    }
    out.degrees = std::move(degrees);
  } else if (n.value().is_object()) {
    n.object({"min", "max"});
    out.degrees = RandomIntegers{formula(n.required("min")), formula(n.required("max"))};
  } else {
    out.degrees = formula(n);
  }
  return out;
}

Initial ManifestReader::columns(const Node& n, Element type) const {
  if (is_float(type)) n.fail("\"columns\" is for integers");
  n.object({"rows", "of", "sorted"});
  Columns out;
  out.pointer = n.pointer();
  const Node rows = n.required("rows");
  const ArraySpec& starts = array_of(rows);
  if (is_float(starts.type) || starts.is_variable()) {
    rows.fail("\"" + starts.name + "\" is no array of integers, which row starts are");
  }
  out.rows = starts.name;
  out.of = formula(n.required("of"));
  if (const auto sorted = n.member("sorted")) out.sorted = sorted->boolean();
  return out;
}

std::pair<JsonNode, JsonNode> ManifestReader::pair(const Node& n) {
  const auto both = n.elements();
  if (both.size() != 2) n.expected("[low, high]");
  return {both[0], both[1]};
}

}  // namespace tessera::kernels
