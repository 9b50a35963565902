// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_config.h"

#include <algorithm>
#include <sstream>

#include "common/legal_values.h"
#include "modules/memory/dram_timing.h"

namespace tessera {

namespace {

constexpr std::uint32_t kMinRowBytes = 32;
constexpr std::uint32_t kMaxRowBytes = 65'536;
constexpr std::uint32_t kMaxBusBytes = 1024;
constexpr std::uint32_t kMaxBurstClocks = 64;

class Errors {
 public:
  /// Adds the error message unless the condition holds.
  template <class... Parts>
  void unless(bool sound, const Parts&... parts) {
    if (sound) return;
    std::ostringstream out;
    (out << ... << parts);
    all.push_back(out.str());
  }
  std::vector<std::string> all;
};

}  // namespace

std::vector<std::string> DramConfig::validate() const {
  Errors e;
  e.unless(clock_hz >= 1 && clock_hz <= 1'000'000'000'000, "clock_hz must be 1 to 10^12, not ",
           clock_hz);
  require_power_of_two(e.all, "banks", banks, 1, kMaxBanks);
  require_power_of_two(e.all, "bank_groups", bank_groups, 1, kMaxBanks);
  e.unless(bank_groups <= banks, "bank_groups (", bank_groups, ") must not exceed banks (", banks,
           ")");
  require_power_of_two(e.all, "bus_bytes_per_clock", bus_bytes_per_clock, 1, kMaxBusBytes);
  require_power_of_two(e.all, "burst_clocks", burst_clocks, 1, kMaxBurstClocks);
  require_power_of_two(e.all, "row_bytes", row_bytes, kMinRowBytes, kMaxRowBytes);
  const std::uint64_t column = std::uint64_t{bus_bytes_per_clock} * burst_clocks;
  e.unless(row_bytes >= column, "row_bytes (", row_bytes,
           ") must hold a column, which is "
           "bus_bytes_per_clock (",
           bus_bytes_per_clock, ") x burst_clocks (", burst_clocks, "): row_bytes of ", column,
           ", bus_bytes_per_clock of ",
           std::max<std::uint64_t>(1, row_bytes / std::max(1U, burst_clocks)),
           " or burst_clocks of ",
           std::max<std::uint64_t>(1, row_bytes / std::max(1U, bus_bytes_per_clock)));
  e.unless(queue_entries >= 1 && queue_entries <= 4096, "queue_entries must be 1 to 4096, not ",
           queue_entries);
  e.unless(input_entries >= 1, "input_entries must be 1 or more");
  e.unless(t_ccd_s >= 1 && t_ccd_l >= t_ccd_s, "t_ccd_l (", t_ccd_l,
           ") must not be less than t_ccd_s (", t_ccd_s, "), nor either less than 1");
  e.unless(t_rrd_l >= t_rrd_s, "t_rrd_l (", t_rrd_l, ") must not be less than t_rrd_s (", t_rrd_s,
           ")");
  e.unless(t_wtr_l >= t_wtr_s, "t_wtr_l (", t_wtr_l, ") must not be less than t_wtr_s (", t_wtr_s,
           ")");
  e.unless(t_ras >= t_rcd, "t_ras (", t_ras, ") must not be less than t_rcd (", t_rcd, ")");
  e.unless(t_rc >= t_ras, "t_rc (", t_rc, ") must not be less than t_ras (", t_ras, ")");
  e.unless(t_faw >= t_rrd_s, "t_faw (", t_faw, ") must not be less than t_rrd_s (", t_rrd_s, ")");
  e.unless(!refresh || t_refi > t_rfc + t_rp + t_rc, "t_refi (", t_refi,
           ") leaves no time between refreshes of t_rp + t_rfc (", t_rp + t_rfc, "): more than ",
           std::uint64_t{t_rfc} + t_rp + t_rc, " expected, with t_rc (", t_rc, ")");
  return e.all;
}

DramScheduler::Context DramScheduler::example_context() {
  static const DramConfig config;
  static DramCommandCounts counts;
  return {&config, 128, &counts};
}

void describe(ParameterVisitor& v, DramConfig& c) {
  constexpr std::uint64_t kMaxClocks = 100'000;
  v.integer("clock_hz", c.clock_hz, "Hz", "memory clock (NUBA Table 1: 350 MHz)", 1,
            1'000'000'000'000);
  v.integer("banks", c.banks, "", "banks of the channel (NUBA Table 1)", 1, kMaxBanks);
  v.integer("bank_groups", c.bank_groups, "",
            "bank groups of the channel; bank = group x banks per group + index (HBM: 4)", 1,
            kMaxBanks);
  v.integer("row_bytes", c.row_bytes, "byte", "row buffer of a bank (JESD235, legacy mode)",
            kMinRowBytes, kMaxRowBytes);
  v.integer("bus_bytes_per_clock", c.bus_bytes_per_clock, "byte",
            "data bus: bytes a clock, both edges (NUBA Table 1: 720 GB/s over 32 channels)", 1,
            kMaxBusBytes);
  v.integer("burst_clocks", c.burst_clocks, "clock",
            "data clocks of one column command (ours: HBM 1, GDDR5 2, DDR4 4)", 1, kMaxBurstClocks);
  v.integer("queue_entries", c.queue_entries, "",
            "requests from arrival to response in the controller (NUBA Table 1)", 1, 4096);
  v.integer("input_entries", c.input_entries, "",
            "input buffer of each port, in front of the queue (ours)", 1, 4096);
  v.integer("pipeline_clocks", c.pipeline_clocks, "clock",
            "path and controller pipeline in front of the queue (ours: 0, the papers "
            "do not say; GPGPU-Sim's dram_latency is 100 core cycles)",
            0, 10'000);
  const auto clocks = [&v](const char* name, std::uint32_t& field, const char* what,
                           std::uint64_t min = 0) {
    v.integer(name, field, "clock", what, min, kMaxClocks);
  };
  clocks("t_rc", c.t_rc, "ACT to ACT of one bank (NUBA Table 1)");
  clocks("t_rcd", c.t_rcd, "ACT to column command (NUBA Table 1)");
  clocks("t_rp", c.t_rp, "PRE to ACT (NUBA Table 1)");
  clocks("t_cl", c.t_cl, "RD to first data (NUBA Table 1)");
  clocks("t_wl", c.t_wl, "WR to first data (NUBA Table 1)");
  clocks("t_ras", c.t_ras, "ACT to PRE (NUBA Table 1)");
  clocks("t_rrd_l", c.t_rrd_l, "ACT to ACT within a bank group (NUBA Table 1)");
  clocks("t_rrd_s", c.t_rrd_s, "ACT to ACT of another bank group (NUBA Table 1)");
  clocks("t_faw", c.t_faw, "window that may hold four ACTs (NUBA Table 1)");
  clocks("t_rtp", c.t_rtp, "RD to PRE (NUBA Table 1)");
  clocks("t_ccd_l", c.t_ccd_l, "column to column within a bank group (NUBA Table 1)", 1);
  clocks("t_ccd_s", c.t_ccd_s, "column to column of another bank group (NUBA Table 1)", 1);
  clocks("t_wtr_l", c.t_wtr_l, "end of write data to RD within a bank group (NUBA Table 1)");
  clocks("t_wtr_s", c.t_wtr_s, "end of write data to RD of another bank group (NUBA Table 1)");
  clocks("t_wr", c.t_wr, "end of write data to PRE (ours)");
  clocks("t_rtw", c.t_rtw, "idle data clocks when the bus turns from read to write (ours)");
  v.flag("refresh", c.refresh, "all-bank refresh (NUBA does not mention it: off)");
  clocks("t_refi", c.t_refi, "refresh interval (MGPUSim's HBM, at 500 MHz)", 1);
  clocks("t_rfc", c.t_rfc, "REF to ACT (ours: 260 ns at 350 MHz)");
  v.text("scheduler", c.scheduler.name, "which queued request's command goes when (ours)",
         policy_names<DramScheduler>());
  v.choice("row_policy", c.row_policy,
           "a row without queued requests stays open, or is closed (NUBA: not said; open)",
           {{"open", RowPolicy::kOpen}, {"closed", RowPolicy::kClosed}});
}

}  // namespace tessera
