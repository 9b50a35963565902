// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_radixsort {
namespace {

void host(HostSession& session) {
  for (std::int32_t round = 0; round < session.size("rounds"); ++round) {
    session.set("low_shift", 16 * round);
    session.set("high_shift", 16 * round + 8);
    session.launch_all();
  }
}

std::vector<Expectation> reference(const Inputs& in) {
  std::vector<std::uint32_t> keys = in.values<std::uint32_t>("keys").vector();
  std::sort(keys.begin(), keys.end());
  return {{"keys", [keys](std::uint64_t i) { return Element64::exactly(keys[i]); }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_radixsort
