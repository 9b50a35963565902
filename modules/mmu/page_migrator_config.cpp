// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_migrator_config.h"

#include "policies/page_migration.h"

namespace tessera {

std::vector<std::string> PageMigratorConfig::validate() const {
  std::vector<std::string> errors;
  if (interval_cycles == 0) errors.emplace_back("migration.interval_cycles must be at least 1");
  if (batch_cycles == 0) errors.emplace_back("migration.batch_cycles must be at least 1");
  if (policy == "griffin" && trigger == MoveTrigger::kOnDemand) {
    errors.emplace_back("migration.policy griffin decides by periods: trigger must be interval");
  }
  if (policy == "replication" && drain == MoveDrain::kOwner) {
    errors.emplace_back("migration.policy replication makes copies: drain must be all");
  }
  if (!(transfer_gb_per_s > 0)) {
    errors.emplace_back("migration.transfer_gb_per_s must be more than 0");
  }
  return errors;
}

void describe(ParameterVisitor& v, PageMigratorConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock in which intervals count (NUBA Table 1)",
            1'000'000, 100'000'000'000);
  v.text("policy", c.policy,
         "which pages move after their placement (NUBA section 7.6; DualOpt sections 6.1, 6.3)",
         policy_names<PageMigrationPolicy>());
  v.choice("trigger", c.trigger,
           "decide at an interval's end, or soon after an access from elsewhere (ours)",
           {{"interval", MoveTrigger::kInterval}, {"on-demand", MoveTrigger::kOnDemand}});
  v.integer("interval_cycles", c.interval_cycles, "cycle",
            "accesses are counted for so long (ours)", 1, std::uint64_t{1} << 40);
  v.integer("batch_cycles", c.batch_cycles, "cycle",
            "trigger on-demand: first touches are gathered for so long (ours)", 1,
            std::uint64_t{1} << 40);
  v.integer("max_moves", c.max_moves, "page", "moves at the end of one interval (ours)", 1,
            1U << 30);
  v.flag("one_source", c.one_source,
         "a batch takes pages of one home only, the one that would lose most (ours; after "
         "Griffin's cooperative scheduling)");
  v.choice("stop", c.stop,
           "SMs that stop for a batch: all (ours), or those of the GPUs whose TLBs can hold one of "
           "its pages (after MGPUSim's driver, which shoots down the GPUs that have hosted a page, "
           "and DualOpt section 2.3: the owner)",
           {{"all", MoveStop::kAll}, {"users", MoveStop::kUsers}});
  v.choice("drain", c.drain,
           "which stopped SMs stand still until pages have arrived: all (MGPUSim's driver), or "
           "none, the owner's until its flush is over (ours; after Griffin's asynchronous "
           "draining)",
           {{"all", MoveDrain::kAll}, {"owner", MoveDrain::kOwner}});
  v.integer("pipeline_flush_ns", c.pipeline_flush_ns, "ns",
            "time to flush the pipelines of stopped SMs (ours)", 0, 1'000'000);
  v.integer("cache_flush_ns", c.cache_flush_ns, "ns", "time to flush the owner's caches (ours)", 0,
            1'000'000);
  v.integer("shootdown_ns", c.shootdown_ns, "ns", "time to empty all TLBs (ours)", 0, 1'000'000);
  v.real("transfer_gb_per_s", c.transfer_gb_per_s, "GB/s", "pace of a page's transfer (ours)",
         0.001, 1e6);
  v.flag("overlap_transfers", c.overlap_transfers,
         "pages of a batch with neither source nor target in common are transferred at once, else "
         "one after another (MGPUSim's driver: one at a time)");
  v.integer("gpu_latency_ns", c.gpu_latency_ns, "ns",
            "of an order to a GPU and of its report, if there are several GPUs; 0: immediate (NUBA "
            "section 7.6 and DualOpt section 6.1 give the cost of a shootdown, not its messages)",
            0, 1'000'000);
}

}  // namespace tessera
