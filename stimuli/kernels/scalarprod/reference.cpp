// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_scalarprod {
namespace {

constexpr std::uint64_t kSums = 1024;
constexpr std::uint64_t kTreeLevels = 10;

std::vector<Expectation> reference(const Inputs& in) {
  const auto a = in.values<float>("a");
  const auto b = in.values<float>("b");
  const auto elements = static_cast<std::uint64_t>(in.size("elements"));
  // A product is rounded once, then with each later addition to its accumulator, then at each level
  // of the tree.
  const std::uint64_t roundings = 1 + (elements + kSums - 1) / kSums + kTreeLevels;
  return {{"products", [=](std::uint64_t vector) {
             double sum = 0;
             double magnitude = 0;
             for (std::uint64_t at = vector * elements; at < (vector + 1) * elements; ++at) {
               const double product = double{a[at]} * double{b[at]};
               sum += product;
               magnitude += std::fabs(product);
             }
             return Element64::about(sum, float_error(roundings, magnitude));
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_scalarprod
