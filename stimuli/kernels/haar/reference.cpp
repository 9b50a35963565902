// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "stimuli/runner/bounded.h"

namespace tessera::kernels::workload_haar {
namespace {

/// One level of the whole signal at a time.
std::vector<Expectation> reference(const Inputs& in) {
  const Bounded root_half = 0.70710678f;  // the kernel's constant
  std::vector<Bounded> out = bounded(in.values<float>("in"));
  std::vector<Bounded> next(out.size());
  for (std::size_t details = out.size() / 2; details > 0; details /= 2) {
    for (std::size_t i = 0; i < details; ++i) {
      next[i] = (out[2 * i] + out[2 * i + 1]) * root_half;
      next[details + i] = (out[2 * i] - out[2 * i + 1]) * root_half;
    }
    std::copy_n(next.begin(), 2 * details, out.begin());
  }
  return {expected("out", std::move(out))};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_haar
