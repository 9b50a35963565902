// SPDX-License-Identifier: Apache-2.0
#include "studies/figure_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/error.h"
#include "common/json.h"
#include "common/suggest.h"
#include "common/text.h"
#include "studies/claim_reader.h"

namespace tessera::studies {
namespace {

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
    n_.object(
        {"id", "workloads", "each", "measured", "parts", "points", "checks", "needs_sms", "note"});
    find_claim();
    const Claim& claim = study_.claims[m_.claim];
    m_.workloads = claim.workloads;
    if (const auto w = n_.member("workloads")) m_.workloads = read_selection(*w, vocabulary_);
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
    if (const auto sms = n_.member("needs_sms")) {
      const std::int64_t count = sms->integer();
      if (count < 1 || count > 1'000'000) sms->expected("a number of SMs, 1 to 1000000");
      m_.needs_sms = static_cast<std::uint32_t>(count);
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

/// A published value on an axis.
double value_on_axis(const JsonNode& n, bool logarithmic) {
  const double v = n.number();
  if (logarithmic && !(v > 0)) n.expected("a number above 0 on a logarithmic axis");
  return v;
}

/// A label that is also the x of a logarithmic axis.
void check_label_on_axis(const JsonNode& n, const std::string& label) {
  char* end = nullptr;
  const double x = std::strtod(label.c_str(), &end);
  if (label.empty() || *end != '\0' || !std::isfinite(x) || !(x > 0)) {
    n.expected("a number above 0 on a logarithmic axis");
  }
}

Series read_series(const JsonNode& n, const Figure& figure, const Vocabulary& vocabulary) {
  n.object({"name", "each", "published", "points"});
  Series s;
  s.name = n.required("name").string();
  const auto each = n.member("each");
  const auto points = n.member("points");
  if (each.has_value() == points.has_value()) n.fail("expected either \"each\" or \"points\"");
  if (each) {
    if (figure.kind == "lines" && figure.x_log) {
      each->fail("a logarithmic x axis needs \"points\" with numbers as labels");
    }
    s.each = expression(*each, vocabulary, Wanted::kValuePerWorkload);
    std::vector<std::string> known = vocabulary.workloads;
    for (const Mean& m : figure.means) known.push_back(m.label);
    if (const auto p = n.member("published")) {
      for (const auto& [key, value] : p->members()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) {
          value.fail("\"" + key + "\" is neither a workload nor a mean of this figure" +
                     did_you_mean(key, known));
        }
        s.published[key] = value_on_axis(value, figure.y_log);
      }
    }
    return s;
  }
  for (const JsonNode& p : points->elements()) {
    p.object({"label", "x", "y", "published", "published_x"});
    SeriesPoint point;
    const JsonNode label = p.required("label");
    point.label = label.value().is_number() ? label.value().dump() : label.string();
    if (figure.kind == "lines" && figure.x_log) check_label_on_axis(label, point.label);
    if (figure.kind == "scatter") point.x = expression(p.required("x"), vocabulary, Wanted::kValue);
    point.y = expression(p.required("y"), vocabulary, Wanted::kValue);
    if (const auto v = p.member("published")) point.published = value_on_axis(*v, figure.y_log);
    if (const auto v = p.member("published_x")) {
      point.published_x = value_on_axis(*v, figure.x_log);
    }
    s.points.push_back(std::move(point));
  }
  return s;
}

/// Reads the scale of an axis. Returns whether it is logarithmic.
bool read_scale(const JsonNode& chart, const char* key, const std::string& kind) {
  const auto n = chart.member(key);
  if (!n) return false;
  if (kind != "lines" && kind != "scatter") n->fail("only lines and scatter charts have scales");
  return n->one_of({"linear", "log"}) == "log";
}

void read_chart(const JsonNode& n, Figure& f) {
  n.object({"kind", "x", "y", "x_scale", "y_scale"});
  f.kind = n.required("kind").one_of({"bars", "stacked", "lines", "scatter", "correlation"});
  const bool correlation = f.kind == "correlation";
  f.x_log = read_scale(n, "x_scale", f.kind) || correlation;
  f.y_log = read_scale(n, "y_scale", f.kind) || correlation;
  if (correlation) {
    f.x_title = "published";
    f.y_title = "measured";
  } else {
    f.y_title = n.required("y").string();
  }
  if (const auto x = n.member("x")) f.x_title = x->string();
  if (const auto y = n.member("y")) f.y_title = y->string();
}

void read_all_series(const JsonNode& list, Figure& f, const Vocabulary& vocabulary) {
  for (const JsonNode& n : list.elements()) {
    f.series.push_back(read_series(n, f, vocabulary));
    if (f.series.front().points.empty() != f.series.back().points.empty()) {
      n.fail("a figure's series have all \"each\", or all \"points\"");
    }
  }
}

}  // namespace

Figure read_figure(const LocatedJson& file, const std::string& name, const Study& study,
                   const Vocabulary& vocabulary) {
  const JsonNode root(file);
  root.object({"title", "source", "chart", "workloads", "means", "series", "claims"});
  Figure f;
  f.name = name;
  f.title = root.required("title").string();
  if (const auto n = root.member("source")) f.source = n->string();
  read_chart(root.required("chart"), f);
  const bool correlation = f.kind == "correlation";
  if (correlation) {
    for (const char* key : {"means", "series", "workloads"}) {
      if (const auto n = root.member(key)) n->fail("a correlation chart shows claims only");
    }
  }
  f.workloads = study.all_workloads();
  if (const auto n = root.member("workloads")) f.workloads = read_selection(*n, vocabulary);
  if (const auto list = root.member("means")) {
    for (const JsonNode& n : list->elements()) {
      n.object({"label", "take", "workloads"});
      Mean m;
      m.label = n.required("label").string();
      m.take = n.required("take").one_of(mean_names());
      m.workloads = f.workloads;
      if (const auto w = n.member("workloads")) m.workloads = read_selection(*w, vocabulary);
      f.means.push_back(std::move(m));
    }
  }
  if (!correlation) read_all_series(root.required("series"), f, vocabulary);
  if (const auto list = root.member("claims")) {
    for (const JsonNode& n : list->elements()) {
      f.claims.push_back(MeasurementReader(n, study, vocabulary).read());
    }
  }
  const auto has_half = [&study](const Measurement& m) {
    return !study.claims[m.claim].half.empty();
  };
  if (correlation && std::none_of(f.claims.begin(), f.claims.end(), has_half)) {
    root.required("chart").fail("a correlation chart needs \"claims\" with a \"half\"");
  }
  return f;
}

}  // namespace tessera::studies
