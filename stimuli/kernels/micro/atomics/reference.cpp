// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_micro_atomics {
namespace {

/// Update number i of all threads is of word i / group % words; exact.
std::vector<Expectation> reference(const Inputs& in) {
  const auto size = [&in](const char* name) { return static_cast<std::uint64_t>(in.size(name)); };
  const std::uint64_t stride = size("stride");
  std::vector<std::uint32_t> counts(size("words"));
  const std::uint64_t all = size("ctas") * size("threads") * size("updates");
  for (std::uint64_t i = 0; i < all; ++i) ++counts[i / size("group") % counts.size()];
  return {{"counts", [=](std::uint64_t i) {
             return Element64::exactly(i % stride == 0 ? counts[i / stride] : 0);
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_micro_atomics
