// SPDX-License-Identifier: Apache-2.0
// "row-binding", "column-binding": all CTAs of a grid row (same blockIdx.y and z), or of a grid
// column (same blockIdx.x), run on one NUMA node (LADM section III-D2).
#include "policies/node_binding.h"

namespace tessera::cta_scheduler::grid_binding {

namespace {

enum class Line : std::uint8_t { kRow, kColumn };

template <Line kLine>
class GridBinding final : public NodeBinding {
 public:
  GridBinding(const TreeShape& tree, const BindingParameters& p)
      : NodeBinding(tree), hierarchical_(p.hierarchical) {}

 protected:
  std::uint32_t node_of(std::uint64_t cta) const override {
    const std::uint64_t columns = grid().x;
    const std::uint64_t rows = std::uint64_t{grid().y} * grid().z;
    const std::uint64_t unit = kLine == Line::kRow ? cta / columns : cta % columns;
    const std::uint64_t units = kLine == Line::kRow ? rows : columns;
    return hierarchical_ ? nodes().hierarchical(unit, units) : nodes().contiguous(unit, units);
  }

 private:
  const bool hierarchical_;
};

template <Line kLine>
std::unique_ptr<CtaScheduler> make(const PolicyContext& c, const BindingParameters& p) {
  return std::make_unique<GridBinding<kLine>>(c.tree, p);
}

const PolicyRegistration<CtaScheduler> kRows("row-binding",
                                             "a grid row's CTAs on one NUMA node (LADM section "
                                             "III-D2)",
                                             make<Line::kRow>);
const PolicyRegistration<CtaScheduler> kColumns("column-binding",
                                                "a grid column's CTAs on one NUMA node (LADM "
                                                "section III-D2)",
                                                make<Line::kColumn>);

}  // namespace

}  // namespace tessera::cta_scheduler::grid_binding
