// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_gemmlayer {
namespace {

std::vector<Expectation> reference(const Inputs& in) {
  const auto activations = in.values<float>("activations");
  const auto weights = in.values<float>("weights");
  const auto depth = static_cast<std::uint64_t>(in.size("depth"));
  const auto columns = static_cast<std::uint64_t>(in.size("columns"));
  return {{"out", [=](std::uint64_t at) {
             // Each of four warps adds the products of its quarter of every 64 in order; then two
             // pairs, then these two.
             constexpr std::uint64_t kWarps = 4;
             constexpr std::uint64_t kQuarter = 16;
             FloatSum sums[kWarps];
             for (std::uint64_t k = 0; k < depth; ++k) {
               sums[k / kQuarter % kWarps].add(double{activations[at / columns * depth + k]} *
                                               double{weights[k * columns + at % columns]});
             }
             double sum = 0;
             double magnitude = 0;
             double inherited = 0;
             for (const FloatSum& s : sums) {
               sum += s.value();
               magnitude += std::fabs(s.value());
               inherited += s.error();
             }
             return Element64::about(sum, inherited + float_error(2, magnitude + inherited));
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_gemmlayer
