// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policies/core_selector.h"
#include "policies/miss_routing.h"
#include "policies/sharing_predictor.h"

namespace tessera {

/// RP(C, S, P): probes of the misses that a PC-based predictor expects in other cores (remote-core
/// paper, sections III-E and IV-B).
class RealisticProbing final : public MissRouting {
 public:
  RealisticProbing(const MissRoutingContext& context, const ProbeRate& rate, std::uint32_t pcs)
      : planner_(context.core, context.cores, rate), predictor_(pcs) {}

  ProbeTargets route(const ReadMiss& miss) override {
    if (!predictor_.predict(miss.pc)) return {};
    return planner_.plan(miss.cycle);
  }
  void supplied(std::uint32_t core, std::uint32_t pc) override {
    planner_.supplied(core);
    predictor_.supplied(pc);
  }

 private:
  ProbePlanner planner_;
  SharingPredictor predictor_;
};

}  // namespace tessera
