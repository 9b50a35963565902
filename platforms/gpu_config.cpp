// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_config.h"

#include "platforms/block_factory.h"
#include "policies/address_map.h"
#include "policies/page_placement.h"

namespace tessera {

MemoryGeometry GpuConfig::geometry() const {
  MemoryGeometry g;
  g.channels = system.channels;
  g.slices_per_channel = system.slices_per_channel;
  g.banks_per_channel = dram.banks;
  g.row_bytes = dram.row_bytes;
  g.line_bytes = system.line_bytes;
  g.page_bytes = system.page_bytes;
  g.channel_bytes = system.channel_bytes;
  return g;
}

void GpuConfig::propagate() {
  sm.line_bytes = l1.line_bytes = llc.line_bytes = system.line_bytes;
  sm.page_bytes = system.page_bytes;
}

std::vector<std::string> GpuConfig::validate() const {
  std::vector<std::string> errors;
  const auto add = [&errors](std::vector<std::string> more) {
    for (std::string& e : more) errors.push_back(std::move(e));
  };
  add(geometry().errors());
  add(sm.validate());
  add(l1.validate());
  add(noc.validate(system.sms, system.slices()));
  add(llc.validate());
  add(dram.validate());
  add(l2_tlb.validate());
  add(walker.validate());
  add(uvm.validate());
  if (sm.clock_hz != l1.clock_hz) {
    errors.emplace_back("l1.clock_hz must equal sm.clock_hz: an SM and its L1 share a clock");
  }
  return errors;
}

void describe(ParameterVisitor& v, SystemConfig& c) {
  v.text("topology", c.topology, "how the blocks are wired", {"uba-mem"});
  v.integer("sms", c.sms, "SM", "streaming multiprocessors (NUBA Table 1)", 1, 1024);
  v.integer("channels", c.channels, "channel", "DRAM channels (NUBA section 6)", 1, 1024);
  v.integer("slices_per_channel", c.slices_per_channel, "slice",
            "LLC slices in front of a channel (NUBA section 6)", 1, 16);
  v.integer("line_bytes", c.line_bytes, "byte", "cache line (NUBA Table 1)", 32, kMaxLineBytes);
  v.integer("page_bytes", c.page_bytes, "byte", "page (NUBA section 6)", 4096, 1 << 30);
  v.integer("channel_bytes", c.channel_bytes, "byte",
            "memory of a channel (ours: 16 GiB over 32 channels)", 1 << 20, std::uint64_t{1} << 40);
  v.text("address_map", c.address_map, "address -> slice, channel, bank, row (NUBA section 2)",
         address_map_names());
  v.integer("address_map_seed", c.address_map_seed, "",
            "chooses the random matrices of the address map (ours)", 0, ~std::uint32_t{0});
  v.text("page_placement", c.page_placement,
         "where a page lives (NUBA names no policy for UBA; ours)", page_placement_names());
  v.integer("watchdog_cycles", c.watchdog_cycles, "cycle",
            "cycles without any progress after which a run is stopped (ours)", 1000,
            std::uint64_t{1} << 40);
  v.integer("cycle_limit", c.cycle_limit, "cycle",
            "cycles of one kernel after which a run is stopped; 0 = none (ours)", 0,
            std::uint64_t{1} << 50);
}

void describe(ParameterVisitor& v, ImplementationConfig& c) {
  v.text("l1", c.l1, "implementation of the L1 caches", block_implementations("l1"));
  v.text("noc", c.noc, "implementation of the crossbar", block_implementations("noc"));
  v.text("llc", c.llc, "implementation of the LLC slices", block_implementations("llc"));
  v.text("dram", c.dram, "implementation of the DRAM channels", block_implementations("dram"));
}

void describe(ParameterVisitor& v, GpuConfig& c) {
  const auto group = [&v](const char* name, const char* description, auto& config) {
    v.enter(name, description);
    describe(v, config);
    v.leave();
  };
  group("system", "shape of the GPU, and what concerns more than one block", c.system);
  group("impl", "which implementation stands in for a kind of block", c.impl);
  group("sm", "streaming multiprocessors", c.sm);
  group("l1", "L1 data caches", c.l1);
  group("noc", "crossbar between L1s and LLC slices", c.noc);
  group("llc", "LLC slices", c.llc);
  group("dram", "DRAM channels", c.dram);
  group("l2_tlb", "shared L2 TLB", c.l2_tlb);
  group("walker", "page-table walkers", c.walker);
  group("uvm", "unified-memory driver", c.uvm);
  group("dispatch", "CTA dispatcher", c.dispatch);
}

}  // namespace tessera
