// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera {

/// A parameter that chooses a policy, and the policy's name.
struct ChosenPolicy {
  const char* parameter;
  const std::string& name;
};

/// Calls f(chosen, settings) for each family of policies: its PolicySettings, and a list of all the
/// ChosenPolicy of the configuration.
template <class Config, class F>
void for_each_family(Config& c, F&& f) {
  using Chosen = std::vector<ChosenPolicy>;
  f(Chosen{{"system.address_map", c.system.address_map}}, c.address_map);
  f(Chosen{{"system.page_placement", c.system.page_placement}}, c.page_placement);
  f(Chosen{{"migration.policy", c.migration.policy}}, c.page_migration);
  f(Chosen{{"dispatch.planner", c.dispatch.planner}}, c.launch_planner);
  f(Chosen{{"dispatch.scheduler", c.dispatch.scheduler}}, c.cta_scheduler);
  f(Chosen{{"dispatch.kernel_scheduler", c.dispatch.kernel_scheduler}}, c.kernel_scheduler);
  f(Chosen{{"system.remote_caching", c.system.remote_caching}}, c.remote_caching);
  f(Chosen{{"system.transfer", c.system.transfer}}, c.transfer);
  f(Chosen{{"system.miss_routing", c.system.miss_routing}}, c.miss_routing);
  f(Chosen{{"l1.replacement", c.l1.replacement.name},
           {"llc.replacement", c.llc.replacement.name},
           {"remote_cache.replacement", c.remote_cache.replacement.name}},
    c.cache_replacement);
  f(Chosen{{"dram.scheduler", c.dram.scheduler.name},
           {"umh.stack.scheduler", c.hierarchy.stack.scheduler.name}},
    c.dram_scheduler);
  f(Chosen{{"sm.warp_scheduler", c.sm.warp_scheduler.name}}, c.warp_scheduler);
  f(Chosen{{"noc.arbitration", c.noc.arbitration.name},
           {"mcm.arbitration", c.mcm.plane.arbitration.name},
           {"ring.arbitration", c.ring.ring.arbitration.name},
           {"llc.arbitration", c.llc.arbitration.name},
           {"remote_cache.arbitration", c.remote_cache.arbitration.name}},
    c.arbiter);
}

}  // namespace tessera
