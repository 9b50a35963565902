// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/uvm_driver_config.h"

namespace tessera {

std::vector<std::string> UvmDriverConfig::validate() const {
  std::vector<std::string> errors;
  if (clock_hz == 0) errors.emplace_back("uvm.clock_hz must be at least 1");
  if (fault_entries == 0) errors.emplace_back("uvm.fault_entries must be at least 1");
  if (queue_depth == 0) errors.emplace_back("uvm.queue_depth must be at least 1");
  if (fault_latency_ns > 1'000'000'000) {
    errors.emplace_back("uvm.fault_latency_ns must be at most 10^9");
  }
  return errors;
}

void describe(ParameterVisitor& v, UvmDriverConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the driver's port (ours)", 1'000'000,
            100'000'000'000);
  v.choice("mode", c.mode, "whether the first access to a page faults or finds it mapped (ours)",
           {{"fault", FaultMode::kFault}, {"prefaulted", FaultMode::kPrefaulted}});
  v.integer("fault_latency_ns", c.fault_latency_ns, "ns",
            "arrival of a fault to its response, eviction included (NUBA section 6)", 0,
            1'000'000'000);
  v.integer("concurrent_faults", c.concurrent_faults, "fault",
            "faults handled at a time, 0 = no limit (ours)", 0, 1 << 16);
  v.integer("fault_entries", c.fault_entries, "page", "pages with a pending fault (ours)", 1,
            1 << 20);
  v.integer("queue_depth", c.queue_depth, "entry", "requests that wait for a fault entry (ours)", 1,
            1 << 16);
}

}  // namespace tessera
