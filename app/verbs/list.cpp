// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "app/arguments.h"
#include "app/console.h"
#include "app/point.h"
#include "app/report/text.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/json.h"
#include "common/quantity.h"
#include "common/suggest.h"
#include "common/text.h"
#include "platforms/policy_families.h"
#include "stimuli/paper_workloads.h"
#include "studies/study.h"

namespace tessera::app {
namespace {

namespace po = boost::program_options;
using nlohmann::ordered_json;

/// The listing of a topic: objects with the same keys, and the keys to show as columns.
struct Listing {
  ordered_json entries = ordered_json::array();
  std::vector<std::pair<std::string, std::string>> columns;  ///< key, heading
  ordered_json more = ordered_json::object();                ///< further lists of the JSON document
  std::string note;                                          ///< after the table
};

Listing platforms(const std::string&) {
  Listing l;
  for (const PresetInfo& p : platform_presets()) {
    l.entries.push_back({{"name", p.name}, {"description", p.description}, {"file", p.file}});
  }
  l.columns = {{"name", "PLATFORM"}, {"description", "DESCRIPTION"}};
  return l;
}

/// "nuba, ladm": the papers of the rows that name a workload, each once.
std::string papers_of(const ordered_json& rows) {
  std::vector<std::string> papers;
  for (const ordered_json& row : rows) {
    const auto paper = row["paper"].get<std::string>();
    if (papers.empty() || papers.back() != paper) papers.push_back(paper);
  }
  return joined(papers);
}

Listing workloads(const std::string&) {
  Listing l;
  std::map<std::string, ordered_json> by_workload;
  std::map<std::string, ordered_json> by_kernel;
  l.more["paper_workloads"] = ordered_json::array();
  for (const PaperWorkload& p : paper_workloads()) {
    const ordered_json name = {{"paper", p.paper}, {"name", p.name}, {"class", p.workload_class}};
    ordered_json row = name;
    row["kernel"] = p.kernel.empty() ? ordered_json() : ordered_json(p.kernel);
    row["workload"] = p.workload.empty() ? ordered_json() : ordered_json(p.workload);
    l.more["paper_workloads"].push_back(std::move(row));
    if (p.kernel.empty()) continue;
    by_workload[p.workload].push_back(name);
    ordered_json& kernel = by_kernel[p.kernel];
    kernel["name"] = p.kernel;
    kernel["papers"].push_back(name);
    ordered_json& suite = kernel["workloads"];
    if (std::find(suite.begin(), suite.end(), p.workload) == suite.end()) {
      suite.push_back(p.workload);
    }
  }
  for (auto& [name, kernel] : by_kernel) l.more["kernels"].push_back(std::move(kernel));
  for (const WorkloadInfo& w : workload_catalogue()) {
    const auto rows = by_workload.find(w.name);
    const ordered_json papers = rows == by_workload.end() ? ordered_json::array() : rows->second;
    l.entries.push_back({{"name", w.name},
                         {"family", w.family},
                         {"description", w.description},
                         {"papers", papers},
                         {"used_by", papers_of(papers)},
                         {"race_free", w.race_free}});
  }
  l.columns = {{"name", "WORKLOAD"},
               {"family", "FAMILY"},
               {"used_by", "PAPERS"},
               {"description", "DESCRIPTION"}};
  return l;
}

Listing studies(const std::string&) {
  Listing l;
  for (const studies::StudyInfo& s : studies::study_catalogue()) {
    std::vector<std::string> figures;
    for (const studies::Figure& f : studies::load_study(s.folder).figures) {
      figures.push_back(f.name);
    }
    l.entries.push_back(
        {{"name", s.name}, {"title", s.title}, {"figures", joined(figures)}, {"folder", s.folder}});
  }
  l.columns = {{"name", "STUDY"}, {"title", "TITLE"}, {"figures", "FIGURES"}};
  return l;
}

std::string range_of(const ListedParameter& p) {
  std::string text;
  for (const std::string& c : p.info.choices) text += (text.empty() ? "" : ", ") + c;
  if (p.kind == "integer") {
    text = std::to_string(static_cast<std::uint64_t>(p.info.min)) + " to " +
           (p.info.max < 1e18 ? std::to_string(static_cast<std::uint64_t>(p.info.max))
                              : short_number(p.info.max / 1e18) + "e18");
  } else if (p.kind == "real") {
    text = ordered_json(p.info.min).dump() + " to " + ordered_json(p.info.max).dump();
  } else if (p.kind == "flag") {
    text = "true, false";
  }
  return text;
}

/// A parameter as `list parameters` and `list policies` show it.
ordered_json entry_of(const ListedParameter& p) {
  ordered_json entry = {{"name", p.info.name},  {"kind", p.kind},
                        {"value", *p.value},    {"unit", p.info.unit},
                        {"range", range_of(p)}, {"description", p.info.description}};
  if (p.kind == "integer" || p.kind == "real") {
    entry["min"] = p.info.min;
    entry["max"] = p.info.max;
  }
  if (const std::string s = suffixes_of(p.info.unit); !s.empty()) entry["suffixes"] = s;
  if (!p.info.choices.empty()) entry["choices"] = p.info.choices;
  if (!p.info.aliases.empty()) entry["aliases"] = p.info.aliases;
  return entry;
}

/// A policy of any family.
struct AnyPolicy {
  std::string family;
  std::string name;
  std::string description;
  std::vector<ListedParameter> parameters;
  std::vector<PolicyCounter> counters;
};

void add_policy(Listing& l, const AnyPolicy& policy, const std::vector<ChosenPolicy>& choices) {
  ordered_json entry = {
      {"family", policy.family}, {"name", policy.name}, {"description", policy.description}};
  for (const ChosenPolicy& c : choices) entry["chosen_by"].push_back(c.parameter);
  std::vector<std::string> words;
  entry["parameters"] = ordered_json::array();
  for (const ListedParameter& p : policy.parameters) {
    words.push_back(p.info.name.substr(p.info.name.rfind('.') + 1));
    entry["parameters"].push_back(entry_of(p));
  }
  entry["parameter_names"] = joined(words);
  words.clear();
  entry["counters"] = ordered_json::array();
  for (const PolicyCounter& c : policy.counters) {
    words.push_back(c.name);
    entry["counters"].push_back(
        {{"name", c.name}, {"unit", c.unit}, {"description", c.description}});
  }
  entry["counter_names"] = joined(words);
  l.entries.push_back(std::move(entry));
}

template <class Family>
void add_family(Listing& l, const std::vector<ChosenPolicy>& choices) {
  for (const auto& [name, policy] : PolicyRegistry<Family>::instance().entries()) {
    AnyPolicy any = {Family::kFamily, name, policy.description, {}, {}};
    if (policy.parameters) {
      ParameterLister lister;
      lister.enter(Family::kFamily, "");
      lister.enter(name, "");
      policy.parameters()->visit(lister);
      any.parameters = lister.parameters();
    }
    // Whether a policy keeps counters can depend on its parameters: here, the default ones.
    const auto made = make_policy<Family>(name);
    if (made) any.counters = made->counters();
    add_policy(l, any, choices);
  }
}

Listing policies(const std::string&) {
  Listing l;
  GpuConfig c;
  for_each_family(c, [&l](const std::vector<ChosenPolicy>& choices, const auto& settings) {
    add_family<typename std::decay_t<decltype(settings)>::Family>(l, choices);
  });
  l.columns = {{"family", "FAMILY"},
               {"name", "POLICY"},
               {"parameter_names", "PARAMETERS"},
               {"counter_names", "COUNTERS"},
               {"description", "DESCRIPTION"}};
  return l;
}

Listing parameters(const std::string& platform) {
  Listing l;
  std::vector<std::string> units;
  for (const ListedParameter& p : resolve_config(platform, {}).parameters()) {
    l.entries.push_back(entry_of(p));
    const std::string suffixes = suffixes_of(p.info.unit);
    if (suffixes.empty()) continue;
    const std::string line = "  " + plural(p.info.unit) + ": " + suffixes + "\n";
    if (std::find(units.begin(), units.end(), line) == units.end()) units.push_back(line);
  }
  l.note = "\nA number can have its unit (16 ways), and these suffixes (64K, 1.4GHz):\n";
  for (const std::string& line : units) l.note += line;
  l.columns = {{"name", "PARAMETER"},
               {"value", "VALUE"},
               {"unit", "UNIT"},
               {"range", "RANGE"},
               {"description", "DESCRIPTION"}};
  return l;
}

Listing statistics(const std::string& platform) {
  const Simulation simulation(resolve_config(platform, {}));
  Listing l;
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  for (const StatisticInfo& info : simulation.statistics().all()) {
    const std::string module = StatisticsRegistry::block_of(info.module);
    const auto [it, fresh] = seen.try_emplace({module, info.name}, l.entries.size());
    if (!fresh) {
      ordered_json& count = l.entries[it->second]["instances"];
      count = count.get<std::uint64_t>() + 1;
      continue;
    }
    l.entries.push_back({{"module", module},
                         {"name", info.name},
                         {"unit", info.unit},
                         {"kind", info.kind},
                         {"wait", info.wait ? name_of(*info.wait) : ""},
                         {"instances", 1},
                         {"description", info.description}});
  }
  l.columns = {{"module", "MODULE"}, {"name", "STATISTIC"}, {"unit", "UNIT"},
               {"kind", "KIND"},     {"wait", "WAIT"},      {"description", "DESCRIPTION"}};
  return l;
}

struct Topic {
  const char* name;
  Listing (*list)(const std::string& platform);
};
constexpr Topic kTopics[] = {{"platforms", platforms},   {"workloads", workloads},
                             {"policies", policies},     {"studies", studies},
                             {"parameters", parameters}, {"statistics", statistics}};

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const Topic& t : kTopics) names.emplace_back(t.name);
  return names;
}

std::string cell(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

ArgumentParser list_arguments() {
  ArgumentParser parser("list",
                        "Lists platforms, workloads, policies, studies, parameters or statistics.");
  parser.positional("TOPIC", "platforms, workloads, policies, studies, parameters or statistics",
                    {Completes::Kind::kNames, topic_names()});
  parser.completes("platform", {Completes::Kind::kPlatform, {}});
  parser.options()("platform", po::value<std::string>()->default_value("uba-mem"),
                   "whose parameters or statistics")("json", "print one JSON document");
  add_plugin_option(parser);
  return parser;
}

int list_verb(const std::vector<std::string>& arguments) {
  const auto values = list_arguments().parse(arguments);
  if (!values) return 0;
  load_plugins(*values);
  const std::string topic = positional_argument(*values, 0);
  for (const Topic& t : kTopics) {
    if (topic != t.name) continue;
    const Listing listing = t.list((*values)["platform"].as<std::string>());
    if (values->count("json") != 0) {
      ordered_json document = {{topic, listing.entries}};
      document.update(listing.more);
      write_document(document);
      return 0;
    }
    std::vector<std::vector<std::string>> rows(1);
    for (const auto& [key, heading] : listing.columns) rows[0].push_back(heading);
    for (const ordered_json& entry : listing.entries) {
      rows.emplace_back();
      for (const auto& [key, heading] : listing.columns) rows.back().push_back(cell(entry[key]));
    }
    print_text(printable(table_text(rows) + listing.note));
    return 0;
  }
  throw InputError("list: unknown topic '" + topic + "'" + did_you_mean(topic, topic_names()) +
                   " (the topics are " + joined(topic_names()) + ")");
}

}  // namespace tessera::app
