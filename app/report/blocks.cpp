// SPDX-License-Identifier: Apache-2.0
#include "app/report/blocks.h"

#include <algorithm>

#include "common/json.h"
#include "common/text.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

double number(const ordered_json& statistics, const std::string& name, const char* field) {
  const auto it = statistics.find(name);
  if (it == statistics.end()) return 0;
  const ordered_json& value = field == nullptr ? *it : it->at(field);
  return value.is_number() ? value.get<double>() : 0;
}

}  // namespace

Blocks::Blocks(const ordered_json& stats, const std::string& kind) {
  if (!stats.contains("modules")) return;
  for (const auto& [module, statistics] : stats["modules"].items()) {
    const std::size_t own = module.rfind('.') + 1;  // 0 without a dot
    if (module.compare(own, kind.size(), kind) != 0) continue;
    if (module.find_first_not_of("0123456789", own + kind.size()) != std::string::npos) continue;
    // "system." is a prefix of every name.
    blocks_.emplace_back(begins_with(module, "system.") ? module.substr(7) : module, &statistics);
  }
}

bool Blocks::has(const std::string& statistic) const {
  return !blocks_.empty() && blocks_.front().second->contains(statistic);
}

double Blocks::sum(const std::string& statistic, const char* field) const {
  double total = 0;
  for (const auto& [module, statistics] : blocks_) total += number(*statistics, statistic, field);
  return total;
}

double Blocks::most(const std::string& statistic, const char* field) const {
  double most = 0;
  for (const auto& [module, statistics] : blocks_) {
    most = std::max(most, number(*statistics, statistic, field));
  }
  return most;
}

HotSpots Blocks::hottest(const std::vector<std::string>& statistics, const char* field) const {
  std::vector<std::pair<std::string, double>> values;
  for (const auto& [module, own] : blocks_) {
    values.emplace_back(module, 0);
    for (const std::string& s : statistics) values.back().second += number(*own, s, field);
  }
  return hottest_of(std::move(values));
}

std::vector<std::pair<std::string, double>> Blocks::egress_links(const std::string& way) const {
  return busy_links(way + "egress");
}

std::vector<std::pair<std::string, double>> Blocks::router_links(const std::string& way) const {
  return busy_links(way + "router");
}

std::vector<std::pair<std::string, double>> Blocks::busy_links(const std::string& prefix) const {
  const std::string end = "_busy_cycles";
  std::vector<std::pair<std::string, double>> links;
  for (const auto& [module, statistics] : blocks_) {
    for (const auto& [name, value] : statistics->items()) {
      if (!begins_with(name, prefix) || !ends_with(name, end)) continue;
      links.emplace_back(module + "." + name.substr(0, name.size() - end.size()),
                         value.get<double>());
    }
  }
  return links;
}

std::vector<std::pair<std::string, double>> Blocks::fabric_links() const {
  const std::string egress = "egress_busy_";
  const std::string ingress = "ingress_busy_";
  std::vector<std::pair<std::string, double>> links;
  for (const auto& [module, statistics] : blocks_) {
    for (const auto& [name, value] : statistics->items()) {
      if (begins_with(name, egress)) {
        links.emplace_back("link from GPU " + name.substr(egress.size()), value.get<double>());
      } else if (begins_with(name, ingress)) {
        links.emplace_back("link to GPU " + name.substr(ingress.size()), value.get<double>());
      }
    }
  }
  return links;
}

double setting_of(const ordered_json& stats, const std::string& group, const char* name) {
  const ordered_json::json_pointer where("/config/" + group + "/" + name);
  return stats.contains(where) && stats.at(where).is_number() ? stats.at(where).get<double>() : 0;
}

HotSpots hottest_of(std::vector<std::pair<std::string, double>> values) {
  constexpr std::size_t kNamed = 3;
  HotSpots hot;
  hot.blocks = values.size();
  double total = 0;
  for (const auto& [name, value] : values) total += value;
  if (total <= 0) return hot;
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const double most = values.front().second;
  hot.over_mean = most / (total / static_cast<double>(values.size()));
  for (const auto& [name, value] : values) {
    if (value < most * 0.9) break;
    if (hot.alike++ < kNamed) hot.names.push_back(name);
  }
  return hot;
}

double largest_of(const std::vector<std::pair<std::string, double>>& values) {
  double most = 0;
  for (const auto& [name, value] : values) most = std::max(most, value);
  return most;
}

}  // namespace tessera::app
