// SPDX-License-Identifier: Apache-2.0
// "ip": IP(C, S, P), probing with a perfect sharing predictor (remote-core paper, section III-B).
#include "policies/core_selector.h"
#include "policies/miss_routing.h"

namespace tessera::miss_routing::ip {

namespace {

class IdealPrediction final : public MissRouting {
 public:
  IdealPrediction(const MissRoutingContext& context, const ProbeRate& rate)
      : context_(context), planner_(context.core, context.cores, rate) {}

  ProbeTargets route(const ReadMiss& miss) override {
    if (context_.holders(miss.line).empty()) return {};
    return planner_.plan(miss.cycle);
  }
  void supplied(std::uint32_t core, std::uint32_t) override { planner_.supplied(core); }

 private:
  const MissRoutingContext context_;
  ProbePlanner planner_;
};

std::unique_ptr<MissRouting> make(const MissRoutingContext& context, const ProbeRate& rate) {
  check_coverage("miss_routing.ip.coverage", rate.coverage, context);
  return std::make_unique<IdealPrediction>(context, rate);
}

const PolicyRegistration<MissRouting> kRegistered(
    "ip",
    "IP(C, S, P): probes of the lines that other cores hold, by an oracle (remote-core III-B)",
    make);

}  // namespace

}  // namespace tessera::miss_routing::ip
