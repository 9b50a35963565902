// SPDX-License-Identifier: Apache-2.0
#include "studies/document.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/json.h"
#include "common/text.h"
#include "platforms/simulation.h"
#include "studies/effect.h"
#include "studies/evaluator.h"
#include "studies/figure_document.h"
#include "studies/published_error.h"
#include "studies/results.h"
#include "studies/verdict.h"

namespace tessera::studies {

using nlohmann::ordered_json;

namespace {

std::set<Reading> readings_of(const Measurement& m) {
  std::set<Reading> all;
  const auto add = [&](const Expression& e) {
    if (e) collect_readings(e, m.workloads, all);
  };
  add(m.each);
  add(m.measured);
  for (const auto& [key, e] : m.parts) add(e);
  for (const auto& [key, e] : m.points) add(e);
  for (const Check& c : m.checks) add(c.condition);
  return all;
}

std::vector<Comparison> compared(const std::vector<Quantity>& published,
                                 const std::vector<std::pair<std::string, Expression>>& measured,
                                 const Claim& claim, const Evaluator& evaluator) {
  std::vector<Comparison> out;
  for (const Quantity& q : published) {
    const auto it = std::find_if(measured.begin(), measured.end(),
                                 [&q](const auto& m) { return m.first == q.key; });
    if (it == measured.end()) continue;
    out.push_back(compare_number(claim, q, evaluator.value(it->second)));
  }
  return out;
}

/// A range without upper limit ends with null.
ordered_json range_of(const std::pair<double, double>& range) {
  ordered_json r = {range.first, nullptr};
  if (std::isfinite(range.second)) r[1] = range.second;
  return r;
}

ordered_json json_of(const std::vector<Comparison>& all) {
  ordered_json out = ordered_json::object();
  for (const Comparison& c : all) {
    out[c.key] = {{"published", number_or_null(c.published)},
                  {"measured", number_or_null(c.measured)}};
    if (c.accept_range) out[c.key]["accept_range"] = range_of(*c.accept_range);
    if (c.published && c.measured) out[c.key]["within"] = c.within;
    if (c.effect) out[c.key]["effect"] = *c.effect;
  }
  return out;
}

/// Appends the values of a check's sides, from left to right; none for all() and any().
void sides(const Node& n, const Evaluator& evaluator, ordered_json& out) {
  if (n.kind == Node::Kind::kBoth) {
    for (const Expression& link : n.arguments) sides(*link, evaluator, out);
  } else if (n.kind == Node::Kind::kComparison) {
    // Adjacent comparisons of a chain share a side.
    if (out.empty()) out.push_back(number_or_null(evaluator.value(n.arguments[0])));
    out.push_back(number_or_null(evaluator.value(n.arguments[1])));
  }
}

ordered_json published(const Claim& c) {
  if (c.value) return *c.value;
  ordered_json out;
  for (const auto* list : {&c.per_workload, &c.sweep}) {
    for (const Quantity& q : *list) {
      if (q.published) out[q.key] = *q.published;
    }
  }
  if (out.is_null() && !c.direction.empty()) out = c.direction;
  return out;
}

ordered_json measured(const Outcome& o) {
  if (o.measured) return *o.measured;
  ordered_json out;
  for (const auto* list : {&o.parts, &o.points}) {
    for (const Comparison& c : *list) out[c.key] = number_or_null(c.measured);
  }
  if (out.is_null() && o.ordering) out = *o.ordering;
  return out;
}

void add_note(std::string& note, const std::string& more) {
  if (!more.empty()) note += (note.empty() ? "" : "; ") + more;
}

ordered_json claim_entry(const Claim& c) {
  ordered_json e = {{"id", c.id},
                    {"where", c.where},
                    {"what", c.what},
                    {"figure", nullptr},
                    {"published", published(c)},
                    {"measured", nullptr},
                    {"value_kind", nullptr},
                    {"effect", nullptr},
                    {"accept_range", nullptr},
                    {"effect_floor", number_or_null(c.effect_floor)},
                    {"tolerance", number_or_null(c.tolerance)},
                    {"minimum_check", nullptr},
                    {"verdict", nullptr},
                    {"workloads", ordered_json::object()},
                    {"small_presets", ordered_json::array()},
                    {"note", ""}};
  if (!c.value_kind.empty()) e["value_kind"] = c.value_kind;
  if (c.accept_range) e["accept_range"] = range_of(*c.accept_range);
  if (c.minimum_check) e["minimum_check"] = c.minimum_check_text;
  if (!c.half.empty()) {
    e["half"] = c.half;
    e["error"] = nullptr;
  }
  return e;
}

ordered_json not_run(const Claim& c, const std::string& why) {
  ordered_json e = claim_entry(c);
  e["verdict"] = name_of(Verdict::kNotRun);
  e["note"] = why;
  return e;
}

std::string scope_excludes(const Claim& c) {
  if (c.scope == "hardware") return "needs hardware that cannot be simulated";
  if (c.scope == "not-modelled") return "what it compares with is not modelled";
  if (c.scope == "parameter") return "a parameter: it goes into the simulation";
  return {};
}

/// The presets among those of the readings that are smaller than the paper's systems.
ordered_json small_presets(const Study& study, Scale scale, const std::set<Reading>& readings) {
  std::set<std::string> names;
  for (const Reading& r : readings) {
    const auto preset = study.platforms[r.platform].preset.find(scale);
    if (preset == study.platforms[r.platform].preset.end()) continue;
    const std::string& name = preset->second;
    if (ends_with(name, "-small")) names.insert(name);
  }
  return names;
}

/// Why the platforms of the readings cannot show what the measurement needs; empty if they can.
std::string cannot_judge(const Study& study, Scale scale, const Measurement& m,
                         const std::set<Reading>& readings) {
  if (m.needs_sms == 0) return {};
  for (const Reading& r : readings) {
    const StudyPlatform& platform = study.platforms[r.platform];
    const auto preset = platform.preset.find(scale);
    if (preset == platform.preset.end()) continue;
    const auto sets = platform.sets.find(scale);
    const ResolvedConfig config = resolve_config(
        preset->second, sets == platform.sets.end() ? std::vector<std::string>{} : sets->second);
    const std::uint32_t sms = config.gpu.system.sms;
    if (sms >= m.needs_sms) continue;
    return "cannot be judged: needs " + std::to_string(m.needs_sms) + " SMs, and " + platform.name +
           " has " + std::to_string(sms) + " at this scale";
  }
  return {};
}

ordered_json settle(const Study& study, Scale scale, const Figure& figure, const Measurement& m,
                    const Results& results) {
  const Claim& claim = study.claims[m.claim];
  const std::set<Reading> readings = readings_of(m);
  const Evaluator evaluator = results.evaluator(m.workloads, readings);
  if (const std::string why = cannot_judge(study, scale, m, readings); !why.empty()) {
    ordered_json e = not_run(claim, why);
    e["figure"] = figure.name;
    e["small_presets"] = small_presets(study, scale, readings);
    return e;
  }
  const std::size_t usable = results.usable(readings).size();
  std::set<std::size_t> named;
  for (const Reading& r : readings) named.insert(r.workload);

  ordered_json e = claim_entry(claim);
  e["figure"] = figure.name;
  e["small_presets"] = small_presets(study, scale, readings);
  Outcome o;
  if (m.measured) o.measured = evaluator.value(m.measured);
  o.parts = compared(claim.per_workload, m.parts, claim, evaluator);
  o.points = compared(claim.sweep, m.points, claim, evaluator);
  bool undecided = m.measured && !o.measured;
  for (const Comparison& p : o.points) undecided = undecided || !p.measured;
  for (const Check& c : m.checks) {
    const auto passed = evaluator.value(c.condition);
    undecided = undecided || !passed;
    o.ordering = o.ordering.value_or(true) && passed.value_or(0) != 0;
    ordered_json values = ordered_json::array();
    sides(*c.condition, evaluator, values);
    e["checks"].push_back({{"check", c.text},
                           {"values", values},
                           {"holds", passed ? ordered_json(*passed != 0) : ordered_json()}});
  }
  const bool nothing = std::none_of(o.parts.begin(), o.parts.end(),
                                    [](const Comparison& p) { return p.measured.has_value(); });
  if (!m.measured && m.points.empty() && m.checks.empty() && nothing) undecided = true;

  std::string note;
  if (undecided) {
    o.not_run = results.missing(readings);
    if (o.not_run.empty())
      o.not_run = "a value is not defined (a division by zero, a mean of nothing)";
    add_note(note, o.not_run);
  } else {
    if (usable < named.size()) {
      add_note(note, "over " + std::to_string(usable) + " of " + std::to_string(named.size()) +
                         " workloads (" + results.missing(readings) + ")");
    }
    for (const auto* list : {&o.parts, &o.points}) {
      std::vector<std::string> outside;
      std::vector<std::string> missed;
      for (const Comparison& p : *list) {
        if (p.published && p.measured && !p.within) outside.push_back(p.key);
        if (p.misses_floor) missed.push_back(p.key);
      }
      if (!outside.empty()) add_note(note, "outside the accepted range: " + joined(outside));
      if (!missed.empty()) add_note(note, "effect floor missed: " + joined(missed));
    }
    if (claim.accept_range && misses_floor(claim, o)) add_note(note, "effect floor missed");
  }
  add_note(note, m.note);

  e["measured"] = undecided ? ordered_json() : measured(o);
  if (!undecided) e["effect"] = number_or_null(effect_of(claim, o));
  if (e.contains("error") && o.measured && !undecided) {
    e["error"] = error_of(*claim.value, *o.measured);
  }
  if (!o.parts.empty()) e["parts"] = json_of(o.parts);
  if (!o.points.empty()) e["points"] = json_of(o.points);
  e["verdict"] = name_of(judge(claim, o));
  if (m.each) {
    for (const std::size_t w : m.workloads) {
      const auto v = evaluator.value_for(m.each, w);
      if (v) e["workloads"][study.workloads[w].name] = *v;
    }
  }
  e["note"] = note;
  return e;
}

/// Errors of the claims with a half: of each half and of both. Null if no claim has a half.
ordered_json error_entry(const ordered_json& claims) {
  std::map<std::string, std::vector<MeasuredFigure>> figures;
  bool any = false;
  for (const ordered_json& c : claims) {
    if (!c.contains("half")) continue;
    any = true;
    if (c["error"].is_null()) continue;
    for (const std::string& half : {c["half"].get<std::string>(), std::string("all")}) {
      figures[half].push_back({c["id"], c["published"], c["measured"]});
    }
  }
  ordered_json out;
  if (!any) return out;
  for (const char* half : {"fitted", "test", "all"}) {
    const ErrorSummary s = summary_of(figures[half]);
    out[half] = {{"figures", s.figures},
                 {"median", number_or_null(s.median)},
                 {"mean", number_or_null(s.mean)},
                 {"worst", nullptr},
                 {"correlation", number_or_null(s.correlation)}};
    if (s.worst) out[half]["worst"] = {{"error", *s.worst}, {"claim", s.worst_claim}};
  }
  return out;
}

}  // namespace

ordered_json study_document(const Study& study, const StudyRun& run, const PointResults& points) {
  const Results results(study, points);
  std::map<std::size_t, ordered_json> settled;
  ordered_json figures = ordered_json::array();
  for (const std::size_t f : run.figures) {
    figures.push_back(figure_entry(study, study.figures[f], results));
    ordered_json shown = ordered_json::array();
    for (const Measurement& m : study.figures[f].claims) {
      const std::string excluded = scope_excludes(study.claims[m.claim]);
      settled[m.claim] = excluded.empty() ? settle(study, run.scale, study.figures[f], m, results)
                                          : not_run(study.claims[m.claim], excluded);
      if (study.figures[f].kind == "correlation") shown.push_back(settled[m.claim]);
    }
    if (!shown.empty()) figures.back()["error"] = error_entry(shown);
  }
  ordered_json claims = ordered_json::array();
  std::map<std::string, std::size_t> count;
  std::vector<double> effects;
  for (std::size_t c = 0; c < study.claims.size(); ++c) {
    if (settled.count(c) == 0) {
      if (!run.whole) continue;
      const std::string excluded = scope_excludes(study.claims[c]);
      settled[c] = not_run(study.claims[c],
                           excluded.empty() ? "no figure of the study measures it" : excluded);
    }
    ++count[settled[c]["verdict"].get<std::string>()];
    if (settled[c]["effect"].is_number()) effects.push_back(settled[c]["effect"].get<double>());
    claims.push_back(std::move(settled[c]));
  }
  ordered_json missing = ordered_json::array();
  for (const StudyWorkload& w : study.workloads) {
    if (!w.exists)
      missing.push_back({{"name", w.name}, {"class", w.group}, {"workload", w.workload}});
  }
  ordered_json failed = ordered_json::array();
  for (const auto& [point, result] : points) {
    if (result.failure.empty()) continue;
    failed.push_back({{"platform", study.platforms[point.first].name},
                      {"workload", study.workloads[point.second].name},
                      {"error", result.failure}});
  }
  ordered_json window;
  if (run.window) {
    window = {
        {"skip", run.window->skip}, {"detail", run.window->detail}, {"rest", run.window->rest}};
  }
  const EffectSummary effect = summary_of(std::move(effects));
  ordered_json summary = {{"holds", count["holds"]},
                          {"direction", count["direction"]},
                          {"fails", count["fails"]},
                          {"not_run", count["not_run"]},
                          {"effect",
                           {{"claims", effect.claims},
                            {"mean", number_or_null(effect.mean)},
                            {"median", number_or_null(effect.median)}}}};
  if (ordered_json error = error_entry(claims); !error.is_null()) {
    summary["error"] = std::move(error);
  }
  return {{"study", study.name},
          {"title", study.title},
          {"source", study.source},
          {"scale", run.scale_name},
          {"window", std::move(window)},
          {"seed", run.seed},
          {"values", run.values},
          {"claims", std::move(claims)},
          {"summary", std::move(summary)},
          {"figures", std::move(figures)},
          {"missing_workloads", std::move(missing)},
          {"failed", std::move(failed)}};
}

}  // namespace tessera::studies
