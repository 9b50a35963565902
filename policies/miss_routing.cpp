// SPDX-License-Identifier: Apache-2.0
#include "policies/miss_routing.h"

#include "common/error.h"

namespace tessera {

MissRouting::Context MissRouting::example_context() {
  MissRoutingContext c;
  c.holders = [](std::uint64_t) { return std::vector<std::uint32_t>{}; };
  c.hops = [](std::uint32_t) { return 1U; };
  return c;
}

void check_coverage(const std::string& path, std::uint32_t coverage,
                    const MissRoutingContext& context) {
  if (coverage >= 1 && coverage < context.cores) return;
  throw InputError(path + " is " + std::to_string(coverage) + "; expected 1 to " +
                   std::to_string(context.cores - 1) + " (the other cores of the GPU)");
}

}  // namespace tessera
