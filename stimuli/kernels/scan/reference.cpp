// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_scan {
namespace {

std::vector<Expectation> reference(const Inputs& in) {
  std::vector<std::int64_t> before{0};
  for (const std::int32_t v : in.values<std::int32_t>("in")) before.push_back(before.back() + v);
  const std::int64_t sum = before.back();
  return {{"out", [before](std::uint64_t i) { return Element64::exactly(before[i]); }},
          {"sum", [sum](std::uint64_t) { return Element64::exactly(sum); }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_scan
