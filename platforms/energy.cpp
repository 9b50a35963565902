// SPDX-License-Identifier: Apache-2.0
#include "platforms/energy.h"

#include <cmath>
#include <cstdint>
#include <map>

#include "modules/power/energy_model.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

/// One block: its configuration's overrides and its statistics go by its name.
struct Instance {
  std::string path;
  const ordered_json& modules;

  double operator()(const char* statistic) const {
    const auto module = modules.find(path);
    if (module == modules.end() || !module->contains(statistic)) return 0;
    return module->at(statistic).get<double>();
  }
};

struct Sum {
  Energy energy;
  double area_mm2 = 0;

  ordered_json to_json() const {
    return {{"dynamic_j", energy.dynamic_j},
            {"static_j", energy.static_j},
            {"total_j", energy.total_j()}};
  }
};

std::string kind_of(const std::string& network) {
  return network.substr(0, network.find_last_not_of("0123456789") + 1);
}

double capacity(std::uint64_t sets, std::uint64_t ways, std::uint64_t line_bytes) {
  return static_cast<double>(sets * ways * line_bytes);
}

/// Accesses of a whole line to the data array: loads and stores that hit, and fills.
CacheActivity l1_activity(const L1Config& c, const Instance& stats) {
  const double line = c.line_bytes;
  return {stats("load_hits") + stats("store_hits") + stats("bytes_filled") / line, line,
          capacity(c.sets, c.ways, c.line_bytes)};
}

/// Lookups that touch the array, fills of what missed, write-backs read from it; atomics both read
/// and write. A miss's answer leaves as it is filled.
CacheActivity llc_activity(const LlcSliceConfig& c, const Instance& stats) {
  double accesses = 0;
  for (const char* s : {"hits", "write_allocations", "merges", "misses", "partial_fetches",
                        "atomics", "write_backs"}) {
    accesses += stats(s);
  }
  return {accesses, static_cast<double>(c.line_bytes), capacity(c.sets, c.ways, c.line_bytes)};
}

/// Where a packet of that network goes on the die. mm.
double length_mm(const GpuConfig& config, const std::string& kind) {
  const SystemConfig& s = config.system;
  const double side = std::sqrt(config.power.die_mm2_per_sm * s.sms / s.gpus / s.modules);
  if (kind == "mcm") return 0;  // the gateways stand at the die's edge
  if (kind == "link") return side / 2;
  if (kind == "p2p") {
    const double own = side / std::sqrt(static_cast<double>(s.partitions()) / s.modules);
    return mean_way_mm(own, own);
  }
  return mean_way_mm(side, s.topology == "uba-sm" ? side / 2 : side);
}

}  // namespace

NetworkGeometry network_geometry(const GpuConfig& config, const std::string& name,
                                 const NetworkPlan& plan, bool requests) {
  const std::string kind = kind_of(name);
  NetworkGeometry g;
  const std::uint32_t from = requests ? plan.entries : plan.exits;
  const std::uint32_t to = requests ? plan.exits : plan.entries;
  for (const SwitchStage& s : switch_stages(from, to, plan.noc.radix)) {
    g.stages.push_back({s.switches, s.inputs, s.outputs});
  }
  g.link_bytes = plan.noc.link_bytes;
  g.buffer_bytes = plan.noc.buffer_flits() * plan.noc.link_bytes;
  g.clock_hz = static_cast<double>(plan.noc.clock_hz);
  g.length_mm = length_mm(config, kind);
  g.leaves_module = kind == "mcm";
  return g;
}

ordered_json energy(const ordered_json& modules, const GpuConfig& config,
                    const std::vector<ParameterSetting>& overrides, double seconds) {
  const SystemConfig& s = config.system;
  const PowerConfig& power = config.power;
  const auto instance = [&modules](std::uint32_t gpu, const std::string& name) {
    return Instance{"system.gpu" + std::to_string(gpu) + "." + name, modules};
  };
  Sum sm;
  Sum l1;
  Sum llc;
  Sum dram;
  const std::uint32_t sms = s.sms / s.gpus;
  for (std::uint32_t i = 0; i < s.sms; ++i) {
    const std::string n = std::to_string(i % sms);
    sm.energy += sm_energy(power, instance(i / sms, "sm" + n)("thread_instructions"), seconds);
    const Instance cache = instance(i / sms, "l1_" + n);
    const L1Config c = instance_config(config.l1, overrides, cache.path);
    l1.energy += cache_energy(power, l1_activity(c, cache), seconds);
  }
  const auto add_slice = [&](const LlcSliceConfig& config_of, const Instance& slice) {
    const LlcSliceConfig c = instance_config(config_of, overrides, slice.path);
    llc.energy += cache_energy(power, llc_activity(c, slice), seconds);
  };
  const std::uint32_t slices = s.slices() / s.gpus;
  for (std::uint32_t i = 0; i < s.slices(); ++i) {
    add_slice(config.llc, instance(i / slices, "llc" + std::to_string(i % slices)));
  }
  const std::uint32_t banks = s.gpus > 1 ? s.rdma_ports : 0;
  for (std::uint32_t i = 0; i < banks * s.gpus; ++i) {
    const Instance bank = instance(i / banks, "rcache" + std::to_string(i % banks));
    if (modules.contains(bank.path)) add_slice(config.remote_cache, bank);
  }
  const std::uint32_t channels = s.channels / s.gpus;
  for (std::uint32_t i = 0; i < s.channels; ++i) {
    const Instance stats = instance(i / channels, "dram" + std::to_string(i % channels));
    const DramConfig c = instance_config(config.dram, overrides, stats.path);
    const DramActivity activity{stats("activates"), stats("refreshes"),
                                stats("bytes_read") + stats("bytes_written"),
                                static_cast<double>(c.row_bytes)};
    dram.energy += dram_energy(power, activity, seconds);
  }
  Sum noc;
  std::map<std::string, Sum> networks;
  const auto add_network = [&](const std::string& name, const NetworkPlan& plan,
                               const Instance& stats) {
    NetworkPlan mine = plan;
    mine.noc = instance_config(plan.noc, overrides, stats.path);
    for (const bool requests : {true, false}) {
      const NetworkPower p = network_power(power, network_geometry(config, name, mine, requests));
      const double bytes = stats(requests ? "request_bytes" : "reply_bytes");
      const Energy e = network_energy(p, bytes, seconds);
      for (Sum* sum : {&noc, &networks[kind_of(name)]}) {
        sum->energy += e;
        sum->area_mm2 += p.area_mm2();
      }
    }
  };
  for (const auto& [name, plan] : config.networks()) {
    if (name == "iommu") continue;  // between boards, as the fabric: not the die's energy
    for (std::uint32_t g = 0; g < s.gpus; ++g) add_network(name, plan, instance(g, name));
  }

  ordered_json d;
  d["sm"] = sm.to_json();
  d["l1"] = l1.to_json();
  d["llc"] = llc.to_json();
  d["noc"] = noc.to_json();
  for (const auto& [kind, sum] : networks) {
    ordered_json& network = d["noc"]["networks"][kind];
    network = sum.to_json();
    network["area_mm2"] = sum.area_mm2;
  }
  d["dram"] = dram.to_json();
  Energy total;
  for (const Sum* sum : {&sm, &l1, &llc, &noc, &dram}) total += sum->energy;
  d["total_j"] = total.total_j();
  d["noc_j"] = noc.energy.total_j();
  d["noc_power_w"] = seconds > 0 ? noc.energy.total_j() / seconds : 0;
  d["noc_area_mm2"] = noc.area_mm2;
  return d;
}

}  // namespace tessera
