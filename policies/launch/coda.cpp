// SPDX-License-Identifier: Apache-2.0
// "coda": CODA's index analysis as LADM describes it (LADM sections II-B, IV-A): pages are dealt to
// the NUMA nodes in turn, and CTAs in batches whose datablocks fill a page. Strides and sharing are
// not considered.
#include <algorithm>
#include <memory>

#include "policies/cta_scheduler/batched.h"
#include "policies/launch/array_placement.h"
#include "policies/node_binding.h"

namespace tessera::launch::coda {

namespace {

struct CodaParameters {
  bool hierarchical = false;
};

void describe(ParameterVisitor& v, CodaParameters& p) {
  v.flag("hierarchical", p.hierarchical,
         "contiguous pages and batches per GPU, dealt in turn to its nodes; otherwise dealt to all "
         "nodes, GPU by GPU (LADM sections II-B, V-A: round-robin, also in H-CODA)");
}

class Coda final : public LaunchPlanner {
 public:
  Coda(const PolicyContext& context, const CodaParameters& p)
      : page_bytes_(context.memory.page_bytes), nodes_(context.tree), p_(p), placement_(context) {}

  bool uses_locality() const override { return true; }

  LaunchPlan plan(const LaunchView& launch) override {
    LaunchPlan plan;
    std::uint64_t largest = 0;
    BatchedParameters batches{1, p_.hierarchical};
    for (const LaunchArgument& a : launch.arguments) {
      if (!a.array) continue;
      const LaunchArray& array = launch.arrays[*a.array];
      placement_.place(
          array, launch.memories, plan, [this](std::uint64_t page, std::uint64_t pages) {
            return p_.hierarchical ? nodes_.hierarchical(page, pages) : nodes_.dealt(page);
          });
      const std::uint64_t datablock = a.locality ? datablock_of(launch, *a.locality) : 0;
      if (datablock == 0 || array.bytes <= largest) continue;
      largest = array.bytes;
      batches.batch =
          static_cast<std::uint32_t>(std::max<std::uint64_t>(1, page_bytes_ / datablock));
    }
    plan.scheduler = CtaSchedulerChoice{"batched"};
    plan.scheduler->parameters.set("batched", batches);
    return plan;
  }

 private:
  const std::uint64_t page_bytes_;
  const NumaNodes nodes_;
  const CodaParameters p_;
  ArrayPlacement placement_;
};

std::unique_ptr<LaunchPlanner> make(const PolicyContext& context, const CodaParameters& p) {
  return std::make_unique<Coda>(context, p);
}

const PolicyRegistration<LaunchPlanner> kRegistered(
    "coda", "pages dealt to the NUMA nodes, CTAs in page-aligned batches (CODA; LADM section II-B)",
    make);

}  // namespace

}  // namespace tessera::launch::coda
