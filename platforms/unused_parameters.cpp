// SPDX-License-Identifier: Apache-2.0
#include "platforms/unused_parameters.h"

#include <algorithm>

#include "platforms/topology/shape.h"
#include "policies/transfer_policy.h"

namespace tessera {

namespace {

/// Parameters whose paths begin so, and whether anything reads them.
struct Rule {
  std::string begin;
  bool read;
  std::string otherwise;
};

std::vector<Rule> rules(const GpuConfig& c) {
  const SystemConfig& s = c.system;
  const std::string topology = "system.topology is " + s.topology;
  const std::string transfer = "system.transfer is " + s.transfer;
  const std::string migration = "migration.policy is " + c.migration.policy;
  const std::string uvm = "uvm.mode is prefaulted";
  const bool faults = c.uvm.mode == FaultMode::kFault;
  const Tree tree = tree_of(s);
  const TreeLevel* const modules = find_level(tree, NodeLevel::kModule);
  const bool rings = modules != nullptr && modules->network == "ring";
  const bool pages_have_homes =
      make_address_map(s.address_map, c.policy_context(), c.address_map)->page_homes() > 1;
  const std::string address_map = "system.address_map is " + s.address_map;
  const std::string no_modules =
      modules == nullptr ? "system.modules is 1" : "the modules' network is a " + modules->network;
  std::vector<Rule> all;
  const std::vector<const Shape*> levels = shapes_in(s);
  if (levels.back()->joins_gpus && !c.hierarchy.partitioned) {
    all.push_back({"umh.partition_link.", false, "umh.partitioned is false"});
  }
  if (levels.back()->joins_gpus && !c.hierarchy.gpu_memory) {
    for (const char* begin :
         {"umh.flushed", "umh.smd", "umh.stack.", "umh.stack_bytes", "umh.peer_transfer"}) {
      all.push_back({begin, false, "umh.gpu_memory is false"});
    }
  }
  for (const Shape& shape : shapes()) {
    for (const std::string& begin : shape.reads) {
      const bool used = std::any_of(levels.begin(), levels.end(), [&begin](const Shape* level) {
        return std::find(level->reads.begin(), level->reads.end(), begin) != level->reads.end();
      });
      all.push_back({begin, used, topology});
    }
  }
  if (levels.back()->joins_gpus) {
    for (const char* begin : {"llc.", "l1.replacement", "l1.mshr_targets", "l1.reserve_frames",
                              "l1.miss_queue_depth", "l1.scalar_", "noc.kind"}) {
      all.push_back({begin, false, topology});
    }
    if (s.gpus == 1) all.push_back({"noc.", false, topology});
  }
  const bool meshes = c.noc_kind == NetworkKind::kMesh;
  // The crossbars that bring requests from other modules or GPUs, and the IOMMU's, remain.
  const bool crossbars = !meshes || modules != nullptr || s.gpus > 1;
  const bool noc_matches = c.noc.input_queues == InputQueues::kVirtualOutput;
  const bool mcm_matches = c.mcm.plane.input_queues == InputQueues::kVirtualOutput;
  const bool planes = modules != nullptr && !rings;
  const std::vector<Rule> others = {
      {"sm.tlb_entries", !c.sm.ideal_translation, "sm.ideal_translation is true"},
      {"l1.scalar_ways", c.l1.scalar_sets != 0, "l1.scalar_sets is 0"},
      {"noc.kind", true, ""},
      {"host.copies", levels.back()->joins_gpus && !levels.back()->host_memory, topology},
      {"host.", c.host.copies != HostCopies::kNone, "host.copies is none"},
      {"noc.arbitration_iterations", crossbars && noc_matches,
       crossbars ? "noc.input_queues is fifo" : "noc.kind is mesh"},
      {"noc.", crossbars, "noc.kind is mesh"},
      {"mesh.", meshes, "noc.kind is crossbar"},
      {"mcm.arbitration_iterations", planes && mcm_matches,
       planes ? "mcm.input_queues is fifo" : no_modules},
      {"system.page_placement", pages_have_homes, address_map},
      {"remote_cache.directory_", false, "a remote cache has no directory"},
      {"remote_cache.last_sharer", false, "a remote cache forwards no hits"},
      {"mcm.", planes, no_modules},
      {"ring.", rings, no_modules},
      {"remote_cache.", may_use_remote_cache(*c.transfer_policy()), transfer},
      {"decision.", s.transfer == "decision-engine", transfer},
      {"mdr.", c.needs_mdr(), "system.remote_caching is " + s.remote_caching},
      {"probe.timeout_cycles", c.needs_probes() && !c.forwards_hits(),
       "system.miss_routing is " + s.miss_routing},
      {"probe.tracked", c.needs_probes() && !c.forwards_hits(),
       "system.miss_routing is " + s.miss_routing},
      {"probe.", c.needs_probes(), "system.miss_routing is " + s.miss_routing},
      {"llc.last_sharer", c.forwards_hits(), "system.miss_routing is " + s.miss_routing},
      {"migration.policy", true, ""},
      {"migration.", c.migration.policy != "none", migration},
      {"uvm.fault_", faults, uvm},
      {"uvm.concurrent_faults", faults, uvm},
  };
  all.insert(all.end(), others.begin(), others.end());
  if (!pages_have_homes) all.push_back({"page_placement.", false, address_map});
  for_each_family(c, [&all](const std::vector<ChosenPolicy>& chosen, const auto& settings) {
    std::string choices;
    for (const ChosenPolicy& p : chosen) {
      choices += (choices.empty() ? "" : ", ") + (std::string(p.parameter) + " is " + p.name);
    }
    for (const std::string& name : registry_of(settings).names()) {
      const bool read = std::any_of(chosen.begin(), chosen.end(),
                                    [&name](const ChosenPolicy& p) { return p.name == name; });
      all.push_back({std::string(family_of(settings)) + "." + name + ".", read, choices});
    }
  });
  return all;
}

}  // namespace

std::vector<UnusedParameter> unused_parameters(const GpuConfig& config,
                                               const std::vector<std::string>& paths) {
  const std::vector<Rule> all = rules(config);
  const auto rule_of = [&all](const std::string& path) -> const Rule* {
    const auto rule = std::find_if(all.begin(), all.end(),
                                   [&path](const Rule& r) { return path.rfind(r.begin, 0) == 0; });
    return rule != all.end() && !rule->read ? &*rule : nullptr;
  };
  ParameterLister lister;
  GpuConfig copy = config;
  describe(lister, copy);
  std::vector<UnusedParameter> idle;
  for (const std::string& path : paths) {
    const std::vector<std::string> reached = reached_by(lister.parameters(), path);
    if (reached.empty() || !std::all_of(reached.begin(), reached.end(), rule_of)) continue;
    idle.push_back({path, rule_of(reached.front())->otherwise});
  }
  return idle;
}

}  // namespace tessera
