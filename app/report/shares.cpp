// SPDX-License-Identifier: Apache-2.0
#include "app/report/shares.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>

#include "app/report/blocks.h"
#include "app/report/traffic.h"
#include "app/report/waits.h"
#include "common/json.h"
#include "common/text.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

/// A part of the document; an empty object if it is missing.
const ordered_json& section_or_none(const ordered_json& stats, const char* name) {
  static const ordered_json none = ordered_json::object();
  const auto it = stats.find(name);
  return it == stats.end() ? none : *it;
}

double number(const ordered_json& object, const std::string& key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<double>() : 0;
}

/// Parts of one whole, which is their sum.
std::vector<NamedShare> parts_of_sum(const std::vector<std::pair<std::string, double>>& parts,
                                     const std::string& of) {
  double whole = 0;
  for (const auto& [name, part] : parts) whole += part;
  std::vector<NamedShare> out;
  for (const auto& [name, part] : parts) {
    if (part != 0) out.push_back({name, {part, whole, of}});
  }
  return out;
}

/// "system.gpu0.llc12" becomes "llc*"; the digit of "l1_3" and "l2_tlb" is a part of the name.
std::string kind_of(const std::string& module) {
  const std::string own = module.substr(module.rfind('.') + 1);
  std::string kind;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(own[i])) != 0;
    if (!digit || (i == 1 && own[0] == 'l')) {
      kind += own[i];
    } else if (kind.empty() || kind.back() != '*') {
      kind += '*';
    }
  }
  return kind;
}

/// "response_network" becomes "response network", "llc" becomes "LLC".
std::string words(std::string name) {
  for (const auto& [from, to] : {std::pair("llc", "LLC"), std::pair("dram", "DRAM")}) {
    if (begins_with(name, from)) name.replace(0, std::string(from).size(), to);
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

void flatten(const std::string& name, const ordered_json& value,
             std::vector<std::pair<std::string, double>>& out) {
  if (value.is_number()) out.emplace_back(name, value.get<double>());
  if (!value.is_object()) return;
  for (const auto& [key, child] : value.items()) {
    flatten(name.empty() ? key : name + "." + key, child, out);
  }
}

bool is_share(const std::string& name) {
  for (const char* end :
       {"_fraction", "_rate", "_share", "_utilisation", ".precision", ".recall", "page_balance"}) {
    if (ends_with(name, end)) return true;
  }
  return begins_with(name, "page_sharing.");
}

void append(std::vector<NamedShare>& all, const std::string& prefix,
            const std::vector<NamedShare>& more) {
  for (const NamedShare& s : more) all.push_back({prefix + s.name, s.share});
}

/// The words for a hop of `derived.latency_breakdown`.
std::string hop_title(const std::string& hop) {
  static const std::map<std::string, std::string> kTitles = {
      {"copy_request_network", "to a copy in another slice"},
      {"copy", "copy in another slice"},
      {"copy_response_network", "from a copy in another slice"},
      {"other_l1", "another core’s L1"},
      {"unstamped", "blocks without time stamps"},
      {"merge", "L1, another access’s block"},
      {"l2", "L2"},
      {"l1_wait", "L1, before the request"},
      {"snoop", "L2, responses of other L1s"},
      {"below_l2", "below the L2"}};
  const auto title = kTitles.find(hop);
  return title == kTitles.end() ? words(hop) : title->second;
}

}  // namespace

std::vector<NamedShare> hit_rates_of(const ordered_json& stats) {
  struct Lookups {
    double hits = 0;
    double others = 0;
  };
  std::map<std::string, Lookups, bool (*)(const std::string&, const std::string&)> found(
      natural_less);
  for (const auto& [module, statistics] : section_or_none(stats, "modules").items()) {
    for (const auto& [name, value] : statistics.items()) {
      const std::string begin = name.substr(0, name.size() - std::min<std::size_t>(4, name.size()));
      if (name != begin + "hits" || (!begin.empty() && begin.back() != '_')) continue;
      if (!value.is_number() || !statistics.contains(begin + "misses")) continue;
      const std::string what = begin.empty() ? "" : " " + begin.substr(0, begin.size() - 1);
      Lookups& of = found[kind_of(module) + what];
      of.hits += value.get<double>();
      for (const char* other : {"misses", "merges", "conflicts"}) {
        of.others += number(statistics, begin + other);
      }
    }
  }
  std::vector<NamedShare> out;
  for (const auto& [name, of] : found) {
    const double whole = of.hits + of.others;
    if (whole > 0) out.push_back({name, {of.hits, whole, "lookups"}});
  }
  return out;
}

std::vector<NamedShare> issue_slots_of(const ordered_json& stats) {
  const Blocks sms(stats, "sm");
  std::vector<std::pair<std::string, double>> parts;
  for (const IssueSlotUse& use : kIssueSlotUses) {
    parts.emplace_back(use.name, sms.sum(use.statistic));
  }
  return parts_of_sum(parts, "issue slots");
}

std::vector<NamedShare> latency_hops_of(const ordered_json& stats) {
  const Blocks l1(stats, "l1_");
  const double misses = l1.sum("miss_latency", "count");
  if (misses <= 0) return {};
  const double whole = l1.sum("miss_latency", "sum") / misses;
  std::vector<NamedShare> out;
  const auto add = [&](const std::string& name, double cycles) {
    if (cycles > 0) out.push_back({name, {cycles, whole, "an L1 miss"}});
  };
  const ordered_json& hops =
      section_or_none(section_or_none(stats, "derived"), "latency_breakdown");
  for (const auto& [name, value] : hops.items()) {
    if (!value.is_number() || name == "rounding") continue;
    const auto cycles = value.get<double>();
    if (name == "llc") {
      const double merge = l1.sum("llc_merge_cycles") / misses;
      const double remote = l1.sum("remote_cache_cycles") / misses;
      add("remote cache", remote);
      add("LLC, another request’s fetch", merge);
      add("LLC", cycles - merge - remote);
    } else {
      add(hop_title(name), cycles);
    }
  }
  if (!out.empty()) out.back().share.part += number(hops, "rounding");
  return out;
}

namespace {

/// The words for a component of `energy`.
std::string energy_title(const std::string& name) {
  static const std::map<std::string, std::string> kTitles = {
      {"sm", "SM"},         {"l1", "L1"},         {"l2", "L2"},          {"llc", "LLC"},
      {"noc", "NoC"},       {"dram", "DRAM"},     {"smd", "SMD"},        {"stack", "stack"},
      {"cpu_l1", "CPU L1"}, {"cpu_l2", "CPU L2"}, {"cpu_llc", "CPU LLC"}};
  const auto title = kTitles.find(name);
  return title == kTitles.end() ? words(name) : title->second;
}

}  // namespace

std::vector<NamedShare> energy_components_of(const ordered_json& stats) {
  const ordered_json& energy = section_or_none(stats, "energy");
  const double total = number(energy, "total_j");
  std::vector<NamedShare> out;
  for (const auto& [name, component] : energy.items()) {
    if (!component.is_object() || component.contains("not_modelled")) continue;
    out.push_back({energy_title(name), {number(component, "total_j"), total, "energy"}});
  }
  return out;
}

std::vector<std::string> energy_not_modelled(const ordered_json& stats) {
  std::vector<std::string> out;
  for (const auto& [name, component] : section_or_none(stats, "energy").items()) {
    if (component.is_object() && component.contains("not_modelled")) {
      out.push_back(energy_title(name));
    }
  }
  return out;
}

std::optional<Share> flush_of(const ordered_json& stats) {
  double flush = 0;
  for (const auto& [module, statistics] : section_or_none(stats, "modules").items()) {
    // The dispatcher's cycles are the SMs', as those of the run.
    if (kind_of(module) == "dispatcher") flush += number(statistics, "flush_cycles");
  }
  if (flush == 0) return std::nullopt;
  return Share{flush, number(stats, "cycles"), "the cycles"};
}

std::vector<NamedShare> energy_kinds_of(const ordered_json& stats) {
  double dynamic = 0;
  double leaked = 0;
  for (const auto& [name, component] : section_or_none(stats, "energy").items()) {
    if (!component.is_object()) continue;
    dynamic += number(component, "dynamic_j");
    leaked += number(component, "static_j");
  }
  return parts_of_sum({{"events", dynamic}, {"leakage and clocks", leaked}}, "energy");
}

std::vector<NamedShare> remote_accesses_of(const ordered_json& stats) {
  const ordered_json& remote = section_or_none(section_or_none(stats, "derived"), "remote");
  if (!remote.contains("access_fraction")) return {};
  const double away = number(remote, "access_fraction");
  const double from_l1 = number(remote, "served_by_l1_fraction");
  const std::string of = "accesses of the L1s";
  return {{"own memory", {1 - away, 1, of}},
          {"other GPUs’, from the L1", {from_l1, 1, of}},
          {"other GPUs’, beyond the L1", {away - from_l1, 1, of}}};
}

std::vector<NamedShare> remote_latency_of(const ordered_json& stats) {
  const ordered_json& remote = section_or_none(section_or_none(stats, "derived"), "remote");
  std::vector<NamedShare> out;
  for (const auto& [name, title] : {std::pair("pre_link_latency_share", "before the link"),
                                    std::pair("link_latency_share", "on the link"),
                                    std::pair("post_link_latency_share", "after it")}) {
    if (number(remote, "link_latency_share") == 0) return {};
    out.push_back({title, {number(remote, name), 1, "a remote load's latency"}});
  }
  return out;
}

std::vector<NamedShare> derived_shares_of(const ordered_json& stats) {
  std::vector<std::pair<std::string, double>> values;
  flatten("", section_or_none(stats, "derived"), values);
  std::vector<NamedShare> out;
  for (const auto& [name, value] : values) {
    if (is_share(name)) out.push_back({name, {value, 1, "all"}});
  }
  return out;
}

std::vector<NamedShare> shares_of(const ordered_json& stats) {
  std::vector<NamedShare> all;
  append(all, "hit rate of ", hit_rates_of(stats));
  append(all, "issue slots: ", issue_slots_of(stats));
  append(all, "L1 miss: ", latency_hops_of(stats));
  append(all, "energy: ", energy_components_of(stats));
  append(all, "energy: ", energy_kinds_of(stats));
  if (const auto flush = flush_of(stats)) all.push_back({"flush of the caches", *flush});
  append(all, "accesses: ", remote_accesses_of(stats));
  append(all, "remote load: ", remote_latency_of(stats));
  append(all, "derived.", derived_shares_of(stats));
  for (const LevelTraffic& level : traffic_of(stats).levels) {
    if (!level.peak_gb_per_s) continue;
    all.push_back({"traffic: " + level.name, share_of_peak(level)});
    all.push_back({"traffic: busiest interval of " + level.name, busiest_share_of_peak(level)});
  }
  const Waits waits = waits_of(stats);
  for (const auto* list : {&waits.all, &waits.nobody}) {
    for (const Wait& w : *list) {
      all.push_back({"wait: " + w.level + ", " + w.queue + ", " + w.resource, w.share});
    }
  }
  return all;
}

ordered_json to_json(const std::vector<NamedShare>& shares) {
  ordered_json out = ordered_json::array();
  for (const NamedShare& s : shares) {
    ordered_json entry = {{"name", s.name}};
    entry.update(to_json(s.share));
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace tessera::app
