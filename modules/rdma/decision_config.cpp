// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/decision_engine.h"

namespace tessera {

std::vector<std::string> DecisionConfig::validate() const {
  std::vector<std::string> errors;
  if (clock_hz == 0) errors.emplace_back("decision.clock_hz must be at least 1");
  if (window_accesses == 0) errors.emplace_back("decision.window_accesses must be at least 1");
  const auto fraction = [&](double value, const char* name) {
    if (value >= 0 && value <= 1) return;
    errors.push_back(std::string("decision.") + name + " must be 0 to 1");
  };
  fraction(thresholds.remote, "remote_threshold");
  fraction(thresholds.block, "block_threshold");
  fraction(thresholds.hit, "hit_threshold");
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
  v.real("remote_threshold", c.thresholds.remote, "",
         "remote accesses over all, below which lines travel as before (DualOpt Table 1)", 0, 1);
  v.real("block_threshold", c.thresholds.block, "",
         "wanted pieces over all of a line's, below which coalescing may pay (DualOpt Table 1)", 0,
         1);
  v.real("hit_threshold", c.thresholds.hit, "",
         "L1 hit rate of remote loads, below which coalescing may pay (DualOpt Table 1)", 0, 1);
}

}  // namespace tessera
