// SPDX-License-Identifier: Apache-2.0
#include "platforms/workload_figures.h"

#include "common/json.h"

namespace tessera {

using nlohmann::ordered_json;

ordered_json figures_section(const Workload& workload, const ordered_json& kernels, bool whole) {
  std::vector<LaunchTime> launches;
  for (const ordered_json& k : kernels) {
    launches.push_back({k["name"].get<std::string>(), k["cycles"].get<std::uint64_t>()});
  }
  ordered_json out = ordered_json::object();
  for (const WorkloadFigure& f : workload.figures(&launches)) {
    ordered_json& entry = out[f.name];
    entry["value"] = nullptr;
    if (whole && f.value) entry["value"] = *f.value;
    entry["unit"] = f.unit;
    entry["description"] = f.description;
  }
  return out;
}

}  // namespace tessera
