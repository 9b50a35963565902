// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_randomloc {
namespace {

/// The kernel's hash of consecutive numbers.
std::uint32_t mixed(std::uint32_t v) {
  v = (v ^ (v >> 16)) * 0x7feb352du;
  v = (v ^ (v >> 15)) * 0x846ca68bu;
  return v ^ (v >> 16);
}

/// With prefix sums of the table, the sum of a run is one difference; exact (modulo 2^32).
std::vector<Expectation> reference(const Inputs& in) {
  const auto table = in.values<std::uint32_t>("table");
  std::vector<std::uint32_t> before(table.size() + 1);
  for (std::size_t i = 0; i < table.size(); ++i) before[i + 1] = before[i] + table[i];
  const auto run = static_cast<std::uint64_t>(in.size("run"));
  const std::uint64_t starts = table.size() - run + 1;
  const auto jumps_of_cta = static_cast<std::uint64_t>(in.size("jumps")) * 256;
  return {{"sums", [=](std::uint64_t cta) {
             std::uint32_t sum = 0;
             for (std::uint64_t j = cta * jumps_of_cta; j < (cta + 1) * jumps_of_cta; ++j) {
               const std::uint64_t start = mixed(static_cast<std::uint32_t>(j)) * starts >> 32;
               sum += before[start + run] - before[start];
             }
             return Element64::exactly(sum);
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_randomloc
