// SPDX-License-Identifier: Apache-2.0
// Reads a sweep's file.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "common/error.h"
#include "common/json.h"
#include "common/json_node.h"
#include "common/suggest.h"
#include "common/text.h"
#include "studies/points.h"
#include "studies/run_inputs.h"
#include "studies/statistic_paths.h"
#include "studies/sweep/sweep.h"
#include "studies/sweep/sweep_space.h"

namespace tessera::studies {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kMostDesigns = 100'000;

std::size_t count_of(const JsonNode& n, std::int64_t least, std::int64_t most = kMostDesigns) {
  if (!n.is_int64() || n.integer() < least || n.integer() > most) {
    n.expected("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<std::size_t>(n.integer());
}

/// A list of at least one text, each once.
std::vector<std::string> names_of(const JsonNode& list) {
  std::vector<std::string> names;
  for (const JsonNode& n : list.elements()) {
    if (std::find(names.begin(), names.end(), n.string()) != names.end()) {
      n.fail("\"" + n.string() + "\" is here twice");
    }
    names.push_back(n.string());
  }
  if (names.empty()) list.expected("at least one name");
  return names;
}

/// A value of the parameter, in its unit.
SettingValue value_of(const JsonNode& n, const ListedParameter& p) {
  if (p.kind == "flag") return json(n.boolean());
  if (p.kind == "text") {
    return json(p.info.choices.empty() ? n.string() : n.one_of(p.info.choices));
  }
  const json value = in_unit(p, n.value());
  const bool whole = value.is_number_integer() ||
                     (value.is_number() && std::floor(value.get<double>()) == value.get<double>());
  if (!value.is_number() || (p.kind == "integer" && !whole)) {
    n.expected((p.kind == "integer" ? "a whole number" : "a number") +
               (p.info.unit.empty() ? "" : " of " + plural(p.info.unit)));
  }
  const auto number = value.get<double>();
  if (number < p.info.min || number > p.info.max) {
    const auto limit = [&p](double v) {
      return p.kind == "integer" ? std::to_string(static_cast<std::uint64_t>(v)) : json(v).dump();
    };
    n.expected("a number from " + limit(p.info.min) + " to " + limit(p.info.max));
  }
  if (p.kind == "integer" && !value.is_number_integer()) {
    return json(static_cast<std::uint64_t>(number));
  }
  return value;
}

class SweepReader {
 public:
  explicit SweepReader(const std::string& path)
      : file_(load_located_json(path)), root_(file_), folder_(fs::path(path).parent_path()) {
    sweep_.file = path;
    sweep_.name = fs::path(path).stem().string();
  }

  Sweep read() {
    root_.object({"title", "source", "platforms", "workloads", "scale", "values", "seed", "window",
                  "sets", "parameters", "sampling", "designs", "constraints", "objectives",
                  "invalid"});
    sweep_.title = root_.required("title").string();
    if (const auto n = root_.member("source")) sweep_.source = n->string();
    run_options();
    platforms();
    workloads();
    sampling();
    if (sweep_.sampling == Sampling::kList) {
      if (const auto n = root_.member("parameters")) {
        n->fail("a list of designs has no parameters: \"designs\" names them");
      }
      designs();
    } else {
      if (const auto n = root_.member("designs")) {
        n->fail("only the sampling method \"list\" has designs");
      }
      parameters();
    }
    constraints();
    objectives();
    invalid();
    return std::move(sweep_);
  }

 private:
  void run_options() {
    sweep_.scale = "small";
    if (const auto n = root_.member("scale"))
      sweep_.scale = n->one_of({"small", "medium", "paper"});
    for (const auto& [name, scale] : scales()) {
      if (name == sweep_.scale) sweep_.options.scale = scale;
    }
    sweep_.values = "functional";
    if (const auto n = root_.member("values")) sweep_.values = n->one_of({"functional", "carried"});
    sweep_.options.values =
        sweep_.values == "carried" ? ValueMode::kCarried : ValueMode::kFunctional;
    if (const auto n = root_.member("seed")) {
      sweep_.options.seed = count_of(*n, 0, std::numeric_limits<std::int64_t>::max());
    }
    if (const auto n = root_.member("window")) sweep_.options.window = read_window(*n);
  }

  void platforms() {
    if (const auto sets = root_.member("sets")) {
      for (const auto& [path, value] : sets->members()) {
        sweep_.sets.push_back(path + "=" + setting_text(value));
      }
    }
    const JsonNode list = root_.required("platforms");
    sweep_.platforms = names_of(list);
    for (std::size_t i = 0; i < sweep_.platforms.size(); ++i) {
      std::string& name = sweep_.platforms[i];
      name = file_beside(folder_, name);
      try {
        sweep_.bases.push_back(resolve_config(name, {}));
        listed_.push_back(sweep_.bases.back().parameters());
        if (!sweep_.sets.empty()) sweep_.bases.back() = resolve_config(name, sweep_.sets);
      } catch (const InputError& e) {
        list.elements()[i].fail(e.what());
      }
      std::map<std::string, double>& numbers = sweep_.numbers.emplace_back();
      for (const ListedParameter& p : sweep_.bases.back().parameters()) {
        if (p.value->is_number()) numbers[p.info.name] = p.value->get<double>();
        if (p.value->is_boolean()) numbers[p.info.name] = p.value->get<bool>() ? 1 : 0;
      }
    }
  }

  void workloads() {
    const JsonNode list = root_.required("workloads");
    sweep_.workloads = names_of(list);
    for (std::size_t i = 0; i < sweep_.workloads.size(); ++i) {
      sweep_.workloads[i] = file_beside(folder_, sweep_.workloads[i]);
      try {
        workload_hashes(sweep_.workloads[i]);
      } catch (const InputError& e) {
        list.elements()[i].fail(e.what());
      }
    }
  }

  void sampling() {
    const auto n = root_.member("sampling");
    if (!n) return;
    const std::string method = n->required("method").one_of(sampling_names());
    sweep_.sampling =
        static_cast<Sampling>(std::find(sampling_names().begin(), sampling_names().end(), method) -
                              sampling_names().begin());
    switch (sweep_.sampling) {
      case Sampling::kGrid:
      case Sampling::kList:
        n->object({"method"});
        return;
      case Sampling::kRandom:
      case Sampling::kLatinHypercube:
        n->object({"method", "points", "seed"});
        sweep_.points = count_of(n->required("points"), 1);
        if (const auto s = n->member("seed")) sweep_.seed = count_of(*s, 0, kMostSeed);
        return;
      case Sampling::kSobol:
        n->object({"method", "points", "skip"});
        sweep_.points = count_of(n->required("points"), 1);
        if (const auto s = n->member("skip")) sweep_.skip = count_of(*s, 0, kMostSeed);
        return;
      case Sampling::kAdaptive:
        adaptive(*n);
    }
  }

  void adaptive(const JsonNode& n) {
    n.object({"method", "budget", "population", "seed"});
    SearchLimits& s = sweep_.search;
    constexpr std::int64_t kLeastPopulation = 8;  // of NSGA-II
    s.budget = count_of(n.required("budget"), kLeastPopulation);
    if (s.budget < s.population) s.population = kLeastPopulation;
    if (const auto p = n.member("population")) {
      s.population = count_of(*p, kLeastPopulation);
      if (s.population % 4 != 0) p->expected("a multiple of four");
      if (s.population > s.budget) p->fail("the population is larger than the budget");
    }
    if (const auto seed = n.member("seed")) s.seed = count_of(*seed, 0, kMostSeed);
  }

  /// The parameter of a name or an alias, which all platforms must have.
  const ListedParameter& parameter(const JsonNode& n, const std::string& path) {
    const ListedParameter* found = nullptr;
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      const std::vector<std::string> names = reached_by(listed_[i], path);
      std::vector<std::string> known;
      const ListedParameter* here = nullptr;
      for (const ListedParameter& p : listed_[i]) {
        known.push_back(p.info.name);
        if (names.size() == 1 && p.info.name == names.front()) here = &p;
      }
      if (here == nullptr) {
        n.fail("the platform \"" + sweep_.platforms[i] + "\" has no parameter \"" + path + "\"" +
               did_you_mean(path, known));
      }
      if (found == nullptr) found = here;
    }
    for (const std::string& set : sweep_.sets) {
      const std::vector<std::string> fixed =
          reached_by(listed_.front(), set.substr(0, set.find('=')));
      if (std::find(fixed.begin(), fixed.end(), found->info.name) != fixed.end()) {
        n.fail("\"sets\" has this parameter too");
      }
    }
    return *found;
  }

  bool is_swept(const std::string& path) const {
    return std::any_of(sweep_.parameters.begin(), sweep_.parameters.end(),
                       [&path](const SweepParameter& p) { return p.path == path; });
  }

  void parameters() {
    // Several platforms are designs without parameters.
    if (sweep_.platforms.size() > 1 && !root_.member("parameters")) return;
    const JsonNode all = root_.required("parameters");
    for (const auto& [path, n] : all.members()) {
      const ListedParameter& p = parameter(n, path);
      if (is_swept(p.info.name)) n.fail("the parameter \"" + p.info.name + "\" is here twice");
      sweep_.parameters.push_back({p.info.name, p.kind, p.info.unit});
      read_values(n, p, sweep_.parameters.back());
    }
    if (sweep_.dimensions().empty()) {
      all.expected("at least one parameter, because there is one platform");
    }
    if (sweep_.sampling != Sampling::kGrid) return;
    if (const std::size_t size = grid_size(level_counts(sweep_));
        size > static_cast<std::size_t>(kMostDesigns)) {
      all.fail("the grid has " + std::to_string(size) + " designs, and at most " +
               std::to_string(kMostDesigns) + " are possible");
    }
  }

  void read_values(const JsonNode& n, const ListedParameter& p, SweepParameter& out) {
    n.object({"values", "from", "to", "points", "scale"});
    if (const auto list = n.member("values")) {
      n.object({"values"});
      for (const JsonNode& v : list->elements()) {
        const SettingValue value = value_of(v, p);
        for (const SettingValue& other : out.levels) {
          if (*other == *value) v.fail("the value is here twice");
        }
        out.levels.push_back(value);
      }
      if (out.levels.empty()) list->expected("at least one value");
      return;
    }
    if (p.kind != "integer" && p.kind != "real") {
      n.expected("\"values\", because the parameter is no number");
    }
    const JsonNode to = n.required("to");
    out.from = value_of(n.required("from"), p)->get<double>();
    out.to = value_of(to, p)->get<double>();
    if (!(out.from < out.to)) to.expected("a number above \"from\"");
    if (const auto s = n.member("scale")) out.logarithmic = s->one_of({"linear", "log"}) == "log";
    if (out.logarithmic && !(out.from > 0)) n.required("from").expected("a number above 0");
    if (const auto points = n.member("points")) {
      const std::size_t count = count_of(*points, 2);
      for (std::size_t i = 0; i < count; ++i) {
        SettingValue value =
            out.value_in_range(static_cast<double>(i) / static_cast<double>(count - 1));
        // Integers are rounded.
        if (out.levels.empty() || *out.levels.back() != *value) out.levels.push_back(value);
      }
    } else if (sweep_.sampling == Sampling::kGrid || sweep_.sampling == Sampling::kAdaptive) {
      n.fail("a grid and an adaptive sweep need \"points\" of a range");
    }
  }

  void designs() {
    const JsonNode list = root_.required("designs");
    std::vector<std::map<std::string, SettingValue>> settings;
    for (const JsonNode& n : list.elements()) {
      SweepDesign design;
      settings.emplace_back();
      for (const auto& [path, value] : n.members()) {
        if (path == "platform") {
          design.platform = platform_index(value);
          continue;
        }
        const ListedParameter& p = parameter(value, path);
        if (!is_swept(p.info.name)) {
          sweep_.parameters.push_back({p.info.name, p.kind, p.info.unit});
        }
        if (!settings.back().emplace(p.info.name, value_of(value, p)).second) {
          value.fail("the parameter \"" + p.info.name + "\" is here twice");
        }
      }
      sweep_.designs.push_back(design);
    }
    if (sweep_.designs.empty()) list.expected("at least one design");
    for (std::size_t i = 0; i < settings.size(); ++i) {
      for (SweepParameter& p : sweep_.parameters) {
        const auto given = settings[i].find(p.path);
        sweep_.designs[i].values.push_back(given == settings[i].end() ? SettingValue()
                                                                      : given->second);
        if (given == settings[i].end()) continue;
        const auto same = [&given](const SettingValue& v) { return *v == *given->second; };
        if (std::none_of(p.levels.begin(), p.levels.end(), same)) {
          p.levels.push_back(given->second);
        }
      }
    }
  }

  std::size_t platform_index(const JsonNode& n) const {
    std::vector<std::string> names;
    for (const JsonNode& p : root_.required("platforms").elements()) names.push_back(p.string());
    const std::string name = n.one_of(names);
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  /// An expression over names without platforms.
  static Expression expression(const JsonNode& n, const Vocabulary& vocabulary) {
    try {
      return parse_expression(n.string(), vocabulary);
    } catch (const InputError& e) {
      n.fail(e.what());
    }
  }

  void constraints() {
    const auto list = root_.member("constraints");
    if (!list) return;
    Vocabulary vocabulary;
    vocabulary.bare_names = "parameter with a number";
    for (const auto& [path, value] : sweep_.numbers.front()) vocabulary.statistics.push_back(path);
    for (const JsonNode& n : list->elements()) {
      const Expression e = expression(n, vocabulary);
      if (!e->condition) n.expected("a comparison (\"llc.sets * llc.ways <= 1024\")");
      sweep_.constraints.push_back({n.string(), e});
    }
  }

  void objectives() {
    const JsonNode list = root_.required("objectives");
    Vocabulary vocabulary;
    vocabulary.bare_names = "statistic";
    vocabulary.statistics = readable_statistics();
    for (const JsonNode& n : list.elements()) {
      n.object({"name", "of", "goal", "mean", "relative", "reference"});
      SweepObjective o;
      const JsonNode of = n.required("of");
      o.text = of.string();
      o.value = expression(of, vocabulary);
      if (o.value->condition) of.expected("a number, not a comparison");
      o.name = o.text;
      if (const auto name = n.member("name")) o.name = name->string();
      if (const auto goal = n.member("goal")) o.maximised = goal->one_of({"min", "max"}) == "max";
      if (const auto mean = n.member("mean")) o.mean = mean->one_of(mean_names());
      if (const auto relative = n.member("relative")) o.relative = relative->boolean();
      if (const auto reference = n.member("reference")) o.reference = reference->number();
      for (const SweepObjective& other : sweep_.objectives) {
        if (other.name == o.name) n.fail("the objective \"" + o.name + "\" is here twice");
      }
      sweep_.objectives.push_back(std::move(o));
    }
    if (sweep_.objectives.empty()) list.expected("at least one objective");
    const std::size_t count = sweep_.objectives.size();
    if (sweep_.sampling == Sampling::kAdaptive && (count < 2 || count > 3)) {
      list.expected("two or three objectives of an adaptive sweep");
    }
  }

  void invalid() {
    sweep_.skip_invalid = sweep_.sampling == Sampling::kAdaptive;
    const auto n = root_.member("invalid");
    if (!n) return;
    sweep_.skip_invalid = n->one_of({"refuse", "skip"}) == "skip";
    if (sweep_.sampling == Sampling::kAdaptive && !sweep_.skip_invalid) {
      n->fail("an adaptive sweep finds refused designs during the search and skips them");
    }
  }

  static constexpr std::int64_t kMostSeed = 0xFFFF'FFFF;

  LocatedJson file_;
  JsonNode root_;
  fs::path folder_;
  Sweep sweep_;
  std::vector<std::vector<ListedParameter>> listed_;  ///< by platform
};

}  // namespace

const std::vector<std::string>& sampling_names() {
  static const std::vector<std::string> names = {"grid",  "list",    "random", "latin-hypercube",
                                                 "sobol", "adaptive"};
  return names;
}

Sweep load_sweep(const std::string& file) { return SweepReader(file).read(); }

}  // namespace tessera::studies
