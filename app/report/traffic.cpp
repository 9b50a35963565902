// SPDX-License-Identifier: Apache-2.0
#include "app/report/traffic.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "common/json.h"
#include "common/text.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Levels in the order of a request's route, with the words that identify them in a block's path.
struct LevelRule {
  const char* name;
  const char* key;  ///< in derived.peak_gb_per_s
  std::vector<const char*> all_of;
  std::vector<const char*> any_of;
};

const std::vector<LevelRule>& rules() {
  static const std::vector<LevelRule> all = {
      {"L1 fills", "l1", {}, {".l1", "l1_", "l1["}},
      {"P2P request", "p2p_request", {".p2p", "request"}, {}},
      {"P2P response", "p2p_response", {".p2p", "response"}, {}},
      {"NoC request", "noc_request", {"request"}, {"noc", ".xbar", "crossbar", "network"}},
      {"NoC response", "noc_response", {"response"}, {"noc", ".xbar", "crossbar", "network"}},
      {"Side link request", "link_request", {".link", "request"}, {}},
      {"Side link response", "link_response", {".link", "response"}, {}},
      {"Module request", "mcm_request", {".mcm", "request"}, {}},
      {"Module response", "mcm_response", {".mcm", "response"}, {}},
      {"Ring request", "ring_request", {".ring", "request"}, {}},
      {"Ring response", "ring_response", {".ring", "response"}, {}},
      {"Module ingress request",
       "module_ingress_xbar_request",
       {".module_ingress_xbar", "request"},
       {}},
      {"Module ingress response",
       "module_ingress_xbar_response",
       {".module_ingress_xbar", "response"},
       {}},
      {"Ingress request", "ingress_xbar_request", {".ingress_xbar", "request"}, {}},
      {"Ingress response", "ingress_xbar_response", {".ingress_xbar", "response"}, {}},
      {"Remote cache", "rcache", {}, {".rcache"}},
      {"GPU fabric", "fabric", {}, {".fabric"}},
      {"IOMMU request", "iommu_request", {".iommu", "request"}, {}},
      {"IOMMU response", "iommu_response", {".iommu", "response"}, {}},
      {"LLC", "llc", {}, {"llc"}},
      {"Stacks", "stacks", {}, {".stack"}},
      {"Host link", "host_link", {}, {".host_link"}},
      {"DRAM", "dram", {}, {"dram", "hbm", "channel", "mem"}},
      {"SM", "sm", {}, {".sm", "sm_"}},
      {"NoC", "noc", {}, {"noc", "xbar", "crossbar", "network", "link"}},
      {"Other", "other", {}, {}},
  };
  return all;
}

std::size_t rule_of(const std::string& module, const std::string& statistic) {
  const std::string path = "." + module + "." + statistic;
  const auto has = [&path](const char* word) { return path.find(word) != std::string::npos; };
  for (std::size_t i = 0; i < rules().size(); ++i) {
    const LevelRule& rule = rules()[i];
    const bool all = std::all_of(rule.all_of.begin(), rule.all_of.end(), has);
    const bool any =
        rule.any_of.empty() || std::any_of(rule.any_of.begin(), rule.any_of.end(), has);
    if (all && any) return i;
  }
  return rules().size() - 1;
}

/// Splits a network's "response_egress12_bytes" into its prefix "response_" and the part's name
/// "egress12".
bool is_egress_counter(const std::string& name, std::string& prefix, std::string& part) {
  constexpr char kEnd[] = "_bytes";
  constexpr char kEgress[] = "egress";
  constexpr std::size_t kLength = sizeof kEgress - 1;
  const std::size_t egress = name.find(kEgress);
  if (egress == std::string::npos || name.size() < egress + kLength + 1 + 6) return false;
  if (!ends_with(name, kEnd)) return false;
  const std::size_t end = name.size() - 6;
  if (!std::all_of(name.begin() + static_cast<std::ptrdiff_t>(egress + kLength),
                   name.begin() + static_cast<std::ptrdiff_t>(end), is_digit)) {
    return false;
  }
  prefix = name.substr(0, egress);
  part = name.substr(egress, end - egress);
  return true;
}

/// Peak of a level in GB/s, 0 if the document has none. Two directions that one series counts have
/// the sum of their peaks.
double peak_of(const ordered_json& peaks, const std::string& key) {
  const auto peak = [&peaks](const std::string& name) {
    return peaks.contains(name) && peaks[name].is_number() ? peaks[name].get<double>() : 0.0;
  };
  if (peaks.contains(key)) return peak(key);
  return peak(key + "_request") + peak(key + "_response");
}

bool is_series(const ordered_json& value) {
  return value.is_object() && value.contains("interval_ns") && value.contains("bytes") &&
         value.contains("total");
}

/// A bandwidth series. Its interval is the common initial width, doubled any number of times.
struct Series {
  double interval_ns = 0;
  std::vector<std::uint64_t> bins;

  void widen(double to_ns) {
    while (interval_ns < to_ns * 0.75) {
      for (std::size_t j = 0; j < bins.size(); j += 2) {
        bins[j / 2] = bins[j] + (j + 1 < bins.size() ? bins[j + 1] : 0);
      }
      bins.resize((bins.size() + 1) / 2);
      interval_ns *= 2;
    }
  }
  void add(Series other) {
    if (interval_ns == 0) interval_ns = other.interval_ns;
    widen(other.interval_ns);
    other.widen(interval_ns);
    if (bins.size() < other.bins.size()) bins.resize(other.bins.size());
    for (std::size_t i = 0; i < other.bins.size(); ++i) bins[i] += other.bins[i];
  }
};

Series series_of(const ordered_json& value) {
  return {value["interval_ns"].get<double>(), value["bytes"].get<std::vector<std::uint64_t>>()};
}

/// When the last kernel to end has ended, in simulated time.
double kernels_end_ns(const ordered_json& stats) {
  const double time_ns = stats.value("time_ns", 0.0);
  const double cycles = stats.value("cycles", 0.0);
  if (cycles <= 0 || !stats.contains("kernels") || stats["kernels"].empty()) return time_ns;
  double end = 0;
  for (const ordered_json& k : stats["kernels"]) {
    end = std::max(end, k.value("start_cycle", 0.0) + k.value("cycles", 0.0));
  }
  return end * (time_ns / cycles);
}

/// Ends of the intervals of a run with traffic in `bins` intervals. If write-backs continue after
/// the last kernel, the run ends with their interval. A very short last interval is merged into the
/// one before it, because its bandwidth is meaningless.
std::vector<double> interval_ends(double interval_ns, std::size_t bins, double end_ns) {
  const auto whole = static_cast<std::size_t>(std::ceil(end_ns / interval_ns));
  if (bins > whole) end_ns = static_cast<double>(bins) * interval_ns;
  std::vector<double> ends;
  double begin = 0;
  while (begin + interval_ns * 1.1 < end_ns) ends.push_back(begin += interval_ns);
  if (end_ns > 0) ends.push_back(end_ns);
  return ends;
}

/// Moves bytes above an interval's peak to the interval before: a block counts a packet when its
/// last byte has passed, so that its first bytes can have passed in the interval before.
void carry_back(LevelTraffic& level, const std::vector<double>& ends) {
  if (!level.peak_gb_per_s) return;
  for (std::size_t i = ends.size(); i-- > 1;) {
    const auto most = static_cast<std::uint64_t>(*level.peak_gb_per_s * (ends[i] - ends[i - 1]));
    std::uint64_t& bytes = level.bytes_over_time[i];
    if (bytes <= most) continue;
    level.bytes_over_time[i - 1] += bytes - most;
    bytes = most;
  }
}

/// Computes bytes and bandwidth of a level in each interval.
void spread(LevelTraffic& level, const Series& series, const std::vector<double>& ends) {
  level.bytes_over_time.resize(ends.size());
  for (std::size_t i = 0; i < series.bins.size(); ++i) {
    level.bytes_over_time[std::min(i, ends.size() - 1)] += series.bins[i];
  }
  carry_back(level, ends);
  double begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    level.gb_per_s_over_time.push_back(static_cast<double>(level.bytes_over_time[i]) /
                                       (ends[i] - begin));
    begin = ends[i];
  }
}

}  // namespace

bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::size_t i0 = i;
      const std::size_t j0 = j;
      while (i < a.size() && is_digit(a[i])) ++i;
      while (j < b.size() && is_digit(b[j])) ++j;
      const std::string x = a.substr(i0, i - i0);
      const std::string y = b.substr(j0, j - j0);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

TrafficLevel traffic_level(const std::string& module, const std::string& statistic) {
  const std::size_t rule = rule_of(module, statistic);
  return {rules()[rule].name, rules()[rule].key, rule};
}

std::optional<double> traffic_peak(const ordered_json& stats, const std::string& key) {
  const ordered_json::json_pointer where("/derived/peak_gb_per_s");
  if (!stats.contains(where)) return std::nullopt;
  const double peak = peak_of(stats.at(where), key);
  return peak > 0 ? std::optional(peak) : std::nullopt;
}

Share share_of_peak(const LevelTraffic& level) {
  return {level.gb_per_s, level.peak_gb_per_s.value_or(0), "the peak"};
}

Share busiest_share_of_peak(const LevelTraffic& level) {
  double busiest = 0;
  for (const double gb_per_s : level.gb_per_s_over_time) busiest = std::max(busiest, gb_per_s);
  return {busiest, level.peak_gb_per_s.value_or(0), "the peak"};
}

double traffic_time_ns(const ordered_json& stats) {
  const ordered_json::json_pointer access("/derived/host_access_ns");
  const bool known = stats.contains(access) && stats.at(access).is_number();
  return stats.value("time_ns", 0.0) + (known ? stats.at(access).get<double>() : 0);
}

Traffic traffic_of(const ordered_json& stats) {
  std::map<std::size_t, LevelTraffic> found;
  std::map<std::size_t, Series> series;
  std::map<std::size_t, std::vector<LevelPart>> egresses;
  std::string prefix;
  std::string part;
  if (stats.contains("modules")) {
    for (const auto& [module, statistics] : stats["modules"].items()) {
      for (const auto& [name, value] : statistics.items()) {
        if (value.is_number_unsigned() && is_egress_counter(name, prefix, part)) {
          egresses[rule_of(module, prefix)].push_back(
              {module + "." + prefix + part, value.get<std::uint64_t>()});
        }
        if (!is_series(value)) continue;
        const std::size_t rule = rule_of(module, name);
        LevelTraffic& level = found[rule];
        level.name = rules()[rule].name;
        const auto total = value["total"].get<std::uint64_t>();
        level.bytes += total;
        series[rule].add(series_of(value));
        if (level.parts.empty() || level.parts.back().module != module) {
          level.parts.push_back({module, 0});
        }
        level.parts.back().bytes += total;
      }
    }
  }
  double interval_ns = 0;
  for (const auto& [rule, s] : series) interval_ns = std::max(interval_ns, s.interval_ns);
  std::size_t bins = 0;
  for (auto& [rule, s] : series) {
    s.widen(interval_ns);
    bins = std::max(bins, s.bins.size());
  }
  Traffic traffic;
  if (interval_ns > 0) {
    traffic.interval_ends_ns = interval_ends(interval_ns, bins, kernels_end_ns(stats));
  }
  const double time_ns = traffic_time_ns(stats);
  for (auto& [rule, level] : found) {
    // A network is one block, so that its outputs are used as parts.
    if (level.parts.size() == 1 && !egresses[rule].empty()) level.parts = std::move(egresses[rule]);
    if (time_ns > 0) level.gb_per_s = static_cast<double>(level.bytes) / time_ns;
    level.peak_gb_per_s = traffic_peak(stats, rules()[rule].key);
    std::stable_sort(
        level.parts.begin(), level.parts.end(),
        [](const LevelPart& a, const LevelPart& b) { return natural_less(a.module, b.module); });
    spread(level, series[rule], traffic.interval_ends_ns);
    traffic.levels.push_back(std::move(level));
  }
  return traffic;
}

ordered_json to_json(const Traffic& traffic) {
  ordered_json levels = ordered_json::array();
  for (const LevelTraffic& level : traffic.levels) {
    ordered_json parts = ordered_json::array();
    for (const LevelPart& p : level.parts) {
      parts.push_back({{"module", p.module}, {"bytes", p.bytes}});
    }
    ordered_json entry = {{"name", level.name},
                          {"bytes", level.bytes},
                          {"gb_per_s", level.gb_per_s},
                          {"peak_gb_per_s", nullptr},
                          {"share", nullptr},
                          {"busiest_share", nullptr},
                          {"gb_per_s_over_time", level.gb_per_s_over_time},
                          {"parts", std::move(parts)}};
    if (level.peak_gb_per_s) {
      entry["peak_gb_per_s"] = *level.peak_gb_per_s;
      entry["share"] = share_of_peak(level).value();
      entry["busiest_share"] = busiest_share_of_peak(level).value();
    }
    levels.push_back(std::move(entry));
  }
  return {{"interval_ends_ns", traffic.interval_ends_ns}, {"levels", std::move(levels)}};
}

}  // namespace tessera::app
