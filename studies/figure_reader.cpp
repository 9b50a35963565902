// SPDX-License-Identifier: Apache-2.0
#include "studies/figure_reader.h"

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "common/json.h"
#include "common/suggest.h"
#include "common/text.h"
#include "studies/effect.h"

namespace tessera::studies {
namespace {

/// A class, a workload, or a list of either.
Selection selection(const JsonNode& n, const Vocabulary& vocabulary) {
  const auto one = [&vocabulary](const JsonNode& name) {
    try {
      return vocabulary.select(name.string());
    } catch (const InputError& e) {
      name.fail(e.what());
    }
  };
  if (!n.value().is_array()) return one(n);
  Selection out;
  for (const JsonNode& name : n.elements()) {
    for (const std::size_t w : one(name)) out.push_back(w);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.empty()) n.expected("at least one workload");
  return out;
}

enum class Wanted { kValue, kValuePerWorkload, kCondition };

Expression expression(const JsonNode& n, const Vocabulary& vocabulary, Wanted wanted,
                      const Expression& each = {}) {
  Expression e;
  try {
    // A plain number is also an expression.
    e = parse_expression(n.value().is_number() ? n.value().dump() : n.string(), vocabulary, each);
  } catch (const InputError& error) {
    n.fail(error.what());
  }
  if (e->condition != (wanted == Wanted::kCondition)) {
    n.fail(e->condition ? "expected a number, found a comparison" : "expected a comparison");
  }
  if (e->per_workload != (wanted == Wanted::kValuePerWorkload)) {
    n.fail(e->per_workload ? "this has a value for each workload; a mean (" + joined(mean_names()) +
                                 ") or at(VALUE, WORKLOAD) makes it one"
                           : "expected a value for each workload, found one for all");
  }
  return e;
}

std::vector<Quantity> quantities(const JsonNode& n) {
  std::vector<Quantity> out;
  for (const auto& [key, value] : n.members()) out.push_back({key, value.number()});
  return out;
}

std::vector<Quantity> sweep(const JsonNode& n) {
  std::vector<Quantity> out;
  for (const JsonNode& point : n.elements()) {
    point.object({"x", "value"});
    const JsonNode x = point.required("x");
    Quantity q;
    q.key = x.value().is_number() ? x.value().dump() : x.string();
    const auto value = point.member("value");
    if (value && !value->value().is_null()) q.published = value->number();
    out.push_back(std::move(q));
  }
  return out;
}

std::vector<std::string> keys_of(const std::vector<Quantity>& all) {
  std::vector<std::string> keys;
  for (const Quantity& q : all) keys.push_back(q.key);
  return keys;
}

class MeasurementReader {
 public:
  MeasurementReader(const JsonNode& n, const Study& study, const Vocabulary& vocabulary)
      : n_(n), study_(study), vocabulary_(vocabulary) {}

  Measurement read() {
    n_.object({"id", "workloads", "each", "measured", "parts", "points", "checks", "note"});
    find_claim();
    const Claim& claim = study_.claims[m_.claim];
    m_.workloads = claim.workloads;
    if (const auto w = n_.member("workloads")) m_.workloads = selection(*w, vocabulary_);
    if (const auto e = n_.member("each")) {
      m_.each = expression(*e, vocabulary_, Wanted::kValuePerWorkload);
    }
    if (const auto e = n_.member("measured")) {
      m_.measured = expression(*e, vocabulary_, Wanted::kValue, m_.each);
    }
    if (const auto p = n_.member("parts")) m_.parts = keyed(*p, keys_of(claim.per_workload));
    parts_from_each(claim);
    if (const auto p = n_.member("points")) m_.points = keyed(*p, keys_of(claim.sweep));
    if (const auto list = n_.member("checks")) {
      for (const JsonNode& c : list->elements()) {
        m_.checks.push_back({c.string(), expression(c, vocabulary_, Wanted::kCondition, m_.each)});
      }
    }
    if (const auto note = n_.member("note")) m_.note = note->string();
    settles(claim);
    return std::move(m_);
  }

 private:
  void find_claim() {
    const JsonNode id = n_.required("id");
    std::vector<std::string> known;
    for (const Claim& c : study_.claims) known.push_back(c.id);
    const auto it = std::find(known.begin(), known.end(), id.string());
    if (it == known.end()) {
      id.fail("claims.json has no claim \"" + id.string() + "\"" +
              did_you_mean(id.string(), known));
    }
    m_.claim = static_cast<std::size_t>(it - known.begin());
  }

  std::vector<std::pair<std::string, Expression>> keyed(const JsonNode& n,
                                                        const std::vector<std::string>& keys) {
    std::vector<std::pair<std::string, Expression>> out;
    for (const auto& [key, value] : n.members()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        value.fail("the claim has no number \"" + key + "\" (it has: " + joined(keys) + ")" +
                   did_you_mean(key, keys));
      }
      out.emplace_back(key, expression(value, vocabulary_, Wanted::kValue, m_.each));
    }
    return out;
  }

  /// The measurements of single workloads evaluate "each".
  void parts_from_each(const Claim& claim) {
    for (const std::string& key : keys_of(claim.per_workload)) {
      const auto given = std::any_of(m_.parts.begin(), m_.parts.end(),
                                     [&key](const auto& p) { return p.first == key; });
      const auto& names = vocabulary_.workloads;
      if (given || !m_.each || std::find(names.begin(), names.end(), key) == names.end()) continue;
      m_.parts.emplace_back(key, parse_expression("at(each, " + key + ")", vocabulary_, m_.each));
    }
  }

  /// Checks that the measurement gives a value for the claim's published value.
  void settles(const Claim& claim) const {
    if (claim.accept_range && !m_.measured) {
      n_.fail("the claim has a range: \"measured\" is missing");
    }
    if (!claim.accept_range) {
      all_measured(claim.per_workload, m_.parts);
      all_measured(claim.sweep, m_.points);
    }
    if (!m_.measured && m_.parts.empty() && m_.points.empty() && m_.checks.empty()) {
      n_.fail("expected one of measured, parts, points, checks");
    }
  }

  void all_measured(const std::vector<Quantity>& numbers,
                    const std::vector<std::pair<std::string, Expression>>& measured) const {
    for (const Quantity& q : numbers) {
      const bool given = std::any_of(measured.begin(), measured.end(),
                                     [&q](const auto& m) { return m.first == q.key; });
      if (q.published && !given) n_.fail("nothing measures the claim's number \"" + q.key + "\"");
    }
  }

  const JsonNode& n_;
  const Study& study_;
  const Vocabulary& vocabulary_;
  Measurement m_;
};

Series read_series(const JsonNode& n, const Figure& figure, const Vocabulary& vocabulary) {
  n.object({"name", "each", "published", "points"});
  Series s;
  s.name = n.required("name").string();
  const auto each = n.member("each");
  const auto points = n.member("points");
  if (each.has_value() == points.has_value()) n.fail("expected either \"each\" or \"points\"");
  if (each) {
    s.each = expression(*each, vocabulary, Wanted::kValuePerWorkload);
    std::vector<std::string> known = vocabulary.workloads;
    for (const Mean& m : figure.means) known.push_back(m.label);
    if (const auto p = n.member("published")) {
      for (const auto& [key, value] : p->members()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) {
          value.fail("\"" + key + "\" is neither a workload nor a mean of this figure" +
                     did_you_mean(key, known));
        }
        s.published[key] = value.number();
      }
    }
    return s;
  }
  for (const JsonNode& p : points->elements()) {
    p.object({"label", "x", "y", "published", "published_x"});
    SeriesPoint point;
    const JsonNode label = p.required("label");
    point.label = label.value().is_number() ? label.value().dump() : label.string();
    if (figure.kind == "scatter") point.x = expression(p.required("x"), vocabulary, Wanted::kValue);
    point.y = expression(p.required("y"), vocabulary, Wanted::kValue);
    if (const auto v = p.member("published")) point.published = v->number();
    if (const auto v = p.member("published_x")) point.published_x = v->number();
    s.points.push_back(std::move(point));
  }
  return s;
}

/// Reads the kind of a claim's numbers and, for a ratio, the floor of its effect.
void read_kind(const JsonNode& n, Claim& c) {
  if (const auto m = n.member("value_kind")) {
    c.value_kind = m->one_of({"ratio", "fraction", "fraction-loss", "count", "cycles", "s", "bytes",
                              "MB", "pages", "bits", "mm2"});
  }
  const auto floor = n.member("effect_floor");
  if (!c.is_ratio()) {
    if (floor) floor->fail("only a ratio has an effect: \"value_kind\" must be \"ratio\"");
    if (c.minimum_check && c.minimum_check->name == "ratio") {
      n.required("minimum_check").fail("a ratio needs \"value_kind\": \"ratio\"");
    }
    return;
  }
  bool positive = !c.value || *c.value > 0;
  for (const auto* list : {&c.per_workload, &c.sweep}) {
    for (const Quantity& q : *list) positive = positive && (!q.published || *q.published > 0);
  }
  if (!positive) n.fail("a ratio must be above 0");
  if (c.value && has_effect(*c.value)) c.effect_floor = effect_floor_of(*c.value);
  if (!floor) return;
  if (!c.effect_floor) floor->fail("only a value more than 3 % away from 1 has an effect");
  c.effect_floor = floor->number();
  const double share = effect_of(*c.value, *c.effect_floor).value_or(0);
  if (!(share > 0 && share <= 1)) floor->expected("a ratio between 1 and the value");
}

}  // namespace

Claim read_claim(const JsonNode& n, const Vocabulary& vocabulary) {
  n.object({"id", "where", "what", "scope", "value", "value_kind", "accept_range", "effect_floor",
            "tolerance", "minimum_check", "direction", "per_workload", "sweep", "workloads"});
  Claim c;
  c.id = n.required("id").string();
  if (const auto m = n.member("where")) c.where = m->string();
  if (const auto m = n.member("what")) c.what = m->string();
  if (const auto m = n.member("scope")) {
    c.scope = m->one_of(
        {"sim", "needs-power-model", "analytic", "parameter", "hardware", "not-modelled"});
  }
  if (const auto m = n.member("value")) c.value = m->number();
  if (const auto m = n.member("tolerance")) {
    c.tolerance = m->number();
    if (!(*c.tolerance >= 0)) m->expected("a number from 0");
  }
  if (const auto m = n.member("accept_range")) {
    const auto both = m->elements();
    const auto high = [](const JsonNode& end) {
      return end.value().is_null() ? std::numeric_limits<double>::infinity() : end.number();
    };
    if (both.size() != 2 || !(both[0].number() <= high(both[1]))) {
      m->expected("[low, high] with low <= high; high can be null: no limit");
    }
    c.accept_range.emplace(both[0].number(), high(both[1]));
  }
  if (const auto m = n.member("minimum_check")) {
    c.minimum_check_text = m->string();
    try {
      c.minimum_check = parse_bound(c.minimum_check_text);
    } catch (const InputError& e) {
      m->fail(e.what());
    }
  }
  if (const auto m = n.member("direction")) {
    for (const JsonNode& d : m->elements()) c.direction.push_back(d.string());
  }
  if (const auto m = n.member("per_workload")) c.per_workload = quantities(*m);
  if (const auto m = n.member("sweep")) c.sweep = sweep(*m);
  c.workloads = selection(n.required("workloads"), vocabulary);
  if (c.value.has_value() != c.accept_range.has_value()) {
    n.fail("\"value\" and \"accept_range\" come together");
  }
  const bool numbers = !c.per_workload.empty() ||
                       std::any_of(c.sweep.begin(), c.sweep.end(),
                                   [](const Quantity& q) { return q.published.has_value(); });
  if (numbers && !c.tolerance) n.fail("numbers need a \"tolerance\"");
  read_kind(n, c);
  return c;
}

Figure read_figure(const LocatedJson& file, const std::string& name, const Study& study,
                   const Vocabulary& vocabulary) {
  const JsonNode root(file);
  root.object({"title", "source", "chart", "workloads", "means", "series", "claims"});
  Figure f;
  f.name = name;
  f.title = root.required("title").string();
  if (const auto n = root.member("source")) f.source = n->string();
  const JsonNode chart = root.required("chart");
  chart.object({"kind", "x", "y"});
  f.kind = chart.required("kind").one_of({"bars", "stacked", "lines", "scatter"});
  if (const auto n = chart.member("x")) f.x_title = n->string();
  f.y_title = chart.required("y").string();
  f.workloads = study.all_workloads();
  if (const auto n = root.member("workloads")) f.workloads = selection(*n, vocabulary);
  if (const auto list = root.member("means")) {
    for (const JsonNode& n : list->elements()) {
      n.object({"label", "take", "workloads"});
      Mean m;
      m.label = n.required("label").string();
      m.take = n.required("take").one_of(mean_names());
      m.workloads = f.workloads;
      if (const auto w = n.member("workloads")) m.workloads = selection(*w, vocabulary);
      f.means.push_back(std::move(m));
    }
  }
  for (const JsonNode& n : root.required("series").elements()) {
    f.series.push_back(read_series(n, f, vocabulary));
    if (f.series.front().points.empty() != f.series.back().points.empty()) {
      n.fail("a figure's series have all \"each\", or all \"points\"");
    }
  }
  if (const auto list = root.member("claims")) {
    for (const JsonNode& n : list->elements()) {
      f.claims.push_back(MeasurementReader(n, study, vocabulary).read());
    }
  }
  return f;
}

}  // namespace tessera::studies
