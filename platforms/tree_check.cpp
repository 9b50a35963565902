// SPDX-License-Identifier: Apache-2.0
#include "platforms/tree_check.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/legal_values.h"
#include "modules/protocol/page_entry.h"
#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"

namespace tessera {

bool check_tree(const GpuConfig& config, std::vector<std::string>& errors) {
  const SystemConfig& s = config.system;
  bool sound = must_divide("system.modules", s.modules, "system.channels", s.channels, errors);
  if (!node_shape_of(s).host_memory) {
    sound = must_divide("system.gpus", s.gpus, "system.channels", s.channels, errors) && sound;
  }
  sound = must_divide("system.gpus", s.gpus, "system.sms", s.sms, errors) && sound;
  sound = must_divide("system.modules", s.modules, "system.sms", s.sms, errors) && sound;
  if (sound && s.gpus > 1 && s.modules > 1) {
    sound = must_divide("system.modules", s.modules, "channels of a GPU", s.channels / s.gpus,
                        errors) &&
            must_divide("system.modules", s.modules, "SMs of a GPU", s.sms / s.gpus, errors);
  }
  const std::vector<const Shape*> levels = shapes_in(s);
  const Shape& node = *levels.back();
  for (const auto& [count, what] :
       {std::pair{s.modules, "system.modules"}, std::pair{s.gpus, "system.gpus"}}) {
    if (count == 1 || node.alone_because.empty()) continue;
    errors.push_back(std::string(what) + " must be 1 where topology is " + node.name + ": " +
                     node.alone_because);
    sound = false;
  }
  if (!levels.front()->several_gpus) {
    const std::string several = shapes_with(&Shape::several_gpus);
    if (s.gpus != 1 && !node.joins_gpus) {
      errors.push_back("system.gpus must be 1 unless topology is " + several + " or one of " +
                       shapes_with(&Shape::joins_gpus));
      sound = false;
    }
    if (s.transfer != "line") {
      errors.push_back("system.transfer (" + s.transfer + ") needs several GPUs (system.topology " +
                       several + ", or a tree with a level gpu): this platform has one");
    }
  }
  for (const Shape* shape : levels) {
    if (sound && shape->divides != nullptr) sound = shape->divides(config, errors);
  }
  return sound;
}

namespace {

/// Networks of one kind of traffic are alike: one of each is checked.
void check_networks(const GpuConfig& config, std::vector<std::string>& errors) {
  const PlatformPlan plan = plan_of(config);
  std::set<std::string> checked;
  for (const PlannedBlock* b : networks_of(plan)) {
    const PlannedNetwork& network = network_of(*b);
    const std::string& traffic = network.traffic;
    if (network.of_links || !checked.insert(traffic).second) continue;
    if (network.kind == NetworkKind::kRing) {
      for (const std::string& f : network.ring.validate(b->inputs, b->outputs)) {
        errors.push_back(traffic + ": " + f);
      }
      continue;
    }
    if (network.kind == NetworkKind::kMesh) {
      for (const std::string& f : network.mesh.validate(b->inputs, b->outputs)) {
        errors.push_back("mesh." + f);
      }
      continue;
    }
    // Ingress crossbars have the settings of the GPU's network.
    const std::string settings =
        traffic == "ingress_xbar" || traffic == "module_ingress_xbar" ? "noc" : traffic;
    for (const std::string& f : network.noc.validate(b->inputs, b->outputs, settings)) {
      errors.push_back(traffic + ": " + f);
    }
  }
}

}  // namespace

std::vector<std::string> shape_errors(const GpuConfig& config) {
  std::vector<std::string> errors;
  const SystemConfig& s = config.system;
  bool sound = check_tree(config, errors);
  if (geometry_of(config).total_bytes() > std::uint64_t{1} << PageEntry::kPhysicalBits) {
    const std::uint64_t most = std::uint64_t{1} << PageEntry::kPhysicalBits;
    errors.push_back("system.channels (" + std::to_string(s.channels) +
                     ") x system.channel_bytes (" + std::to_string(s.channel_bytes) +
                     ") must not exceed 2^48 bytes: system.channel_bytes of " +
                     near_powers_of_two(most / std::max(1U, s.channels) + 1, 1,
                                        most / std::max(1U, s.channels)) +
                     ", or system.channels of " +
                     std::to_string(std::max<std::uint64_t>(
                         1, most / std::max<std::uint64_t>(1, s.channel_bytes))) +
                     " at most");
  }
  if (!node_shape_of(s).caches_others && s.remote_caching != "home") {
    errors.push_back("system.remote_caching (" + s.remote_caching +
                     ") needs partitions as the tree's innermost level, as of topology " +
                     shapes_with(&Shape::caches_others) + ": here it is " + node_shape_of(s).name);
  }
  if (config.needs_probes() && (!node_shape_of(s).probes_cores || s.modules > 1)) {
    errors.push_back("system.miss_routing (" + s.miss_routing +
                     ") needs one network of all L1s of a GPU, as of topology " +
                     shapes_with(&Shape::probes_cores) + " without modules");
    sound = false;
  }
  if (config.host.copies != HostCopies::kNone &&
      (!node_shape_of(s).joins_gpus || node_shape_of(s).host_memory)) {
    errors.push_back(
        "host.copies needs GPUs with memories of their own at a link to the host: "
        "topology " +
        s.topology + " has none");
  }
  if (needs_mdr(config) && s.gpus != 0) {
    for (const std::string& e : config.mdr.validate(config.llc.sets, s.slices_per_gpu()))
      errors.push_back(e);
  }
  if (sound && s.modules > 1 && (config.mcm.ports == 0 || config.ring.ports == 0)) {
    errors.emplace_back("mcm.ports and ring.ports must be at least 1");
    sound = false;
  }
  for (const SystemConfig::Insert& i : s.inserts) {
    GpuConfig without = config;
    without.system.inserts = {i};
    try {
      if (sound) plan_of(without);
    } catch (const InputError& e) {
      errors.push_back("insert (" + i.origin + "): " + e.what());
      sound = false;
    }
  }
  if (sound) check_networks(config, errors);
  for (const Shape* shape : shapes_in(s)) {
    if (sound && shape->validate != nullptr) shape->validate(config, errors);
  }
  return errors;
}

}  // namespace tessera
