// SPDX-License-Identifier: Apache-2.0
#include "modules/power/energy_report.h"

#include <algorithm>
#include <vector>

#include "common/json.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

constexpr const char* kNoc = "noc";
/// The groups that all platforms have, from the SMs to memory.
const std::vector<std::string>& common_groups() {
  static const std::vector<std::string> all = {"sm", "l1", "llc", kNoc, "dram"};
  return all;
}

ordered_json to_json(const Energy& e) {
  return {{"dynamic_j", e.dynamic_j}, {"static_j", e.static_j}, {"total_j", e.total_j()}};
}

}  // namespace

void EnergyReport::add(const std::string& group, std::uint64_t order, const Energy& energy) {
  groups_[group].emplace(order, energy);
}

void EnergyReport::add_network(const std::string& traffic, const std::string& name,
                               std::uint32_t gpu, bool requests, const Energy& energy,
                               double area_mm2) {
  networks_.emplace(std::tuple(name, gpu, !requests), Network{traffic, energy, area_mm2});
}

ordered_json EnergyReport::to_json(double seconds) const {
  Network noc;
  std::map<std::string, Network> by_traffic;
  for (const auto& [key, n] : networks_) {
    for (Network* sum : {&noc, &by_traffic[n.traffic]}) {
      sum->energy += n.energy;
      sum->area_mm2 += n.area_mm2;
    }
  }
  std::vector<std::string> names = common_groups();
  for (const auto& [name, energies] : groups_) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  ordered_json d;
  Energy total;
  for (const std::string& name : names) {
    Energy sum = name == kNoc ? noc.energy : Energy{};
    if (const auto group = groups_.find(name); group != groups_.end()) {
      for (const auto& [order, energy] : group->second) sum += energy;
    }
    d[name] = tessera::to_json(sum);
    if (groups_.count(name) == 0 && (name != kNoc || networks_.empty())) {
      d[name]["not_modelled"] = "no block of the platform has an energy model of this part";
    }
    total += sum;
    if (name != kNoc) continue;
    for (const auto& [traffic, n] : by_traffic) {
      ordered_json& network = d[name]["networks"][traffic];
      network = tessera::to_json(n.energy);
      network["area_mm2"] = n.area_mm2;
    }
  }
  d["total_j"] = total.total_j();
  d["noc_j"] = noc.energy.total_j();
  d["noc_power_w"] = seconds > 0 ? noc.energy.total_j() / seconds : 0;
  d["noc_area_mm2"] = noc.area_mm2;
  return d;
}

}  // namespace tessera
