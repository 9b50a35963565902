// SPDX-License-Identifier: Apache-2.0
// "row-binding": all CTAs of a grid row (same blockIdx.y and z) run on one NUMA node (LADM section
// III-D2).
#include "policies/node_binding.h"

namespace tessera {

namespace {

class RowBinding final : public NodeBinding {
 public:
  RowBinding(const TreeShape& tree, const BindingParameters& p)
      : NodeBinding(tree), hierarchical_(p.hierarchical) {}

 protected:
  std::uint32_t node_of(std::uint64_t cta) const override {
    const std::uint64_t unit = cta / grid().x;
    const std::uint64_t units = std::uint64_t{grid().y} * grid().z;
    return hierarchical_ ? nodes().hierarchical(unit, units) : nodes().contiguous(unit, units);
  }

 private:
  const bool hierarchical_;
};

std::unique_ptr<CtaScheduler> make(const PolicyContext& c, const BindingParameters& p) {
  return std::make_unique<RowBinding>(c.tree, p);
}

const PolicyRegistration<CtaScheduler> kRegistered(
    "row-binding", "a grid row's CTAs on one NUMA node (LADM section III-D2)", make);

}  // namespace

}  // namespace tessera
