// SPDX-License-Identifier: Apache-2.0
#include "app/report/difference.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "app/report/class_difference.h"
#include "app/report/inputs.h"
#include "app/report/text.h"
#include "common/json.h"
#include "common/text.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

/// Appends every scalar with its dotted name, in the document's order.
void flatten(const std::string& name, const ordered_json& value,
             std::vector<std::pair<std::string, ordered_json>>& out) {
  if (!value.is_structured()) {
    out.emplace_back(name, value);
    return;
  }
  std::size_t i = 0;
  for (const auto& [key, child] : value.items()) {
    const std::string part = value.is_array() ? std::to_string(i++) : key;
    flatten(name.empty() ? part : name + "." + part, child, out);
  }
}

std::vector<std::pair<std::string, ordered_json>> flat(const ordered_json& value) {
  std::vector<std::pair<std::string, ordered_json>> out;
  if (value.is_structured()) flatten("", value, out);
  return out;
}

/// (b - a) / a; empty if a is 0 or one of them is not a number.
std::optional<double> change(const ordered_json& a, const ordered_json& b) {
  if (!a.is_number() || !b.is_number() || a.get<double>() == 0) return std::nullopt;
  return (b.get<double>() - a.get<double>()) / std::fabs(a.get<double>());
}

ordered_json without_bins(const ordered_json& value) {
  if (!value.is_object()) return value;
  ordered_json out = ordered_json::object();
  for (const auto& [key, child] : value.items()) {
    const bool bins = child.is_array() && (key == "log2_buckets" || key == "bytes");
    if (!bins) out[key] = without_bins(child);
  }
  return out;
}

ordered_json or_null(const std::optional<double>& v) {
  return v ? ordered_json(*v) : ordered_json();
}

ordered_json moved(const std::string& name, const ordered_json& a, const ordered_json& b) {
  return {{"name", name}, {"a", a}, {"b", b}, {"change", or_null(change(a, b))}};
}

/// The numbers that differ between two sections, without bins of histograms and of series over
/// time: their sums and means are compared.
ordered_json moves(const ordered_json& a, const ordered_json& b) {
  ordered_json out = ordered_json::array();
  for (const ordered_json& c : changed_settings(without_bins(a), without_bins(b))) {
    out.push_back(moved(c["key"].get<std::string>(), c["a"], c["b"]));
  }
  return out;
}

double size_of(const ordered_json& move) {
  // A change from 0 has no ratio and sorts before all others.
  return move["change"].is_number() ? std::fabs(move["change"].get<double>()) : HUGE_VAL;
}

ordered_json section(const ordered_json& run, const char* name) {
  return run.is_object() && run.contains(name) ? run[name] : ordered_json();
}

/// The sections of a run with values that can be judged, and the prefixes of their names.
constexpr std::pair<const char*, const char*> kMetrics[] = {
    {"derived", ""}, {"energy", "energy."}, {"modules", ""}};

/// +1: more is worse; -1: less is worse; 0: unknown.
int worse_direction(const std::string& name) {
  for (const char* more_is_worse : {"cycles", "latency", "page_faults", "total_j"}) {
    if (name.find(more_is_worse) != std::string::npos) return 1;
  }
  for (const char* less_is_worse : {"ipc", "replies_per_cycle", "hit_rate"}) {
    if (name.find(less_is_worse) != std::string::npos) return -1;
  }
  return 0;
}

bool regresses(const ordered_json& move, double fail_above) {
  const int direction = worse_direction(move["name"].get<std::string>());
  if (!move["change"].is_number()) {
    const ordered_json& a = move["a"];
    const ordered_json& b = move["b"];
    if (direction == 0 || !a.is_number() || !b.is_number()) return a != b;
    return b.get<double>() * direction > 0;  // from 0
  }
  const double by = move["change"].get<double>();
  return direction == 0 ? std::fabs(by) > fail_above : by * direction > fail_above;
}

ordered_json difference_of(const std::string& name, const ordered_json& a, const ordered_json& b,
                           const std::optional<Judgement>& judgement, ordered_json& regressions) {
  ordered_json run = {{"run", name},
                      {"inputs", {{"a", inputs_of(a)}, {"b", inputs_of(b)}}},
                      {"config", changed_settings(section(a, "config"), section(b, "config"))}};
  ordered_json about = ordered_json::array();
  for (const char* key : {"schema", "tessera", "commit", "platform", "workload", "scale", "values",
                          "seed", "verified", "failure", "interrupted", "error"}) {
    const ordered_json x = section(a, key);
    const ordered_json y = section(b, key);
    if (x != y) about.push_back({{"key", key}, {"a", x}, {"b", y}});
  }
  run["about"] = std::move(about);
  run["cycles"] = moved("cycles", section(a, "cycles"), section(b, "cycles"));
  run["derived"] = moves(section(a, "derived"), section(b, "derived"));
  run["energy"] = moves(section(a, "energy"), section(b, "energy"));
  ordered_json statistics = moves(section(a, "modules"), section(b, "modules"));
  std::stable_sort(
      statistics.begin(), statistics.end(),
      [](const ordered_json& x, const ordered_json& y) { return size_of(x) > size_of(y); });
  run["classes"] = class_changes(a, b);
  run["statistics"] = std::move(statistics);
  if (!judgement) return run;
  const auto check = [&](ordered_json move) {
    if (!regresses(move, judgement->above)) return;
    move["run"] = name;
    regressions.push_back(std::move(move));
  };
  check(run["cycles"]);
  for (const std::string& metric : judgement->metrics) {
    check(moved(metric, metric_of(a, metric), metric_of(b, metric)));
  }
  const auto worse = [&](const char* key, bool is_worse) {
    if (!is_worse) return;
    regressions.push_back({{"name", key},
                           {"a", section(a, key)},
                           {"b", section(b, key)},
                           {"change", nullptr},
                           {"run", name}});
  };
  worse("verified", section(a, "verified") == true && section(b, "verified") != true);
  for (const char* key : {"failure", "interrupted", "error"}) {
    worse(key, !a.contains(key) && b.contains(key));
  }
  return run;
}

std::string shown(const ordered_json& value) {
  if (value.is_null()) return "-";
  if (value.is_number()) {
    const double number = value.get<double>();
    return number != 0 && std::fabs(number) < 0.001 ? value.dump() : short_number(number);
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string percent(const ordered_json& change) {
  if (!change.is_number()) return "";
  const double by = change.get<double>();
  return (by > 0 ? "+" : "") + percent_text(by);
}

void add_rows(std::vector<std::vector<std::string>>& rows, const ordered_json& changes,
              const char* key, std::size_t limit) {
  for (std::size_t i = 0; i < changes.size() && i < limit; ++i) {
    const ordered_json& c = changes[i];
    rows.push_back({"  " + c[key].get<std::string>(), shown(c["a"]), shown(c["b"]),
                    c.contains("change") ? percent(c["change"]) : ""});
  }
}

/// "A and B: scale small, ...", or a line for each.
std::string inputs_lines(const ordered_json& inputs) {
  const std::string a = inputs_line(inputs["a"]);
  const std::string b = inputs_line(inputs["b"]);
  if (a.empty() && b.empty()) return "";
  if (a == b) return "A and B: " + a + "\n";
  return "A: " + (a.empty() ? "-" : a) + "\nB: " + (b.empty() ? "-" : b) + "\n";
}

}  // namespace

ordered_json metric_of(const ordered_json& run, const std::string& name) {
  for (const auto& [part, prefix] : kMetrics) {
    const std::string begin = prefix;
    if (!begins_with(name, begin)) continue;
    for (const auto& [key, value] : flat(section(run, part))) {
      if (begin + key == name && value.is_number()) return value;
    }
  }
  return nullptr;
}

std::vector<std::string> metric_names(const NamedRuns& runs) {
  std::set<std::string> names;
  for (const auto& [name, run] : runs) {
    for (const auto& [part, prefix] : kMetrics) {
      if (std::string(part) == "modules") continue;
      for (const auto& [key, value] : flat(section(run, part))) names.insert(prefix + key);
    }
  }
  return {names.begin(), names.end()};
}

ordered_json changed_settings(const ordered_json& a, const ordered_json& b) {
  const auto of_a = flat(a);
  const auto of_b = flat(b);
  std::map<std::string, const ordered_json*> in_a;
  std::map<std::string, const ordered_json*> in_b;
  for (const auto& [key, value] : of_a) in_a[key] = &value;
  for (const auto& [key, value] : of_b) in_b[key] = &value;
  ordered_json out = ordered_json::array();
  for (const auto& [key, value] : of_a) {
    const auto other = in_b.find(key);
    const ordered_json theirs = other == in_b.end() ? ordered_json() : *other->second;
    if (value != theirs) out.push_back({{"key", key}, {"a", value}, {"b", theirs}});
  }
  for (const auto& [key, value] : of_b) {
    if (in_a.count(key) == 0) out.push_back({{"key", key}, {"a", nullptr}, {"b", value}});
  }
  return out;
}

ordered_json difference_document(const NamedRuns& a, const NamedRuns& b,
                                 const std::optional<Judgement>& judgement) {
  ordered_json document = {{"runs", ordered_json::array()},
                           {"only_a", ordered_json::array()},
                           {"only_b", ordered_json::array()},
                           {"fail_above", nullptr},
                           {"judged", nullptr}};
  if (judgement) {
    document["fail_above"] = judgement->above;
    document["judged"] = {"cycles"};
    for (const std::string& metric : judgement->metrics) document["judged"].push_back(metric);
  }
  ordered_json regressions = ordered_json::array();
  for (const auto& [name, run] : a) {
    const auto other = b.find(name);
    if (other == b.end()) {
      document["only_a"].push_back(name);
    } else {
      document["runs"].push_back(difference_of(name, run, other->second, judgement, regressions));
    }
  }
  for (const auto& [name, run] : b) {
    if (a.count(name) == 0) document["only_b"].push_back(name);
  }
  document["regressions"] = std::move(regressions);
  return document;
}

std::string difference_text(const ordered_json& document, std::size_t limit, bool blocks) {
  std::string text;
  for (const ordered_json& run : document["runs"]) {
    std::vector<std::vector<std::string>> rows = {{run["run"].get<std::string>(), "A", "B", ""}};
    add_rows(rows, run["about"], "key", run["about"].size());
    add_rows(rows, run["config"], "key", run["config"].size());
    if (run["cycles"]["a"] != run["cycles"]["b"]) {
      add_rows(rows, ordered_json::array({run["cycles"]}), "name", 1);
    }
    for (const char* part : {"derived", "energy"}) {
      add_rows(rows, run[part], "name", run[part].size());
    }
    // Blocks can differ although their sums do not.
    const ordered_json& of_blocks = run["statistics"];
    const bool only_blocks = run["classes"].empty() && !of_blocks.empty();
    add_rows(rows, run["classes"], "name", limit);
    if (blocks) add_rows(rows, of_blocks, "name", limit);
    text += inputs_lines(run["inputs"]);
    text +=
        rows.size() == 1 && !only_blocks ? rows[0][0] + "  nothing differs\n" : table_text(rows);
    if (run["classes"].size() > limit) {
      text += "  and " + grouped(run["classes"].size() - limit) +
              " more statistics of classes (--limit, --json)\n";
    }
    if (blocks && of_blocks.size() > limit) {
      text += "  and " + grouped(of_blocks.size() - limit) +
              " more statistics of blocks (--limit, --json)\n";
    } else if (!blocks && !of_blocks.empty()) {
      text += "  " + grouped(of_blocks.size()) + " statistics of single blocks differ (--blocks)\n";
    }
  }
  for (const char* side : {"only_a", "only_b"}) {
    for (const ordered_json& name : document[side]) {
      text += name.get<std::string>() + "  only in " + (side[5] == 'a' ? "A" : "B") + "\n";
    }
  }
  return text;
}

std::string settings_text(const ordered_json& changes, const std::string& a, const std::string& b) {
  if (changes.empty()) return "no parameter differs\n";
  std::vector<std::vector<std::string>> rows = {{"PARAMETER", a, b}};
  for (const ordered_json& c : changes) {
    rows.push_back({c["key"].get<std::string>(), shown(c["a"]), shown(c["b"])});
  }
  return table_text(rows);
}

}  // namespace tessera::app
