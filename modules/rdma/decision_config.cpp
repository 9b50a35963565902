// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/decision_config.h"

namespace tessera {

std::vector<std::string> DecisionConfig::validate() const {
  std::vector<std::string> errors;
  if (clock_hz == 0) errors.emplace_back("decision.clock_hz must be at least 1");
  if (window_accesses == 0) errors.emplace_back("decision.window_accesses must be at least 1");
  return errors;
}

void describe(ParameterVisitor& v, DecisionConfig& c) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the decision engine (ours)", 1'000'000,
            100'000'000'000);
  v.integer("warmup_accesses", c.warmup_accesses, "access",
            "remote accesses of a GPU before its window (DualOpt section 5 has a warm-up; its "
            "length is ours)",
            0, kMost);
  v.integer("window_accesses", c.window_accesses, "access",
            "remote accesses of a GPU that are monitored (DualOpt section 4.3)", 1, kMost);
  v.integer("gpu_latency_ns", c.gpu_latency_ns, "ns",
            "of a GPU's report to the engine and of the verdict to a GPU; 0: immediate (DualOpt "
            "section 4.3 gives them no latency)",
            0, 1'000'000);
}

}  // namespace tessera
