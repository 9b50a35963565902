// SPDX-License-Identifier: Apache-2.0
#include "app/report/study.h"

#include <set>

#include "app/report/text.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

/// Text of a number, an ordered list, several named numbers, or the result of an ordering.
std::string cell(const ordered_json& value) {
  if (value.is_number()) return short_number(value.get<double>());
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "comes out" : "does not";
  std::string text;
  if (value.is_array()) {
    bool orders = false;  // elements that are orders themselves
    for (const ordered_json& v : value) orders = orders || cell(v).find('>') != std::string::npos;
    for (const ordered_json& v : value)
      text += (text.empty() ? "" : orders ? "; " : " > ") + cell(v);
  } else if (value.is_object()) {
    for (const auto& [key, v] : value.items()) {
      text += (text.empty() ? "" : ", ") + key + " " + cell(v);
    }
  }
  return text.empty() ? "-" : text;
}

/// The claim's own value, if it has one, and its numbers with names: "1.20; largest 1.98".
std::string with_numbers(const ordered_json& claim, const char* key) {
  const ordered_json own = claim.value(key, ordered_json());
  std::string text = own.is_number() ? cell(own) : "";
  std::string separator = text.empty() ? "" : "; ";
  for (const char* list : {"parts", "points"}) {
    const ordered_json numbers = claim.value(list, ordered_json::object());
    for (const auto& [name, number] : numbers.items()) {
      const ordered_json v = number.value(key, ordered_json());
      if (!v.is_number()) continue;
      text += separator + name + " " + cell(v);
      separator = ", ";
    }
  }
  return text.empty() ? "-" : text;
}

/// A published or measured value; if it is one number, then also the numbers beside it.
std::string value_cell(const ordered_json& claim, const char* key) {
  return claim[key].is_number() ? with_numbers(claim, key) : cell(claim[key]);
}

std::string effect_cell(const ordered_json& claim) {
  return claim["measured"].is_null() ? "-" : with_numbers(claim, "effect");
}

/// Whether the study compares with published figures of real hardware.
bool has_halves(const ordered_json& document) { return document["summary"].contains("error"); }

std::string error_cell(const ordered_json& claim) {
  const ordered_json error = claim.value("error", ordered_json());
  return error.is_number() ? percent_text(error.get<double>()) : "-";
}

/// Median and worst error of each half and the correlation of both. `error`: of a summary or a
/// figure. Empty if there is none or nothing was measured.
std::string error_line(const ordered_json& error) {
  std::string text;
  if (error.is_null()) return text;
  for (const char* half : {"fitted", "test"}) {
    const ordered_json& e = error[half];
    if (e["figures"] == 0) continue;
    text += std::string(text.empty() ? "" : "; ") + half + " median " +
            percent_text(e["median"].get<double>()) + ", worst " +
            percent_text(e["worst"]["error"].get<double>()) + " (" +
            e["worst"]["claim"].get<std::string>() + ")";
  }
  if (text.empty()) return text;
  const ordered_json& correlation = error["all"]["correlation"];
  if (correlation.is_number()) text += "; correlation " + cell(correlation);
  return "Error against published figures: " + text;
}

/// The accepted values of a claim: a range, a band around the paper's numbers, or an order.
std::string accepted(const ordered_json& claim) {
  const ordered_json range = claim.value("accept_range", ordered_json());
  const ordered_json band = claim.value("tolerance", ordered_json());
  if (range.is_array() && range[1].is_null()) return "from " + cell(range[0]);
  if (range.is_array()) return cell(range[0]) + " to " + cell(range[1]);
  if (band.is_number()) {
    return "within " + percent_text(band.get<double>()) +
           (claim.value("value_kind", ordered_json()) == "ratio" ? ", effect 0.5 to 1.5" : "");
  }
  return claim["published"].is_array() ? "the order" : "-";
}

/// A line with the claims that were measured on small presets; empty if there are none.
std::string small_line(const ordered_json& document) {
  std::string ids;
  std::set<std::string> presets;
  for (const ordered_json& c : document["claims"]) {
    const ordered_json own = c.value("small_presets", ordered_json::array());
    if (own.empty()) continue;
    ids += (ids.empty() ? "" : ", ") + c["id"].get<std::string>();
    for (const ordered_json& p : own) presets.insert(p.get<std::string>());
  }
  if (ids.empty()) return "";
  std::string names;
  for (const std::string& p : presets) names += (names.empty() ? "" : ", ") + p;
  return "Judged on small presets (" + names + "), not on systems of the paper's size: " + ids;
}

bool any(const ordered_json& values) {
  for (const ordered_json& v : values) {
    if (!v.is_null()) return true;
  }
  return false;
}

/// Columns: x axis, then for every series the measured values and, if the paper has numbers, the
/// published ones.
Rows rows_by_workload(const ordered_json& figure) {
  Rows rows = {{figure["chart"]["x"].get<std::string>()}};
  if (rows[0][0].empty()) rows[0][0] = "workload";
  for (const ordered_json& x : figure["x"]) rows.push_back({x.get<std::string>()});
  for (const ordered_json& series : figure["series"]) {
    if (!series.contains("measured")) continue;
    const bool published = any(series["published"]);
    rows[0].push_back(series["name"].get<std::string>());
    if (published) rows[0].emplace_back("(paper)");
    for (std::size_t i = 0; i < figure["x"].size(); ++i) {
      rows[i + 1].push_back(cell(series["measured"][i]));
      if (published) rows[i + 1].push_back(cell(series["published"][i]));
    }
  }
  return rows;
}

Rows rows_of_points(const ordered_json& figure) {
  const bool scatter = figure["chart"]["kind"] == "scatter";
  const std::string y = figure["chart"]["y"].get<std::string>();
  Rows rows = {{"series", "point"}};
  if (scatter) {
    rows[0].push_back(figure["chart"]["x"].get<std::string>());
    rows[0].emplace_back("(paper)");
  }
  rows[0].push_back(y);
  rows[0].emplace_back("(paper)");
  for (const ordered_json& series : figure["series"]) {
    for (const ordered_json& p : series["points"]) {
      rows.push_back({series["name"].get<std::string>(), p["label"].get<std::string>()});
      if (scatter) {
        rows.back().push_back(cell(p["x"]));
        rows.back().push_back(cell(p["published_x"]));
      }
      rows.back().push_back(cell(p["measured"]));
      rows.back().push_back(cell(p["published"]));
    }
  }
  return rows;
}

/// The claims of a correlation chart, measured or not.
Rows rows_of_claims(const ordered_json& document, const ordered_json& figure) {
  const std::set<std::string> unitless = {"ratio", "fraction", "fraction-loss", "count"};
  Rows rows = {{"claim", "half", "published", "measured", "unit", "error"}};
  for (const ordered_json& c : document["claims"]) {
    if (!c.contains("half") || c["figure"] != figure["figure"]) continue;
    const ordered_json& kind = c["value_kind"];
    const bool unit = kind.is_string() && unitless.count(kind.get<std::string>()) == 0;
    rows.push_back({c["id"].get<std::string>(), c["half"].get<std::string>(), cell(c["published"]),
                    cell(c["measured"]), unit ? cell(kind) : "", error_cell(c)});
  }
  return rows;
}

std::string summary_line(const ordered_json& document) {
  std::string text;
  for (const auto& [verdict, count] : document["summary"].items()) {
    if (count.is_object()) continue;  // effect, error
    text += (text.empty() ? "" : ", ") + count.dump() + " " +
            (verdict == "not_run"     ? "not run"
             : verdict == "direction" ? "direction only"
                                      : verdict);
  }
  return text;
}

std::string claims_line(const ordered_json& document) {
  const std::size_t n = document["claims"].size();
  return std::to_string(n) + (n == 1 ? " claim: " : " claims: ") + summary_line(document);
}

/// Empty if no ratio with an effect was measured.
std::string effect_line(const ordered_json& document) {
  const ordered_json e = document["summary"].value("effect", ordered_json::object());
  const auto n = e.value("claims", std::size_t{0});
  if (n == 0) return "";
  return "Effect (1: as published, 0: none): mean " + cell(e["mean"]) + ", median " +
         cell(e["median"]) + ", of " + std::to_string(n) + (n == 1 ? " ratio" : " ratios");
}

std::string missing_line(const ordered_json& document) {
  std::string names;
  for (const ordered_json& w : document["missing_workloads"]) {
    names += (names.empty() ? "" : ", ") + w["name"].get<std::string>();
  }
  return names.empty() ? "" : "Workloads of the paper that the suite does not have yet: " + names;
}

/// The first row is the heading.
std::string markdown_table(const Rows& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::string& value : rows[i]) {
      text += "| ";
      for (const char c : value) {
        if (c == '|') text += '\\';
        text += c == '\n' ? ' ' : c;
      }
      text += ' ';
    }
    text += "|\n";
    if (i != 0) continue;
    for (std::size_t n = 0; n < rows[0].size(); ++n) text += "| --- ";
    text += "|\n";
  }
  return text;
}

std::string title_of(const ordered_json& figure) {
  const std::string source = figure["source"].get<std::string>();
  return figure["figure"].get<std::string>() + ": " + figure["title"].get<std::string>() +
         (source.empty() ? "" : " (" + source + ")");
}

Rows rows_of(const ordered_json& document, const ordered_json& figure) {
  if (figure["chart"]["kind"] == "correlation") return rows_of_claims(document, figure);
  return figure.contains("x") ? rows_by_workload(figure) : rows_of_points(figure);
}

/// "Runs are simulated in detail for 1 000 000 thread instructions".
std::string window_line(const ordered_json& document) {
  const ordered_json window = document.value("window", ordered_json());
  if (window.is_null()) return "";
  const auto skip = window["skip"].get<std::uint64_t>();
  const auto detail = window["detail"].get<std::uint64_t>();
  return "Runs are simulated in detail " +
         (detail == 0 ? "to their ends" : "for " + grouped(detail) + " thread instructions") +
         (skip == 0 ? "" : ", after " + grouped(skip));
}

}  // namespace

std::string study_text(const ordered_json& document) {
  std::string text = document["title"].get<std::string>() + ", scale " +
                     document["scale"].get<std::string>() + "\n";
  if (const std::string window = window_line(document); !window.empty()) text += window + "\n";
  for (const ordered_json& f : document["figures"]) {
    text += "\n" + title_of(f) + "\n  " + f["chart"]["y"].get<std::string>() + "\n";
    text += table_text(rows_of(document, f));
    if (const std::string line = error_line(f.value("error", ordered_json())); !line.empty()) {
      text += line + "\n";
    }
  }
  Rows rows = {{"CLAIM", "VERDICT", "PAPER", "ACCEPTED", "MEASURED", "EFFECT", "NOTE"}};
  if (has_halves(document)) rows[0].insert(rows[0].end() - 1, "ERROR");
  for (const ordered_json& c : document["claims"]) {
    rows.push_back({c["id"].get<std::string>(), c["verdict"].get<std::string>(),
                    value_cell(c, "published"), accepted(c), value_cell(c, "measured"),
                    effect_cell(c), c["note"].get<std::string>()});
    if (has_halves(document)) rows.back().insert(rows.back().end() - 1, error_cell(c));
  }
  text += "\n" + table_text(rows) + "\n" + claims_line(document) + "\n";
  for (const std::string& line :
       {effect_line(document), error_line(document["summary"].value("error", ordered_json())),
        small_line(document), missing_line(document)}) {
    if (!line.empty()) text += line + "\n";
  }
  return text;
}

std::string study_markdown(const ordered_json& document, const std::string& command) {
  std::string text = "`" + command + " --scale " + document["scale"].get<std::string>() +
                     " --seed " + document["seed"].dump() + " --values " +
                     document["values"].get<std::string>() + "`\n\n";
  if (const std::string window = window_line(document); !window.empty()) text += window + ". ";
  text += claims_line(document) + ".\n";
  for (const std::string& line :
       {effect_line(document), error_line(document["summary"].value("error", ordered_json())),
        small_line(document), missing_line(document)}) {
    if (!line.empty()) text += "\n" + line + ".\n";
  }
  Rows rows = {
      {"claim", "what", "where", "paper", "accepted", "measured", "effect", "verdict", "note"}};
  if (has_halves(document)) rows[0].insert(rows[0].end() - 2, "error");
  for (const ordered_json& c : document["claims"]) {
    const std::string verdict = c["verdict"].get<std::string>();
    rows.push_back({c["id"].get<std::string>(), c["what"].get<std::string>(),
                    c["where"].get<std::string>(), value_cell(c, "published"), accepted(c),
                    value_cell(c, "measured"), effect_cell(c),
                    verdict == "fails"     ? "**fails**"
                    : verdict == "not_run" ? "not run"
                                           : verdict,
                    c["note"].get<std::string>()});
    if (has_halves(document)) rows.back().insert(rows.back().end() - 2, error_cell(c));
  }
  text += "\n" + markdown_table(rows);
  for (const ordered_json& f : document["figures"]) {
    text += "\n### " + title_of(f) + "\n\n" + f["chart"]["y"].get<std::string>() + "\n\n" +
            markdown_table(rows_of(document, f));
    if (const std::string line = error_line(f.value("error", ordered_json())); !line.empty()) {
      text += "\n" + line + ".\n";
    }
  }
  return text;
}

}  // namespace tessera::app
