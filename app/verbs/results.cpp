// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <set>

#include "app/arguments.h"
#include "app/console.h"
#include "app/old_points.h"
#include "app/point_store.h"
#include "app/report/csv.h"
#include "app/report/text.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/json.h"
#include "common/suggest.h"

namespace tessera::app {
namespace {

namespace po = boost::program_options;
using nlohmann::ordered_json;

using Configurations = std::map<std::string, KeptJson<ordered_json>>;

constexpr const char* kFields[] = {"key",      "created",  "model",        "platform",
                                   "workload", "scale",    "values",       "seed",
                                   "window",   "verified", "host_seconds", "host_peak_bytes"};

ordered_json field(const PointEntry& e, const std::string& name) {
  if (name == "key") return e.key;
  if (name == "created") return e.created;
  if (name == "model") return e.model;
  if (name == "platform") return e.platform;
  if (name == "workload") return e.workload;
  if (name == "scale") return e.scale;
  if (name == "values") return e.values;
  if (name == "seed") return e.seed;
  if (name == "window") return e.window.empty() ? ordered_json() : ordered_json(e.window);
  if (name == "verified") return e.verified ? ordered_json(*e.verified) : ordered_json();
  if (name == "host_seconds") return e.host_seconds;
  if (name == "host_peak_bytes") return e.host_peak_bytes;
  return nullptr;
}

bool is_field(const std::string& name) {
  return std::find(std::begin(kFields), std::end(kFields), name) != std::end(kFields);
}

/// The parameter of a resolved configuration; null if it has none of this name.
ordered_json parameter(const ordered_json& config, const std::string& name) {
  const ordered_json* at = &config;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const auto next = at->is_object() ? at->find(name.substr(begin, end - begin)) : at->end();
    if (!at->is_object() || next == at->end()) return nullptr;
    at = &*next;
    begin = end + 1;
  }
  return at->is_structured() ? ordered_json() : *at;
}

/// A field, a figure, or a parameter of the resolved configuration; null if the point has none.
ordered_json value_of(const PointEntry& e, const Configurations& configs, const std::string& name) {
  if (is_field(name)) return field(e, name);
  if (const auto figure = e.figures->find(name); figure != e.figures->end()) return *figure;
  const auto config = configs.find(e.config);
  return config == configs.end() ? ordered_json() : parameter(*config->second, name);
}

/// NAME=VALUE, NAME!=VALUE, NAME<VALUE, NAME<=VALUE, NAME>VALUE, NAME>=VALUE.
struct Condition {
  std::string name;
  std::string operation;
  std::string value;
  std::optional<double> number;

  static Condition read(const std::string& text) {
    Condition c;
    const std::size_t at = text.find_first_of("=<>!");
    if (at == 0 || at == std::string::npos) refuse(text);
    c.name = text.substr(0, at);
    const std::size_t length = at + 1 < text.size() && text[at + 1] == '=' ? 2 : 1;
    c.operation = text.substr(at, length);
    if (c.operation == "!" || c.operation == "==") refuse(text);
    c.value = text.substr(at + length);
    double number = 0;
    const char* end = c.value.data() + c.value.size();
    const auto [rest, error] = std::from_chars(c.value.data(), end, number);
    if (error == std::errc() && rest == end) c.number = number;
    if (c.operation[0] != '=' && c.operation[0] != '!' && !c.number) {
      throw InputError("--where: '" + c.value + "' in '" + text + "' is not a number");
    }
    return c;
  }

  bool holds(const ordered_json& of) const {
    if (operation == "!=") return !equal(of);
    if (operation == "=") return equal(of);
    if (!of.is_number()) return false;
    const auto x = of.get<double>();
    if (operation == "<") return x < *number;
    if (operation == "<=") return x <= *number;
    if (operation == ">") return x > *number;
    return x >= *number;
  }

 private:
  [[noreturn]] static void refuse(const std::string& text) {
    throw InputError("--where: expected NAME=VALUE, or with !=, <, <=, >, >=; got '" + text + "'");
  }
  bool equal(const ordered_json& of) const {
    if (of.is_number()) return number && of.get<double>() == *number;
    return csv_value(of) == value;
  }
};

void add_parameter_names(const ordered_json& config, const std::string& prefix,
                         std::set<std::string>& names) {
  for (const auto& [key, value] : config.items()) {
    if (value.is_object()) {
      add_parameter_names(value, prefix + key + ".", names);
    } else if (!value.is_array()) {
      names.insert(prefix + key);
    }
  }
}

/// Throws InputError if no point has a value of this name.
void check_names(const std::vector<std::string>& wanted, const std::vector<PointEntry>& entries,
                 const Configurations& configs) {
  std::set<std::string> known(std::begin(kFields), std::end(kFields));
  for (const PointEntry& e : entries) {
    for (const auto& [name, value] : e.figures->items()) known.insert(name);
  }
  for (const auto& [hash, config] : configs) add_parameter_names(*config, "", known);
  for (const std::string& name : wanted) {
    if (known.count(name) != 0) continue;
    throw InputError("no point has a value of the name '" + name + "'" +
                     did_you_mean(name, {known.begin(), known.end()}));
  }
}

/// Every field, setting and figure of the points.
std::vector<std::string> all_columns(const std::vector<PointEntry>& entries) {
  std::vector<std::string> columns(std::begin(kFields) + 3, std::end(kFields) - 2);
  std::vector<std::string> figures;
  std::set<std::string> seen;
  for (const PointEntry& e : entries) {
    for (const auto& [name, value] : e.settings->items()) {
      if (seen.insert(name).second) columns.push_back(name);
    }
    for (const auto& [name, value] : e.figures->items()) {
      if (seen.insert(name).second) figures.push_back(name);
    }
  }
  columns.insert(columns.end(), figures.begin(), figures.end());
  columns.insert(columns.end(), {"host_seconds", "host_peak_bytes", "created", "model", "key"});
  return columns;
}

std::string csv_of(const std::vector<std::string>& columns, const std::vector<PointEntry>& entries,
                   const Configurations& configs) {
  std::string text;
  const auto line = [&text](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += (i == 0 ? "" : ",") + csv_field(cells[i]);
    text += '\n';
  };
  line(columns);
  for (const PointEntry& e : entries) {
    std::vector<std::string> cells;
    cells.reserve(columns.size());
    for (const std::string& c : columns) cells.push_back(csv_value(value_of(e, configs, c)));
    line(cells);
  }
  return text;
}

std::string table_of(const std::vector<std::string>& columns,
                     const std::vector<PointEntry>& entries, const Configurations& configs) {
  std::vector<std::vector<std::string>> rows = {columns};
  rows[0].push_back("settings");
  for (const PointEntry& e : entries) {
    std::vector<std::string> row;
    for (const std::string& c : columns) {
      const ordered_json value = value_of(e, configs, c);
      if (value.is_null()) {
        row.emplace_back("-");
      } else {
        row.push_back(value.is_number_float() ? short_number(value.get<double>())
                                              : csv_value(value));
      }
    }
    std::string settings;
    for (const auto& [name, value] : e.settings->items()) {
      settings += (settings.empty() ? "" : " ") + name + "=" + csv_value(value);
    }
    row.push_back(settings);
    rows.push_back(std::move(row));
  }
  return table_text(rows) + "\n" + std::to_string(entries.size()) +
         (entries.size() == 1 ? " point\n" : " points\n");
}

ordered_json document_of(const std::string& path, const std::vector<std::string>& columns,
                         const std::vector<PointEntry>& entries, const Configurations& configs) {
  ordered_json document = {{"store", path}, {"points", ordered_json::array()}};
  for (const PointEntry& e : entries) {
    ordered_json point = ordered_json::object();
    for (const std::string& c : columns) {
      ordered_json value = value_of(e, configs, c);
      if (!value.is_null()) point[c] = std::move(value);
    }
    document["points"].push_back(std::move(point));
  }
  return document;
}

/// Numbers in their order, before texts in theirs; points without a value last.
bool before(const ordered_json& a, const ordered_json& b) {
  const auto rank = [](const ordered_json& v) { return v.is_number() ? 0 : v.is_null() ? 2 : 1; };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a.is_number()) return a.get<double>() < b.get<double>();
  return csv_value(a) < csv_value(b);
}

}  // namespace

ArgumentParser results_arguments() {
  ArgumentParser parser("results",
                        "Lists the points in the database of results. Columns and conditions name "
                        "fields (platform,\nworkload, scale, values, seed, window, verified, "
                        "created, model, key, host_seconds, host_peak_bytes), figures (cycles, "
                        "time_ns,\nderived.ipc, "
                        "energy.noc.total_j) and parameters of the platform (llc.sets).");
  parser.options()("store", po::value<std::string>()->value_name("FILE"),
                   "database of results (default: TESSERA_STORE, or out/results.sqlite)")(
      "where", po::value<std::vector<std::string>>()->composing()->value_name("CONDITION"),
      "only points with NAME=VALUE, or with !=, <, <=, >, >=; repeatable")(
      "columns", po::value<std::string>()->value_name("NAME,..."), "what to show of each point")(
      "sort", po::value<std::string>()->value_name("NAME"),
      "order of the points (default: created)")(
      "import", po::value<std::string>()->value_name("DIR"),
      "add the points that compare and study kept as files in this folder before there was a "
      "database, then list; they are never reused (docs/guide/results.md)")(
      "csv", "print CSV with all fields, settings and figures")("json", "print one JSON document");
  parser.completes("store", {Completes::Kind::kFile, {}});
  parser.completes("import", {Completes::Kind::kFolder, {}});
  return parser;
}

int results_verb(const std::vector<std::string>& arguments) {
  const auto values = results_arguments().parse(arguments);
  if (!values) return 0;
  if (values->count("csv") != 0 && values->count("json") != 0) {
    throw InputError("--csv and --json: choose one");
  }
  const auto store =
      open_store(values->count("store") == 0 ? std::nullopt
                                             : std::optional((*values)["store"].as<std::string>()));
  if (!store) return 1;
  OldPoints old;
  if (values->count("import") != 0) {
    old = import_old_points((*values)["import"].as<std::string>(), *store, complain);
    complain(std::to_string(old.imported) + " points imported, " + std::to_string(old.present) +
             " there already, " + std::to_string(old.refused) + " files refused");
  }
  std::vector<Condition> conditions;
  std::vector<std::string> wanted;
  if (values->count("where") != 0) {
    for (const auto& text : (*values)["where"].as<std::vector<std::string>>()) {
      conditions.push_back(Condition::read(text));
      wanted.push_back(conditions.back().name);
    }
  }
  std::vector<std::string> columns = {"platform", "workload",    "scale",          "cycles",
                                      "time_ns",  "derived.ipc", "energy.total_j", "verified"};
  const bool chosen = values->count("columns") != 0;
  if (chosen) {
    columns = split_names("--columns", (*values)["columns"].as<std::string>());
    wanted.insert(wanted.end(), columns.begin(), columns.end());
  }
  std::string order;
  if (values->count("sort") != 0) {
    order = (*values)["sort"].as<std::string>();
    wanted.push_back(order);
  }
  std::vector<PointEntry> entries = store->entries();
  const Configurations configs = store->configurations();
  if (!entries.empty()) check_names(wanted, entries, configs);
  for (const Condition& c : conditions) {
    entries.erase(
        std::remove_if(entries.begin(), entries.end(),
                       [&](const PointEntry& e) { return !c.holds(value_of(e, configs, c.name)); }),
        entries.end());
  }
  if (!order.empty()) {
    std::stable_sort(entries.begin(), entries.end(), [&](const PointEntry& a, const PointEntry& b) {
      return before(value_of(a, configs, order), value_of(b, configs, order));
    });
  }
  const bool all = !chosen && (values->count("csv") != 0 || values->count("json") != 0);
  if (all) columns = all_columns(entries);
  if (values->count("json") != 0) {
    write_document(document_of(store->path(), columns, entries, configs));
  } else if (values->count("csv") != 0) {
    print_text(csv_of(columns, entries, configs));
  } else {
    print_text(printable(table_of(columns, entries, configs)));
  }
  return old.refused == 0 ? 0 : 1;
}

}  // namespace tessera::app
