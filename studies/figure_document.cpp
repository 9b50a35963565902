// SPDX-License-Identifier: Apache-2.0
#include "studies/figure_document.h"

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "common/json.h"
#include "studies/evaluator.h"

namespace tessera::studies {

using nlohmann::ordered_json;

ordered_json number_or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

namespace {

ordered_json series_by_workload(const Study& study, const Figure& f, const Series& s,
                                const Results& results) {
  std::set<Reading> readings;
  collect_readings(s.each, f.workloads, readings);
  for (const Mean& m : f.means) collect_readings(s.each, m.workloads, readings);
  const Evaluator evaluator = results.evaluator(f.workloads, readings);
  ordered_json out = {{"name", s.name}};
  const auto add = [&](const std::string& x, const std::optional<double>& v) {
    out["measured"].push_back(number_or_null(v));
    const auto p = s.published.find(x);
    out["published"].push_back(p == s.published.end() ? ordered_json() : ordered_json(p->second));
  };
  for (const std::size_t w : f.workloads) {
    if (study.workloads[w].exists) add(study.workloads[w].name, evaluator.value_for(s.each, w));
  }
  for (const Mean& m : f.means) {
    Node n;
    n.kind = Node::Kind::kAggregate;
    n.name = m.take;
    n.arguments = {s.each};
    n.selection = m.workloads;
    add(m.label, evaluator.value(std::make_shared<const Node>(n)));
  }
  return out;
}

ordered_json series_of_points(const Figure& f, const Series& s, const Results& results) {
  ordered_json out = {{"name", s.name}};
  for (const SeriesPoint& p : s.points) {
    std::set<Reading> readings;
    collect_readings(p.y, f.workloads, readings);
    if (p.x) collect_readings(p.x, f.workloads, readings);
    const Evaluator evaluator = results.evaluator(f.workloads, readings);
    ordered_json point = {{"label", p.label}};
    if (p.x) point["x"] = number_or_null(evaluator.value(p.x));
    point["measured"] = number_or_null(evaluator.value(p.y));
    point["published"] = number_or_null(p.published);
    if (p.x) point["published_x"] = number_or_null(p.published_x);
    out["points"].push_back(std::move(point));
  }
  return out;
}

}  // namespace

ordered_json figure_entry(const Study& study, const Figure& f, const Results& results) {
  ordered_json e = {{"figure", f.name},
                    {"title", f.title},
                    {"source", f.source},
                    {"chart", {{"kind", f.kind}, {"x", f.x_title}, {"y", f.y_title}}},
                    {"series", ordered_json::array()}};
  if (f.x_log) e["chart"]["x_scale"] = "log";
  if (f.y_log) e["chart"]["y_scale"] = "log";
  if (f.kind == "correlation") return e;
  const bool points = !f.series.empty() && !f.series.front().points.empty();
  if (!points) {
    ordered_json& x = e["x"] = ordered_json::array();
    for (const std::size_t w : f.workloads) {
      if (study.workloads[w].exists) x.push_back(study.workloads[w].name);
    }
    e["workloads"] = x.size();
    for (const Mean& m : f.means) x.push_back(m.label);
  }
  for (const Series& s : f.series) {
    e["series"].push_back(points ? series_of_points(f, s, results)
                                 : series_by_workload(study, f, s, results));
  }
  return e;
}

}  // namespace tessera::studies
