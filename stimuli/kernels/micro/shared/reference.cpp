// SPDX-License-Identifier: Apache-2.0
#include "common/error.h"
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_micro_shared {
namespace {

/// A lane's two words are half of the array apart; exact.
std::vector<Expectation> reference(const Inputs& in) {
  const std::int64_t stride = in.size("stride");
  const std::int64_t lanes = in.size("lanes");
  if (stride < 1 || stride > 32) throw InputError("micro-shared: stride must be 1 to 32");
  const std::int64_t half = in.size("hops") % 2 * 1024;
  return {{"last", [=](std::uint64_t chain) {
             const auto lane = static_cast<std::int64_t>(chain) % lanes;
             return Element64::exactly(half + lane * stride);
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_micro_shared
