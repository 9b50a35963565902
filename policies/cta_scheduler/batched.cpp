// SPDX-License-Identifier: Apache-2.0
// "batched": batches of consecutive CTAs, dealt to the NUMA nodes in turn: the static batches of
// Batch+FT (4 to 8 CTAs, LADM section II-B), the page-aligned batches of CODA, and LASP's
// alignment-aware scheduler (LADM section III-D2).
#include "policies/cta_scheduler/batched.h"

#include "policies/node_binding.h"

namespace tessera {

void describe(ParameterVisitor& v, BatchedParameters& p) {
  v.integer("batch", p.batch, "CTA",
            "consecutive CTAs of a batch (LADM section II-B: 4 to 8; of these, 8 is ours)", 1,
            1U << 30);
  v.flag("hierarchical", p.hierarchical,
         "contiguous batches per GPU, dealt in turn to its nodes; otherwise dealt to all nodes "
         "(LADM section III-D2)");
}

namespace {

class Batched final : public NodeBinding {
 public:
  Batched(const TreeShape& tree, const BatchedParameters& p) : NodeBinding(tree), p_(p) {}

 protected:
  std::uint32_t node_of(std::uint64_t cta) const override {
    const std::uint64_t batch = cta / p_.batch;
    if (!p_.hierarchical) return nodes().dealt(batch);
    return nodes().hierarchical(batch, (grid().count() + p_.batch - 1) / p_.batch);
  }

 private:
  const BatchedParameters p_;
};

std::unique_ptr<CtaScheduler> make(const PolicyContext& c, const BatchedParameters& p) {
  return std::make_unique<Batched>(c.tree, p);
}

const PolicyRegistration<CtaScheduler> kBatched(
    "batched", "batches of consecutive CTAs, dealt to the NUMA nodes in turn (LADM section II-B)",
    make);

}  // namespace

}  // namespace tessera
