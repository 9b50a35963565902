// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/sm_config.h"

#include "common/legal_values.h"

namespace tessera {

std::vector<std::string> SmConfig::validate() const {
  std::vector<std::string> errors;
  if (max_warps == 0 || max_warps > 64) errors.emplace_back("sm.max_warps must be 1 to 64");
  if (schedulers == 0 || schedulers > max_warps) {
    errors.push_back("sm.schedulers (" + std::to_string(schedulers) +
                     ") must be 1 to sm.max_warps (" + std::to_string(max_warps) + ")");
  }
  if (max_threads > max_warps * 32) {
    errors.push_back("sm.max_threads (" + std::to_string(max_threads) +
                     ") must not exceed 32 x sm.max_warps (" + std::to_string(max_warps) +
                     "): " + std::to_string(max_warps * 32) + " at most, or sm.max_warps of " +
                     std::to_string((max_threads + 31) / 32));
  }
  if (shared_banks == 0 || shared_banks > 64)
    errors.emplace_back("sm.shared_banks must be 1 to 64");
  constexpr std::uint64_t kMostPageBytes = std::uint64_t{1} << 40;
  require_power_of_two(errors, "system.page_bytes", page_bytes, 4096, kMostPageBytes);
  return errors;
}

void describe(ParameterVisitor& v, SmConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "core clock (NUBA Table 1)", 1'000'000, 100'000'000'000);
  v.integer("max_warps", c.max_warps, "warp", "resident warps (NUBA Table 1)", 1, 64);
  v.integer("max_threads", c.max_threads, "thread", "resident threads (NUBA Table 1)", 32, 2048);
  v.integer("max_ctas", c.max_ctas, "CTA", "resident CTAs (ours, as GPGPU-Sim's SM7_QV100)", 1, 64);
  v.integer("registers", c.registers, "register",
            "32-bit registers (ours, as GPGPU-Sim's SM7_QV100)", 1024, 1 << 24);
  v.integer("shared_bytes", c.shared_bytes, "byte", "shared memory (NUBA Table 1)", 0, 1 << 24);
  v.integer("schedulers", c.schedulers, "scheduler", "warp schedulers (NUBA Table 1)", 1, 8);
  v.text("warp_scheduler", c.warp_scheduler.name,
         "which of the warps that can issue does: greedy-then-oldest (gto, NUBA Table 1), loose "
         "round-robin (lrr)",
         policy_names<WarpScheduler>(), {"scheduling"});
  v.integer("alu_latency", c.alu_latency, "cycle",
            "integer, logic and f32 result latency (ours, as GPGPU-Sim's SM7_QV100)", 1, 1000);
  v.integer("alu_interval", c.alu_interval, "cycle",
            "cycles between ALU issues of a scheduler (NUBA Table 1: 32 lanes)", 1, 64);
  v.integer("int_mul_latency", c.int_mul_latency, "cycle", "integer multiply latency (ours)", 1,
            1000);
  v.integer("int_mul_interval", c.int_mul_interval, "cycle",
            "cycles between integer multiplies of a scheduler (ours)", 1, 64);
  v.integer("fp64_latency", c.fp64_latency, "cycle", "f64 latency (ours)", 1, 1000);
  v.integer("fp64_interval", c.fp64_interval, "cycle",
            "cycles between f64 issues of a scheduler (ours)", 1, 64);
  v.integer("sfu_latency", c.sfu_latency, "cycle", "special-function latency (ours)", 1, 1000);
  v.integer("sfu_interval", c.sfu_interval, "cycle",
            "cycles between special-function issues of a scheduler (ours)", 1, 64);
  v.integer("shared_latency", c.shared_latency, "cycle",
            "shared-memory load latency without conflicts (ours)", 1, 1000);
  v.integer("shared_banks", c.shared_banks, "bank", "shared-memory banks of 4 bytes (ours)", 1, 64);
  v.integer("constant_latency", c.constant_latency, "cycle",
            "constant and parameter load latency (ours)", 1, 1000);
  v.integer(
      "wait_limit", c.wait_limit, "cycle",
      "longest wait of an mbarrier.try_wait, which then returns false (ours; PTX ISA: a limit "
      "that depends on the system)",
      1, 1'000'000);
  v.integer("lsu_queue_depth", c.lsu_queue_depth, "access",
            "warp accesses that wait for the L1 port (ours)", 1, 1024);
  v.integer("lsu_outstanding", c.lsu_outstanding, "access",
            "warp accesses in flight, stores included (ours)", 1, 4096);
  v.integer("tlb_entries", c.tlb_entries, "entry", "L1 TLB entries (NUBA Table 1)", 1, 65536);
  v.integer("tlb_latency", c.tlb_latency, "cycle",
            "L1 TLB latency, paid by every access on its way to the L1 (NUBA Table 1)", 1, 100);
  v.integer("tlb_mshr_entries", c.tlb_mshr_entries, "page",
            "pages being translated at a time (ours)", 1, 1024, {"tlb_misses"});
  v.flag(
      "ideal_translation", c.ideal_translation,
      "translations of mapped pages take no time and no bandwidth, as in simulators without TLBs "
      "(GPGPU-Sim); the first access to a page still goes to the MMU");
}

}  // namespace tessera
