// SPDX-License-Identifier: Apache-2.0
// "sequential": one kernel at a time.
#include <memory>

#include "policies/kernel_scheduler.h"

namespace tessera::kernel_scheduler::sequential {

namespace {

class Sequential final : public KernelScheduler {
 public:
  std::uint32_t most_kernels() const override { return 1; }
  std::optional<std::size_t> choose(const std::vector<KernelAtSm>& /*kernels*/) const override {
    return std::nullopt;  // not called: a kernel always runs alone
  }
};

std::unique_ptr<KernelScheduler> make(const PolicyContext& /*context*/) {
  return std::make_unique<Sequential>();
}

const PolicyRegistration<KernelScheduler> kRegistered(
    "sequential", "one kernel at a time, also of different streams", make);

}  // namespace

}  // namespace tessera::kernel_scheduler::sequential
