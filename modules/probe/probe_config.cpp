// SPDX-License-Identifier: Apache-2.0
#include "modules/probe/probe_config.h"

#include "modules/kernel/configuration_errors.h"

namespace tessera {

std::vector<std::string> ProbeConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "probe.clock_hz", clock_hz, 100'000'000'000);
  require_from_one(errors, "probe.tracked", tracked, 4096);
  require_from_one(errors, "probe.timeout_cycles", timeout_cycles, 1 << 30);
  require_from_one(errors, "probe.incoming_depth", incoming_depth, 4096);
  require_from_one(errors, "probe.reply_depth", reply_depth, 4096);
  return errors;
}

void describe(ParameterVisitor& v, ProbeConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the engine: its core's (remote-core Table II)",
            1'000'000, 100'000'000'000);
  v.integer("tracked", c.tracked, "miss",
            "misses with probes in flight; further ones go to the L2 (remote-core section III-F)",
            1, 4096);
  v.integer("timeout_cycles", c.timeout_cycles, "cycle",
            "cycles after which a miss goes to the L2 although its probes have not returned "
            "(remote-core section III-F)",
            1, 1 << 30);
  v.integer("incoming_depth", c.incoming_depth, "probe",
            "probes of other cores that wait for the L1; further ones are deflected to their next "
            "core (ours: 8)",
            1, 4096);
  v.integer("reply_depth", c.reply_depth, "line",
            "lines for other cores that wait for the network (ours: 8)", 1, 4096);
}

}  // namespace tessera
