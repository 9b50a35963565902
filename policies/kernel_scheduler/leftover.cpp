// SPDX-License-Identifier: Apache-2.0
// "leftover": a kernel gets the resources that the kernels before it leave: an SM takes CTAs of the
// next kernel only when the first one has no CTA left for it. NVIDIA GPUs from Fermi on do so (Pai
// et al., ASPLOS 2013, section 2; Xu et al., Warped-Slicer, ISCA 2016, section II-B).
#include <memory>

#include "policies/kernel_scheduler.h"

namespace tessera::kernel_scheduler::leftover {

namespace {

class Leftover final : public KernelScheduler {
 public:
  std::optional<std::size_t> choose(const std::vector<KernelAtSm>& kernels) const override {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (!kernels[i].has_more) continue;
      return kernels[i].fits ? std::optional(i) : std::nullopt;
    }
    return std::nullopt;
  }
};

std::unique_ptr<KernelScheduler> make(const PolicyContext& /*context*/) {
  return std::make_unique<Leftover>();
}

const PolicyRegistration<KernelScheduler> kRegistered(
    "leftover",
    "CTAs of the next kernel take what the first kernel leaves (NVIDIA, Fermi to Hopper)", make);

}  // namespace

}  // namespace tessera::kernel_scheduler::leftover
