// SPDX-License-Identifier: Apache-2.0
#include "platforms/config_check.h"

#include <algorithm>

#include "common/error.h"
#include "modules/llc/slice_site.h"
#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"
#include "platforms/tree_check.h"

namespace tessera {

namespace {

/// Whether each chosen policy takes this system and its own parameters.
void check_policies(const GpuConfig& c, std::vector<std::string>& errors) {
  const auto check = [&errors](const auto& make) {
    try {
      make();
    } catch (const InputError& e) {
      errors.emplace_back(e.what());
    }
  };
  const PolicyContext context = facts_of(c);
  check([&] { make_address_map(c.system.address_map, context, c.address_map); });
  check([&] { c.page_placement.make(c.system.page_placement, context); });
  check([&] { c.page_migration.make(c.migration.policy, context); });
  check([&] { c.launch_planner.make(c.dispatch.planner, context); });
  check([&] { c.cta_scheduler.make(c.dispatch.scheduler, context); });
  check([&] { c.kernel_scheduler.make(c.dispatch.kernel_scheduler, context); });
  check([&] { c.remote_caching.make(c.system.remote_caching, context); });
  check([&] { c.transfer.make(c.system.transfer, context); });
  check([&] {
    MissRouting::Context cores = MissRouting::example_context();
    cores.cores = c.system.sms / c.system.gpus;
    c.miss_routing.make(c.system.miss_routing, cores);
  });
  for (const auto* cache : {&c.llc, &c.remote_cache}) {
    if (!cache->role.empty()) check([&] { check_slice_role(cache->role); });
    check([&] { cache->replacement.make({cache->sets, cache->ways}); });
  }
  check([&] { c.l1.replacement.make({c.l1.sets, c.l1.ways}); });
  check([&] { c.sm.warp_scheduler.make({c.sm.schedulers}); });
  check([&] { c.noc.arbitration.make({c.noc.radix}); });
  check([&] { c.mcm.plane.arbitration.make({c.mcm.plane.radix}); });
  check([&] { c.ring.ring.arbitration.make({3}); });
  check([&] { c.llc.arbitration.make({2}); });
  DramCommandCounts counts;
  if (!c.dram.validate().empty()) return;
  check([&] { c.dram.scheduler.make({&c.dram, c.system.line_bytes, &counts}); });
}

/// Whether pages can migrate on this system as its parameters say.
void check_migration(const GpuConfig& c, std::vector<std::string>& errors) {
  // The outermost shape's: among GPUs, pages move from GPU to GPU.
  if (c.migration.policy != "none" && !shapes_in(c.system).front()->moves_pages) {
    const Shape& outermost = *shapes_in(c.system).front();
    const bool modules = outermost.level == NodeLevel::kModule;
    errors.push_back("migration.policy (" + c.migration.policy +
                     ") needs pages that move between the nodes of the tree's outermost level, as "
                     "of topologies " +
                     shapes_with(&Shape::moves_pages) + ": here it is " +
                     (modules ? "the modules of one GPU (system.modules is " +
                                    std::to_string(c.system.modules) + ")"
                              : outermost.name));
  }
  if (c.migration.policy != "none" && c.migration.stop == MoveStop::kUsers && c.system.gpus < 2) {
    errors.emplace_back(
        "migration.stop users needs system.gpus of 2 at least: partitions of one GPU share its "
        "TLB");
  }
  if (c.migration.policy != "none" && c.sm.ideal_translation) {
    errors.push_back("sm.ideal_translation excludes migration.policy (" + c.migration.policy +
                     "): the MMU would not know which SMs to notify of a moved page");
  }
  if (c.migration.policy != "none" && c.system.address_map == "pae") {
    errors.emplace_back("migration.policy needs an address map under which a page has one home");
  }
}

}  // namespace

std::vector<std::string> config_errors(const GpuConfig& c) {
  std::vector<std::string> errors;
  // Blocks can find the same fault, such as that of a line's size.
  const auto add = [&errors](const std::vector<std::string>& more, const std::string& before = "") {
    for (const std::string& e : more) {
      if (std::find(errors.begin(), errors.end(), e) == errors.end()) errors.push_back(before + e);
    }
  };
  // GPUs of unequal size are reported by shape_errors().
  const std::uint32_t sharing = node_shape_of(c.system).host_memory ? 1 : c.system.gpus;
  if (sharing != 0 && c.system.channels % sharing == 0) check_policies(c, errors);
  add(c.sm.validate());
  add(c.l1.validate());
  if (c.needs_probes()) add(c.probe.validate());
  add(shape_errors(c));
  add(c.host.validate());
  add(c.llc.validate());
  add(c.dram.validate(), "dram.");
  add(c.l2_tlb.validate());
  add(c.walker.validate());
  add(c.uvm.validate());
  add(c.migration.validate());
  check_migration(c, errors);
  add(c.power.validate());
  for (const auto& [name, config] : c.of_kinds) add(config.validate(), name + ".");
  if (c.sm.clock_hz != c.l1.clock_hz) {
    errors.push_back("l1.clock_hz (" + std::to_string(c.l1.clock_hz) +
                     ") must equal sm.clock_hz (" + std::to_string(c.sm.clock_hz) +
                     "): an SM and its L1 share a clock");
  }
  return errors;
}

}  // namespace tessera
