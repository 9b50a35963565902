// SPDX-License-Identifier: Apache-2.0
// "rp": RP(C, S, P), realistic probing (remote-core paper, section IV-B).
#include "policies/realistic_probing.h"

namespace tessera::miss_routing::rp {

namespace {

struct Parameters {
  ProbeRate rate = {5, 2, 0.5, CoreOrder::kSupplier, 8192};
  std::uint32_t pcs = 64;
};

void describe(ParameterVisitor& v, Parameters& p) {
  describe(v, p.rate);
  v.integer("pcs", p.pcs, "PC", "entries of the sharing predictor (remote-core section III-F)", 1,
            65536);
}

std::unique_ptr<MissRouting> make(const MissRoutingContext& context, const Parameters& p) {
  check_coverage("miss_routing.rp.coverage", p.rate.coverage, context);
  return std::make_unique<RealisticProbing>(context, p.rate, p.pcs);
}

const PolicyRegistration<MissRouting> kRegistered(
    "rp", "RP(C, S, P): probes by a PC-based sharing predictor (remote-core section IV-B)", make);

}  // namespace

}  // namespace tessera::miss_routing::rp
