// SPDX-License-Identifier: Apache-2.0
// Outputs and expected values of a manifest.

#include <algorithm>

#include "common/json.h"
#include "common/suggest.h"
#include "stimuli/runner/manifest_reader.h"

namespace tessera::kernels {
namespace {

std::optional<double> tolerance(const JsonNode& n, const char* key) {
  const auto member = n.member(key);
  if (!member) return std::nullopt;
  const double v = member->number();
  if (!(v >= 0)) member->expected("a tolerance of 0 or more");
  return v;
}

}  // namespace

void ManifestReader::output(const Node& n) {
  n.object({"array", "absolute", "relative", "order", "nan", "file"});
  OutputSpec o;
  o.pointer = n.pointer();
  const Node name = n.required("array");
  o.array = array_name(name);
  o.absolute = tolerance(n, "absolute");
  o.relative = tolerance(n, "relative");
  if ((o.absolute || o.relative) && !is_float(m_.array(o.array)->type)) {
    n.fail("integers are compared exactly: they take no tolerance");
  }
  if (const auto order = n.member("order")) {
    order->one_of({"any"});
    o.any_order = true;
  }
  if (const auto nan = n.member("nan")) {
    nan->one_of({"equal"});
    if (!is_float(m_.array(o.array)->type)) nan->fail("integers have no NaN");
    o.nan_equal = true;
  }
  if (const auto file = n.member("file")) {
    o.file = file->string();
    const bool plain = !o.file.empty() && o.file[0] != '.' && o.file.find('/') == std::string::npos;
    if (!plain) file->expected("a file name without folders");
    if (o.file == "stats.json" || o.file == "stats.csv" || o.file == "report.html") {
      file->fail("\"" + o.file + "\" is a file of the run's own");
    }
  }
  for (const OutputSpec& other : m_.outputs) {
    if (other.array == o.array) name.fail("\"" + o.array + "\" is listed already");
    if (!o.file.empty() && other.file == o.file) {
      n.required("file").fail("\"" + o.file + "\" is the file of \"" + other.array + "\" already");
    }
  }
  m_.outputs.push_back(std::move(o));
}

void ManifestReader::expected(const Node& n) {
  std::vector<std::string> outputs;
  for (const OutputSpec& o : m_.outputs) outputs.push_back(o.array);
  if (!n.value().is_object()) n.expected("an object: array -> values or file");
  for (const auto& [array, values] : n.members()) {
    if (std::find(outputs.begin(), outputs.end(), array) == outputs.end()) {
      values.fail("\"" + array + "\" is not listed in \"outputs\"" + did_you_mean(array, outputs));
    }
    ExpectedSpec e;
    e.pointer = values.pointer();
    if (values.value().is_string()) {
      e.values = path(values);
    } else {
      e.values = literals(values, m_.array(array)->type);
    }
    m_.expected.emplace(array, std::move(e));
  }
}

}  // namespace tessera::kernels
