// SPDX-License-Identifier: Apache-2.0
// "partitioned": the SMs of each GPU are divided into equal parts, and each kernel runs on one part
// (spatial multitasking: Adriaens et al., HPCA 2012). A kernel gets the lowest free part when it
// begins, and keeps it; it waits while there is none.
#include <algorithm>
#include <memory>
#include <string>

#include "common/error.h"
#include "policies/kernel_scheduler.h"

namespace tessera::kernel_scheduler::partitioned {

namespace {

struct PartitionedParameters {
  std::uint32_t parts = 2;
};

void describe(ParameterVisitor& v, PartitionedParameters& p) {
  v.integer("parts", p.parts, "part",
            "equal parts of the SMs of each GPU, or of each of its partitions or modules (ours)", 1,
            64);
}

class Partitioned final : public KernelScheduler {
 public:
  explicit Partitioned(std::uint32_t parts) : parts_(parts) {}

  std::uint32_t most_kernels() const override { return parts_; }
  std::uint32_t parts() const override { return parts_; }
  std::optional<std::size_t> choose(const std::vector<KernelAtSm>& /*kernels*/) const override {
    return std::nullopt;  // not called: a kernel is alone on its SMs
  }

 private:
  const std::uint32_t parts_;
};

std::unique_ptr<KernelScheduler> make(const PolicyContext& c, const PartitionedParameters& p) {
  const std::uint32_t sms = c.tree.sms_per_node();
  if (sms % p.parts != 0) {
    std::string valid;
    for (std::uint32_t n = 1; n <= std::min(sms, 64U); ++n) {
      if (sms % n == 0) valid += (valid.empty() ? "" : ", ") + std::to_string(n);
    }
    throw InputError("kernel_scheduler.partitioned.parts (" + std::to_string(p.parts) +
                     ") must divide the " + std::to_string(sms) +
                     " SMs of each innermost node (GPU, module or partition): " + valid);
  }
  return std::make_unique<Partitioned>(p.parts);
}

const PolicyRegistration<KernelScheduler> kRegistered(
    "partitioned", "each kernel runs on an equal part of the SMs (Adriaens et al., HPCA 2012)",
    make);

}  // namespace

}  // namespace tessera::kernel_scheduler::partitioned
