// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_bitonicsort {
namespace {

void host(HostSession& session) {
  const std::int64_t count = session.size("keys");
  const auto first_stage = static_cast<std::int32_t>(session.size("first_stage"));
  if (first_stage > 0) {
    // Result of the earlier stages: runs sorted alternately in ascending and descending order.
    auto keys = session.read<std::uint32_t>("keys");
    const std::int64_t run = std::int64_t{1} << first_stage;
    for (std::int64_t begin = 0; begin < count; begin += run) {
      const auto from = keys.begin() + begin;
      if (begin / run % 2 == 0) {
        std::sort(from, from + run);
      } else {
        std::sort(from, from + run, std::greater<>());
      }
    }
    session.write("keys", keys);
  }
  for (std::int32_t stage = first_stage; (std::int64_t{1} << stage) < count; ++stage) {
    session.set("stage", stage);
    for (std::int32_t pass = stage; pass >= 0; --pass) {
      session.set("pass", pass);
      session.launch("bitonic_pass");
    }
  }
}

std::vector<Expectation> reference(const Inputs& in) {
  std::vector<std::uint32_t> keys = in.values<std::uint32_t>("keys").vector();
  std::sort(keys.begin(), keys.end());
  return {{"keys", [keys](std::uint64_t i) { return Element64::exactly(keys[i]); }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_bitonicsort
