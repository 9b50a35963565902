// SPDX-License-Identifier: Apache-2.0
// "kernel-wide": the grid in contiguous parts, one per NUMA node (Milic et al.; LADM section II-B).
#include "policies/node_binding.h"

namespace tessera::cta_scheduler::kernel_wide {

namespace {

class KernelWide final : public NodeBinding {
 public:
  using NodeBinding::NodeBinding;

 protected:
  std::uint32_t node_of(std::uint64_t cta) const override {
    return nodes().contiguous(cta, grid().count());
  }
};

std::unique_ptr<CtaScheduler> make(const PolicyContext& c) {
  return std::make_unique<KernelWide>(c.tree);
}

const PolicyRegistration<CtaScheduler> kRegistered(
    "kernel-wide", "the grid in contiguous parts, one for each NUMA node (Milic et al.)", make);

}  // namespace

}  // namespace tessera::cta_scheduler::kernel_wide
