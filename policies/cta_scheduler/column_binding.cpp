// SPDX-License-Identifier: Apache-2.0
// "column-binding": all CTAs of a grid column (same blockIdx.x) run on one NUMA node (LADM section
// III-D2).
#include "policies/node_binding.h"

namespace tessera {

namespace {

class ColumnBinding final : public NodeBinding {
 public:
  ColumnBinding(const TreeShape& tree, const BindingParameters& p)
      : NodeBinding(tree), hierarchical_(p.hierarchical) {}

 protected:
  std::uint32_t node_of(std::uint64_t cta) const override {
    const std::uint64_t unit = cta % grid().x;
    const std::uint64_t units = grid().x;
    return hierarchical_ ? nodes().hierarchical(unit, units) : nodes().contiguous(unit, units);
  }

 private:
  const bool hierarchical_;
};

std::unique_ptr<CtaScheduler> make(const PolicyContext& c, const BindingParameters& p) {
  return std::make_unique<ColumnBinding>(c.tree, p);
}

const PolicyRegistration<CtaScheduler> kRegistered(
    "column-binding", "a grid column's CTAs on one NUMA node (LADM section III-D2)", make);

}  // namespace

}  // namespace tessera
