// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/manifest_reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "common/error.h"
#include "common/file_kind.h"
#include "common/json.h"
#include "common/suggest.h"
#include "common/text.h"

namespace tessera::kernels {
bool is_identifier(const std::string& name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

ManifestReader::ManifestReader(Manifest& out, const nlohmann::json& root, std::string directory,
                               std::vector<std::string> ptx, Sizes replaced)
    : m_(out),
      root_(out.source, root, ""),
      directory_(std::move(directory)),
      replaced_(std::move(replaced)) {
  m_.ptx = std::move(ptx);
}

void ManifestReader::read() {
  const std::string kind = json_kind(root_.value());
  if (!kind.empty() && kind != kManifestKind) {
    throw InputError(m_.source.file + ": expected " + kManifestKind + ", found " + kind);
  }
  root_.object({"name", "description", "family", "race_free", "ptx", "sizes", "stack_bytes",
                "arrays", "variables", "scalars", "textures", "surfaces", "streams", "launches",
                "outputs", "expected", "figures"});
  m_.info.name = root_.required("name").string();
  if (const auto n = root_.member("description")) m_.info.description = n->string();
  if (const auto n = root_.member("family")) m_.info.family = n->string();
  if (const auto n = root_.member("race_free")) m_.info.race_free = n->boolean();
  if (m_.ptx.empty()) ptx();
  sizes();
  replace_sizes();
  if (const auto n = root_.member("stack_bytes")) m_.stack_bytes = formula(*n);
  for (const Node& n : root_.required("arrays").elements()) array(n);
  const auto each = [this](const char* key, const auto& read_one) {
    const auto list = root_.member(key);
    if (!list) return;
    for (const Node& n : list->elements()) read_one(n);
  };
  each("variables", [this](const Node& n) { variable(n); });
  each("scalars", [this](const Node& n) { m_.scalars.push_back(scalar(n, true)); });
  each("textures", [this](const Node& n) { texture(n, false); });
  each("surfaces", [this](const Node& n) { texture(n, true); });
  each("streams", [this](const Node& n) { stream(n); });
  m_.steps = steps(root_.required("launches"));
  each("outputs", [this](const Node& n) { output(n); });
  if (const auto n = root_.member("expected")) expected(*n);
  each("figures", [this](const Node& n) { figure(n); });
  for (const OutputSpec& o : m_.outputs) {
    if (m_.expected.count(o.array) != 0) continue;
    const bool tolerance = o.absolute || o.relative;
    if (!m_.expected.empty() && o.file.empty()) {
      m_.fail(o.pointer, "nothing checks or keeps \"" + o.array +
                             "\": expected a \"file\", or values in \"expected\"");
    }
    if (!tolerance && !o.any_order && !o.nan_equal) continue;
    m_.fail(o.pointer, std::string(tolerance ? "a tolerance" : "a way to compare") +
                           " needs expected values: \"expected\" does not list \"" + o.array +
                           "\"");
  }
}

void ManifestReader::ptx() {
  const Node n = root_.required("ptx");
  if (!n.value().is_array()) {
    m_.ptx.push_back(path(n));
    return;
  }
  for (const Node& file : n.elements()) m_.ptx.push_back(path(file));
  if (m_.ptx.empty()) n.expected("at least one PTX file");
}

std::string ManifestReader::path(const Node& n) const {
  const std::string text = n.string();
  if (text.empty()) n.expected("a path");
  return (std::filesystem::path(directory_) / text).string();
}

void ManifestReader::sizes() {
  const auto node = root_.member("sizes");
  if (!node) {
    for (const Scale s : {Scale::kSmall, Scale::kMedium, Scale::kPaper}) m_.sizes[s];
    return;
  }
  node->object({"small", "medium", "paper"});
  std::string first;
  for (const Scale s : {Scale::kSmall, Scale::kMedium, Scale::kPaper}) {
    const auto scale = node->member(scale_name(s));
    if (!scale) continue;
    if (!scale->value().is_object()) scale->expected("an object of sizes");
    Sizes& out = m_.sizes[s];
    for (const auto& [name, size] : scale->members()) {
      if (name == "comment") continue;
      if (!is_identifier(name) || name == kIteration) {
        size.fail("a size's name has letters, digits and '_' only, and is not \"iteration\"");
      }
      out[name] = size.integer();
    }
    if (first.empty()) {
      first = scale_name(s);
      size_names_ = out;
    }
    if (!std::equal(out.begin(), out.end(), size_names_.begin(), size_names_.end(),
                    [](const auto& a, const auto& b) { return a.first == b.first; })) {
      scale->fail("has other names than the sizes of \"" + first + "\"");
    }
  }
  if (m_.sizes.empty()) node->fail("expected at least one of small, medium, paper");
}

void ManifestReader::replace_sizes() {
  for (const auto& [name, size] : replaced_) {
    if (size_names_.count(name) == 0) {
      std::vector<std::string> known;
      for (const auto& n : size_names_) known.push_back(n.first);
      throw InputError(m_.source.file + ": there is no size '" + name + "'" +
                       did_you_mean(name, known) +
                       (known.empty() ? "" : " (its sizes: " + joined(known) + ")"));
    }
    for (auto& scale : m_.sizes) scale.second[name] = size;
  }
}

std::string ManifestReader::fresh_name(const Node& n) {
  const Node name = n.required("name");
  std::string text = name.string();
  if (text.empty()) name.expected("a name");
  if (!names_.insert(text).second) name.fail("the name \"" + text + "\" is taken");
  return text;
}

Element ManifestReader::type(const Node& n) {
  const Node node = n.required("type");
  Element out{};
  if (!element_from_name(node.string(), &out)) {
    node.fail("unknown type \"" + node.string() + "\"" +
              did_you_mean(node.string(), element_names()) + " (known: " + joined(element_names()) +
              ")");
  }
  return out;
}

Formula ManifestReader::formula(const Node& n) {
  if (n.value().is_string()) return Formula{n.string(), n.pointer()};
  if (!n.is_int64()) n.expected("an integer or an expression (a string)");
  const std::int64_t v = n.integer();
  if (v == std::numeric_limits<std::int64_t>::min()) n.expected("a larger integer");
  return Formula{std::to_string(v), n.pointer()};
}

Number ManifestReader::number_of(const Node& n, Element type) {
  if (!n.value().is_number_float()) return formula(n);
  if (!is_float(type)) n.expected(std::string("an integer for the type ") + element_name(type));
  return real(n, type);
}

/// A number that is finite in the type.
double ManifestReader::real(const Node& n, Element type) {
  const double v = n.number();
  if (type == Element::kF32 && std::fabs(v) > std::numeric_limits<float>::max()) {
    n.fail(n.value().dump() + " does not fit the type f32");
  }
  return v;
}

Literal ManifestReader::literal(const Node& n, Element type) {
  Literal out;
  if (is_float(type)) {
    if (n.value().is_string()) {
      const std::string word = n.one_of({"nan", "inf", "-inf"});
      out.real = word == "nan"   ? std::numeric_limits<double>::quiet_NaN()
                 : word == "inf" ? HUGE_VAL
                                 : -HUGE_VAL;
    } else {
      out.real = real(n, type);
    }
    return out;
  }
  if (type == Element::kU64 && n.value().is_number_unsigned()) {
    out.integer = static_cast<std::int64_t>(n.value().get<std::uint64_t>());
    return out;
  }
  if (!n.is_int64()) n.expected(std::string("an integer for the type ") + element_name(type));
  out.integer = n.integer();
  if (!fits(type, out.integer)) {
    n.fail(std::to_string(out.integer) + " does not fit the type " + element_name(type));
  }
  return out;
}

std::vector<Literal> ManifestReader::literals(const Node& n, Element type) {
  std::vector<Literal> out;
  for (const Node& v : n.elements()) out.push_back(literal(v, type));
  return out;
}

void ManifestReader::check_name(const Node& n, const std::set<std::string>& known,
                                const char* what) {
  const std::string name = n.string();
  if (known.count(name) != 0) return;
  n.fail(std::string("unknown ") + what + " \"" + name + "\"" +
         did_you_mean(name, std::vector<std::string>(known.begin(), known.end())));
}

std::string ManifestReader::array_name(const Node& n) const {
  std::set<std::string> known;
  for (const ArraySpec& a : m_.arrays) known.insert(a.name);
  for (const ArraySpec& v : m_.variables) known.insert(v.name);
  check_name(n, known, m_.variables.empty() ? "array" : "array or variable");
  return n.string();
}

const ArraySpec& ManifestReader::array_of(const Node& n) const { return *m_.array(array_name(n)); }

}  // namespace tessera::kernels
