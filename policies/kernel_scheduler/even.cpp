// SPDX-License-Identifier: Apache-2.0
// "even": each SM takes its next CTA from the kernel with the fewest CTAs on it, so that kernels
// share each SM (simultaneous multikernel: Wang et al., HPCA 2016).
#include <memory>

#include "policies/kernel_scheduler.h"

namespace tessera::kernel_scheduler::even {

namespace {

class Even final : public KernelScheduler {
 public:
  std::optional<std::size_t> choose(const std::vector<KernelAtSm>& kernels) const override {
    std::optional<std::size_t> fewest;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (!kernels[i].fits || !kernels[i].has_more) continue;
      if (!fewest || kernels[i].resident < kernels[*fewest].resident) fewest = i;
    }
    return fewest;
  }
};

std::unique_ptr<KernelScheduler> make(const PolicyContext& /*context*/) {
  return std::make_unique<Even>();
}

const PolicyRegistration<KernelScheduler> kRegistered(
    "even", "each SM takes CTAs of the kernel that has the fewest on it (Wang et al., HPCA 2016)",
    make);

}  // namespace

}  // namespace tessera::kernel_scheduler::even
