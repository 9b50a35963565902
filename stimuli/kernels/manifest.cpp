// SPDX-License-Identifier: Apache-2.0
#include "stimuli/kernels/manifest.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/json_node.h"
#include "common/suggest.h"

namespace tessera::kernels {
namespace {

using nlohmann::json;

constexpr const char* kIteration = "iteration";

using Node = JsonNode;

Formula formula(const Node& n) {
  if (n.value().is_string()) return Formula{n.string(), n.pointer()};
  if (!n.is_int64()) n.expected("an integer or an expression (a string)");
  const std::int64_t v = n.integer();
  if (v == std::numeric_limits<std::int64_t>::min()) n.expected("a larger integer");
  return Formula{std::to_string(v), n.pointer()};
}

std::variant<Formula, double> formula_or_number(const Node& n) {
  if (n.value().is_number_float()) return n.number();
  return formula(n);
}

bool is_identifier(const std::string& name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

/// Reads the JSON into the manifest, key by key.
class Reader {
 public:
  /// `ptx`: path of the PTX file; empty: the manifest's own.
  Reader(Manifest& out, const json& root, std::string directory, std::string ptx)
      : m_(out), root_(out.source, root, ""), directory_(std::move(directory)) {
    m_.ptx = std::move(ptx);
  }

  void read() {
    root_.object({"name", "description", "family", "race_free", "ptx", "sizes", "arrays", "scalars",
                  "launches", "outputs", "expected"});
    m_.info.name = root_.required("name").string();
    if (const auto n = root_.member("description")) m_.info.description = n->string();
    if (const auto n = root_.member("family")) m_.info.family = n->string();
    if (const auto n = root_.member("race_free")) m_.info.race_free = n->boolean();
    if (m_.ptx.empty()) m_.ptx = path(root_.required("ptx"));
    sizes();
    for (const Node& n : root_.required("arrays").elements()) array(n);
    if (const auto list = root_.member("scalars")) {
      for (const Node& n : list->elements()) m_.scalars.push_back(scalar(n, true));
    }
    for (const Node& n : root_.required("launches").elements()) launch(n);
    if (const auto list = root_.member("outputs")) {
      for (const Node& n : list->elements()) output(n);
    }
    if (const auto n = root_.member("expected")) expected(*n);
    for (const OutputSpec& o : m_.outputs) {
      if ((o.absolute || o.relative) && m_.expected.count(o.array) == 0) {
        m_.fail(o.pointer, "a tolerance needs expected values: \"expected\" does not list \"" +
                               o.array + "\"");
      }
    }
    try_formulas();
  }

 private:
  std::string path(const Node& n) const {
    const std::string text = n.string();
    if (text.empty()) n.expected("a path");
    return (std::filesystem::path(directory_) / text).string();
  }

  void sizes() {
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
      for (auto it = scale->value().begin(); it != scale->value().end(); ++it) {
        if (it.key() == "comment") continue;
        const Node size = scale->required(it.key());
        if (!is_identifier(it.key()) || it.key() == kIteration) {
          size.fail("a size's name has letters, digits and '_' only, and is not \"iteration\"");
        }
        out[it.key()] = size.integer();
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

  std::string fresh_name(const Node& n) {
    const Node name = n.required("name");
    std::string text = name.string();
    if (text.empty()) name.expected("a name");
    if (!names_.insert(text).second) name.fail("the name \"" + text + "\" is taken");
    return text;
  }

  Element type(const Node& n) const {
    const Node node = n.required("type");
    Element out{};
    if (!element_from_name(node.string(), &out)) {
      node.fail("unknown type \"" + node.string() + "\"" +
                did_you_mean(node.string(), element_names()) +
                " (known: " + joined(element_names()) + ")");
    }
    return out;
  }

  void array(const Node& n) {
    n.object({"name", "type", "count", "init"});
    ArraySpec a;
    a.pointer = n.pointer();
    a.name = fresh_name(n);
    a.type = type(n);
    a.count = formula(n.required("count"));
    if (const auto init = n.member("init")) a.initial = initial(*init, a.type);
    m_.arrays.push_back(std::move(a));
  }

  Initial initial(const Node& n, Element type) const {
    static const std::vector<std::string> kKinds = {"zero",   "iota",       "constant", "uniform",
                                                    "random", "row_starts", "file"};
    const auto unknown = [&](const Node& at, const std::string& kind) {
      at.fail("unknown initialisation \"" + kind + "\"" + did_you_mean(kind, kKinds) +
              " (known: " + joined(kKinds) + ")");
    };
    if (n.value().is_string()) {
      const std::string kind = n.string();
      if (kind == "zero") return Zero{};
      if (kind == "iota") return Iota{};
      if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) unknown(n, kind);
      n.fail("\"" + kind + "\" needs values: {\"" + kind + "\": ...}");
    }
    const auto [kind, value] = n.only_member();
    if (kind == "constant") return Constant{numeric(value, type)};
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
    if (kind == "row_starts") {
      if (is_float(type)) value.fail("\"row_starts\" is for integers");
      return RowStarts{formula(value)};
    }
    if (kind == "file") return FromFile{path(value)};
    unknown(value, kind);
    return Zero{};
  }

  static std::variant<Formula, double> numeric(const Node& n, Element type) {
    auto value = formula_or_number(n);
    if (std::holds_alternative<double>(value) && !is_float(type)) {
      n.expected(std::string("an integer for the type ") + element_name(type));
    }
    return value;
  }

  static std::pair<Node, Node> pair(const Node& n) {
    const auto both = n.elements();
    if (both.size() != 2) n.expected("[low, high]");
    return {both[0], both[1]};
  }

  ScalarSpec scalar(const Node& n, bool named) {
    n.object(named ? std::vector<std::string>{"name", "type", "value"}
                   : std::vector<std::string>{"type", "value"});
    ScalarSpec s;
    s.pointer = n.pointer();
    if (named) s.name = fresh_name(n);
    s.type = type(n);
    s.value = numeric(n.required("value"), s.type);
    return s;
  }

  static std::array<Formula, 3> dimensions(const Node& n) {
    std::array<Formula, 3> out{Formula{"1", n.pointer()}, Formula{"1", n.pointer()},
                               Formula{"1", n.pointer()}};
    if (!n.value().is_array()) {
      out[0] = formula(n);
      return out;
    }
    const auto list = n.elements();
    if (list.empty() || list.size() > 3) n.expected("one to three dimensions");
    for (std::size_t i = 0; i < list.size(); ++i) out[i] = formula(list[i]);
    return out;
  }

  void launch(const Node& n) {
    n.object({"kernel", "grid", "block", "dynamic_shared", "repeat", "arguments"});
    LaunchSpec l;
    l.pointer = n.pointer();
    l.kernel = n.required("kernel").string();
    l.grid = dimensions(n.required("grid"));
    l.block = dimensions(n.required("block"));
    if (const auto d = n.member("dynamic_shared")) l.dynamic_shared = formula(*d);
    if (const auto r = n.member("repeat")) l.repeat = formula(*r);
    for (const Node& a : n.required("arguments").elements()) {
      ArgumentSpec argument;
      argument.pointer = a.pointer();
      if (a.value().is_object()) {
        argument.value = scalar(a, false);
      } else {
        if (!a.value().is_string()) {
          a.expected("the name of an array or scalar, or {\"type\": ..., \"value\": ...}");
        }
        check_name(a, names_, "array or scalar");
        argument.value = a.string();
      }
      l.arguments.push_back(std::move(argument));
    }
    m_.launches.push_back(std::move(l));
  }

  static void check_name(const Node& n, const std::set<std::string>& known, const char* what) {
    const std::string name = n.string();
    if (known.count(name) != 0) return;
    n.fail(std::string("unknown ") + what + " \"" + name + "\"" +
           did_you_mean(name, std::vector<std::string>(known.begin(), known.end())));
  }

  std::set<std::string> array_names() const {
    std::set<std::string> out;
    for (const ArraySpec& a : m_.arrays) out.insert(a.name);
    return out;
  }

  static std::optional<double> tolerance(const Node& n, const char* key) {
    const auto member = n.member(key);
    if (!member) return std::nullopt;
    const double v = member->number();
    if (!(v >= 0)) member->expected("a tolerance of 0 or more");
    return v;
  }

  void output(const Node& n) {
    n.object({"array", "absolute", "relative"});
    OutputSpec o;
    o.pointer = n.pointer();
    const Node name = n.required("array");
    check_name(name, array_names(), "array");
    o.array = name.string();
    for (const OutputSpec& other : m_.outputs) {
      if (other.array == o.array) name.fail("\"" + o.array + "\" is listed already");
    }
    o.absolute = tolerance(n, "absolute");
    o.relative = tolerance(n, "relative");
    m_.outputs.push_back(std::move(o));
  }

  void expected(const Node& n) {
    std::set<std::string> outputs;
    for (const OutputSpec& o : m_.outputs) outputs.insert(o.array);
    if (!n.value().is_object()) n.expected("an object: array -> values or file");
    for (auto it = n.value().begin(); it != n.value().end(); ++it) {
      const Node values = n.required(it.key());
      if (outputs.count(it.key()) == 0) {
        values.fail(
            "\"" + it.key() + "\" is not listed in \"outputs\"" +
            did_you_mean(it.key(), std::vector<std::string>(outputs.begin(), outputs.end())));
      }
      ExpectedSpec e;
      e.pointer = values.pointer();
      if (values.value().is_string()) {
        e.values = path(values);
      } else {
        std::vector<double> numbers;
        for (const Node& v : values.elements()) numbers.push_back(v.number());
        e.values = std::move(numbers);
      }
      m_.expected.emplace(it.key(), std::move(e));
    }
  }

  /// Evaluates everything once at every scale, so that a mistake shows before anything runs.
  void try_formulas() const {
    for (const auto& [scale, sizes] : m_.sizes) {
      for (const ArraySpec& a : m_.arrays) {
        const std::int64_t count = m_.value(a.count, sizes);
        if (count < 1 || count > (std::int64_t{1} << 40)) {
          m_.fail(a.count.pointer, "expected between 1 and 2^40 elements, found " +
                                       std::to_string(count) + " at scale " + scale_name(scale));
        }
        if (const auto* c = std::get_if<Constant>(&a.initial)) check_value(c->value, a.type, sizes);
        if (const auto* r = std::get_if<RandomIntegers>(&a.initial)) {
          check_value(r->low, a.type, sizes);
          check_value(r->high, a.type, sizes);
          if (m_.value(r->low, sizes) > m_.value(r->high, sizes)) {
            m_.fail(r->low.pointer, "expected low <= high");
          }
        }
        if (const auto* r = std::get_if<RowStarts>(&a.initial)) {
          const std::int64_t degree = m_.value(r->degree, sizes);
          if (count % 2 == 0) m_.fail(a.pointer, "row_starts needs an even number of rows");
          if (degree < 0 || degree > (std::int64_t{1} << 20)) {
            m_.fail(r->degree.pointer, "expected a degree between 0 and 2^20");
          }
          if (!fits(a.type, degree * (count - 1))) {
            m_.fail(r->degree.pointer, "the row starts do not fit the array's type");
          }
        }
      }
      Sizes with_iteration = sizes;
      with_iteration[kIteration] = 0;
      for (const ScalarSpec& s : m_.scalars) check_value(s.value, s.type, with_iteration);
      for (const LaunchSpec& l : m_.launches) {
        for (const Formula& f : l.grid) at_least(f, 1, with_iteration);
        for (const Formula& f : l.block) at_least(f, 1, with_iteration);
        at_least(l.dynamic_shared, 0, with_iteration);
        at_least(l.repeat, 0, sizes);
        for (const ArgumentSpec& a : l.arguments) {
          if (const auto* s = std::get_if<ScalarSpec>(&a.value)) {
            check_value(s->value, s->type, with_iteration);
          }
        }
      }
    }
  }

  void at_least(const Formula& f, std::int64_t least, const Sizes& sizes) const {
    const std::int64_t v = m_.value(f, sizes);
    if (v < least || v > std::numeric_limits<std::int32_t>::max()) {
      m_.fail(f.pointer, "expected an integer from " + std::to_string(least) +
                             " to 2^31 - 1, found " + std::to_string(v));
    }
  }

  void check_value(const Formula& f, Element type, const Sizes& sizes) const {
    const std::int64_t v = m_.value(f, sizes);
    if (!is_float(type) && !fits(type, v)) {
      m_.fail(f.pointer, std::to_string(v) + " does not fit the type " + element_name(type));
    }
  }
  void check_value(const std::variant<Formula, double>& v, Element type, const Sizes& sizes) const {
    if (const auto* f = std::get_if<Formula>(&v)) check_value(*f, type, sizes);
  }

  Manifest& m_;
  Node root_;
  std::string directory_;
  Sizes size_names_;
  std::set<std::string> names_;
};

Manifest read_manifest(LocatedJson located, const std::string& ptx) {
  Manifest m;
  const json root = std::move(located.value);
  located.value = nullptr;
  m.source = std::move(located);
  Reader(m, root, std::filesystem::path(m.source.file).parent_path().string(), ptx).read();
  return m;
}

}  // namespace

const ArraySpec* Manifest::array(const std::string& name) const {
  for (const ArraySpec& a : arrays) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

const ScalarSpec* Manifest::scalar(const std::string& name) const {
  for (const ScalarSpec& s : scalars) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

void Manifest::fail(const std::string& pointer, const std::string& message) const {
  fail_at(source, pointer, message);
}

std::int64_t Manifest::value(const Formula& formula, const Sizes& sizes_in_use) const {
  try {
    return evaluate(formula.text, sizes_in_use);
  } catch (const InputError& e) {
    fail(formula.pointer, e.what());
  }
}

const Sizes& Manifest::sizes_of(Scale scale) const {
  const auto it = sizes.find(scale);
  if (it != sizes.end()) return it->second;
  fail("/sizes", std::string("there are no sizes for the scale ") + scale_name(scale));
}

const char* scale_name(Scale scale) {
  switch (scale) {
    case Scale::kSmall:
      return "small";
    case Scale::kMedium:
      return "medium";
    case Scale::kPaper:
      return "paper";
  }
  return "";
}

Manifest load_manifest(const std::string& path, const std::string& ptx) {
  return read_manifest(load_located_json(path), ptx);
}

Manifest parse_manifest(std::string_view text, const std::string& path) {
  return read_manifest(parse_located_json(text, path), {});
}

}  // namespace tessera::kernels
