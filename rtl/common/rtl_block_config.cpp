// SPDX-License-Identifier: Apache-2.0
#include "rtl/common/rtl_block_config.h"

namespace tessera {

void describe(ParameterVisitor& v, RtlBlockConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the design (ours)", 1, 100'000'000'000);
  v.integer("entries", c.entries, "request", "requests held in front of the design (ours)", 1,
            1024);
  v.integer("ids", c.ids, "ID", "AXI4 IDs in use, of each direction (ours)", 1, 65536);
  v.integer("reads", c.reads, "request", "reads in the design, at most (ours)", 1, 4096);
  v.integer("writes", c.writes, "request", "writes in the design, at most (ours)", 1, 4096);
  v.flag("check", c.check, "a checker of the protocol's rules at each side of the design");
  v.integer("response_limit", c.response_limit, "cycle",
            "longest time until a handshake, or the next step of a transaction, in the design; 0: "
            "no limit (ours)",
            0, 1'000'000'000);
  v.flag("atomics", c.atomics,
         "atomics are performed in front of a ready/valid design: right only where no other way "
         "leads to the same lines");
  v.integer("quiet_cycles", c.quiet_cycles, "cycle",
            "clock edges after the last request, for a design without an output that says whether "
            "it is busy (ours)",
            1, 1'000'000);
}

void describe(StatisticsVisitor& v, RtlBlockStats& s) {
  v.counter("cycles", s.cycles, "cycle", "clock edges of the design that were evaluated");
  v.counter("violations", s.violations, "event",
            "broken rules of the protocols at the design's sides");
}

}  // namespace tessera
