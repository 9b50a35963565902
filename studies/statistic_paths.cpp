// SPDX-License-Identifier: Apache-2.0
#include "studies/statistic_paths.h"

#include <algorithm>

#include "common/json.h"
#include "platforms/derived.h"
#include "platforms/simulation.h"

namespace tessera::studies {

using nlohmann::ordered_json;

std::vector<std::string> readable_statistics() {
  std::vector<std::string> all = {"cycles", "instructions", "time_ns", "footprint_bytes", "seed"};
  all.emplace_back("figures.*");  // of the workloads' manifests
  for (const DerivedInfo& d : derived_catalogue()) all.push_back(std::string("derived.") + d.name);
  for (const char* part : {"sm", "l1", "llc", "noc", "dram"}) {
    for (const char* kind : {"dynamic_j", "static_j", "total_j"}) {
      all.push_back(std::string("energy.") + part + "." + kind);
    }
  }
  for (const char* name : {"total_j", "noc_j", "noc_power_w", "noc_area_mm2", "noc.networks.*"}) {
    all.push_back(std::string("energy.") + name);
  }
  for (const ListedParameter& p : ResolvedConfig().parameters()) {
    all.push_back("config." + p.info.name);
  }
  return all;
}

std::optional<double> statistic_at(const ordered_json& stats, const std::string& path) {
  const ordered_json* at = &stats;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    const std::string key = path.substr(begin, dot - begin);
    if (!at->is_object() || !at->contains(key)) return std::nullopt;
    at = &(*at)[key];
    begin = dot + 1;
  }
  if (!at->is_number()) return std::nullopt;
  return at->get<double>();
}

}  // namespace tessera::studies
