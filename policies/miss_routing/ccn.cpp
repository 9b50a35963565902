// SPDX-License-Identifier: Apache-2.0
// "ccn": the Cooperative Caching Network as the remote-core paper emulates it (section IV-B): all
// other cores in the order of their numbers, under the sharing predictor.
#include "policies/realistic_probing.h"

namespace tessera::miss_routing::ccn {

namespace {

std::unique_ptr<MissRouting> make(const MissRoutingContext& context) {
  const ProbeRate rate = {context.cores - 1, 1, 1, CoreOrder::kIndex, 1};
  return std::make_unique<RealisticProbing>(context, rate, 64);
}

const PolicyRegistration<MissRouting> kRegistered(
    "ccn", "RP(all, 1, 1) by index, for a Cooperative Caching Network (remote-core section IV-B)",
    make);

}  // namespace

}  // namespace tessera::miss_routing::ccn
