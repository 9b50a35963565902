// SPDX-License-Identifier: Apache-2.0
#include "platforms/unused_parameters.h"

#include <algorithm>

#include "modules/plan/block_kind.h"
#include "platforms/platform_view.h"
#include "platforms/policy_families.h"
#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"

namespace tessera {

namespace {

/// Parameters whose paths begin so, but not with `except`, have no effect, for that reason.
struct Reason {
  std::string begin;
  std::string why;
  std::string except = {};

  bool covers(const std::string& path) const {
    return path.rfind(begin, 0) == 0 && (except.empty() || path.rfind(except, 0) != 0);
  }
};

/// Parameters that only some shapes read.
void add_shapes(const GpuConfig& c, const PlatformPlan& plan, std::vector<Reason>& all) {
  const SystemConfig& s = c.system;
  const std::string topology = "system.topology is " + s.topology;
  const std::vector<const Shape*> levels = shapes_in(s);
  for (const Shape& shape : shapes()) {
    for (const std::string& begin : shape.reads) {
      const bool used = std::any_of(levels.begin(), levels.end(), [&begin](const Shape* level) {
        return std::find(level->reads.begin(), level->reads.end(), begin) != level->reads.end();
      });
      if (!used) all.push_back({begin, topology});
    }
  }
  if (levels.back()->joins_gpus) {
    for (const char* begin : {"llc.", "l1.replacement", "l1.mshr_targets", "l1.reserve_frames",
                              "l1.miss_queue_depth", "l1.scalar_", "noc.kind"}) {
      all.push_back({begin, topology});
    }
    if (networks_of(plan).empty()) all.push_back({"noc.", topology});
  }
  if (!levels.back()->joins_gpus || levels.back()->host_memory) {
    all.push_back({"host.copies", topology});
  }
}

/// Parameters of the tree's levels, and of policies of the whole system.
void add_system(const GpuConfig& c, std::vector<Reason>& all) {
  const SystemConfig& s = c.system;
  const auto unless = [&all](bool read, const std::string& begin, const std::string& why,
                             const std::string& except = {}) {
    if (!read) all.push_back({begin, why, except});
  };
  const Tree tree = tree_of(s);
  const TreeLevel* const modules = find_level(tree, NodeLevel::kModule);
  const bool rings = modules != nullptr && modules->network == "ring";
  const bool planes = modules != nullptr && !rings;
  const std::string no_modules =
      modules == nullptr ? "system.modules is 1" : "the modules' network is a " + modules->network;
  unless(planes, "mcm.", no_modules);
  unless(c.mcm.plane.input_queues == InputQueues::kVirtualOutput, "mcm.arbitration_iterations",
         "mcm.input_queues is fifo");
  unless(rings, "ring.", no_modules);
  unless(c.host.copies != HostCopies::kNone, "host.", "host.copies is none", "host.copies");
  const bool pages_have_homes =
      make_address_map(s.address_map, facts_of(c), c.address_map)->page_homes() > 1;
  for (const char* begin : {"system.page_placement", "page_placement."}) {
    unless(pages_have_homes, begin, "system.address_map is " + s.address_map);
  }
}

std::vector<Reason> reasons(const GpuConfig& c) {
  std::vector<Reason> all;
  const PlatformPlan plan = plan_of(c);
  add_shapes(c, plan, all);
  const PlatformView view(c, plan);
  for (const auto& [name, kind] : block_kinds()) {
    for (const UnusedRule& rule : kind.unused) {
      if (const auto why = rule.why(view)) all.push_back({rule.begin, *why, rule.except});
    }
  }
  add_system(c, all);
  for_each_family(c, [&all](const std::vector<ChosenPolicy>& chosen, const auto& settings) {
    std::string choices;
    for (const ChosenPolicy& p : chosen) {
      choices += (choices.empty() ? "" : ", ") + (std::string(p.parameter) + " is " + p.name);
    }
    for (const std::string& name : registry_of(settings).names()) {
      const bool read = std::any_of(chosen.begin(), chosen.end(),
                                    [&name](const ChosenPolicy& p) { return p.name == name; });
      if (!read) all.push_back({std::string(family_of(settings)) + "." + name + ".", choices});
    }
  });
  return all;
}

}  // namespace

std::vector<UnusedParameter> unused_parameters(const GpuConfig& config,
                                               const std::vector<std::string>& paths) {
  const std::vector<Reason> all = reasons(config);
  const auto reason_of = [&all](const std::string& path) -> const Reason* {
    const auto reason =
        std::find_if(all.begin(), all.end(), [&path](const Reason& r) { return r.covers(path); });
    return reason == all.end() ? nullptr : &*reason;
  };
  ParameterLister lister;
  GpuConfig copy = config;
  describe(lister, copy);
  std::vector<UnusedParameter> idle;
  for (const std::string& path : paths) {
    const std::vector<std::string> reached = reached_by(lister.parameters(), path);
    if (reached.empty() || !std::all_of(reached.begin(), reached.end(), reason_of)) continue;
    idle.push_back({path, reason_of(reached.front())->why});
  }
  return idle;
}

}  // namespace tessera
