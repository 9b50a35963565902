// SPDX-License-Identifier: Apache-2.0
#include "modules/mdr/mdr_config.h"

namespace tessera {

std::vector<std::string> MdrConfig::validate() const {
  std::vector<std::string> errors;
  if (clock_hz == 0) errors.emplace_back("mdr.clock_hz must be at least 1");
  if (evaluation_cycles == 0 || evaluation_cycles >= epoch_cycles) {
    errors.push_back("mdr.evaluation_cycles (" + std::to_string(evaluation_cycles) +
                     ") must be at least 1 and below mdr.epoch_cycles (" +
                     std::to_string(epoch_cycles) +
                     "): a decision takes effect before the next one is made, so that "
                     "mdr.epoch_cycles is " +
                     std::to_string(std::uint64_t{evaluation_cycles} + 1) + " at least");
  }
  if (sampled_sets == 0) errors.emplace_back("mdr.sampled_sets must be at least 1");
  return errors;
}

std::vector<std::string> MdrConfig::validate(std::uint32_t sets, std::uint32_t slices) const {
  std::vector<std::string> errors = validate();
  if (sampled_sets > sets) {
    errors.push_back("mdr.sampled_sets (" + std::to_string(sampled_sets) +
                     ") must be at most llc.sets (" + std::to_string(sets) + ")");
  }
  if (sampled_slice >= slices) {
    errors.push_back("mdr.sampled_slice (" + std::to_string(sampled_slice) +
                     ") must be below the number of slices: 0 to " + std::to_string(slices - 1));
  }
  return errors;
}

void describe(ParameterVisitor& v, MdrConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the engine (NUBA Table 1)", 1'000'000,
            100'000'000'000);
  v.integer("epoch_cycles", c.epoch_cycles, "cycle", "length of an epoch (NUBA section 5.1)", 2,
            std::uint64_t{1} << 40);
  v.integer("evaluation_cycles", c.evaluation_cycles, "cycle",
            "end of an epoch to its decision's effect (NUBA section 5.1)", 1, 1'000'000);
  v.integer("sampled_sets", c.sampled_sets, "set", "sets that are profiled (NUBA section 5.1)", 1,
            1 << 20);
  v.integer("sampled_slice", c.sampled_slice, "",
            "the slice whose sets are profiled (NUBA section 5.1: one; which is ours)", 0, 65535);
  v.flag("transient_costs", c.transient_costs,
         "the estimate of full replication includes cold copies and the flush at kernel ends "
         "(ours; not in the paper's model)");
}

}  // namespace tessera
