// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/memory/dram_scheduler.h"

namespace tessera {

/// State of a row that no queued request uses.
enum class RowPolicy : std::uint8_t {
  kOpen,    ///< stays open until a request for another row of the bank
  kClosed,  ///< closed with its last column command
};

/// One DRAM channel and its controller. Defaults: HBM as in NUBA's Table 1. Every t_ is in clocks
/// of the memory; its comment names the two commands that it separates.
struct DramConfig {
  std::uint64_t clock_hz = 350'000'000;

  std::uint32_t banks = 16;
  std::uint32_t bank_groups = 4;
  std::uint32_t row_bytes = 2048;
  std::uint32_t bus_bytes_per_clock = 64;
  std::uint32_t burst_clocks = 1;  ///< data clocks of one column command

  std::uint32_t queue_entries = 64;
  std::uint32_t input_entries = 4;  ///< per port
  /// Clocks of the path and the pipeline in front of the queue, one request per clock and port.
  std::uint32_t pipeline_clocks = 0;

  std::uint32_t t_rc = 24;    ///< ACT -> ACT, same bank
  std::uint32_t t_rcd = 7;    ///< ACT -> column
  std::uint32_t t_rp = 7;     ///< PRE -> ACT
  std::uint32_t t_cl = 7;     ///< RD -> first data
  std::uint32_t t_wl = 2;     ///< WR -> first data
  std::uint32_t t_ras = 17;   ///< ACT -> PRE
  std::uint32_t t_rrd_l = 5;  ///< ACT -> ACT, other bank, same group
  std::uint32_t t_rrd_s = 4;  ///< ACT -> ACT, other group
  std::uint32_t t_faw = 20;   ///< ACT -> fifth ACT
  std::uint32_t t_rtp = 7;    ///< RD -> PRE
  std::uint32_t t_ccd_l = 1;  ///< column -> column, same group
  std::uint32_t t_ccd_s = 1;  ///< column -> column, other group
  std::uint32_t t_wtr_l = 4;  ///< last write data -> RD, same group
  std::uint32_t t_wtr_s = 2;  ///< last write data -> RD, other group
  std::uint32_t t_wr = 8;     ///< last write data -> PRE
  std::uint32_t t_rtw = 1;    ///< idle data clocks between read data and write data

  bool refresh = false;
  std::uint32_t t_refi = 1950;  ///< REF -> REF
  std::uint32_t t_rfc = 91;     ///< REF -> ACT

  PolicyChoice<DramScheduler> scheduler = {"fr-fcfs", {}};
  RowPolicy row_policy = RowPolicy::kOpen;

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;

  /// Column commands of one line, issued t_ccd_l apart.
  std::uint32_t columns(std::uint32_t line_bytes) const {
    const std::uint32_t column = bus_bytes_per_clock * burst_clocks;
    return line_bytes <= column ? 1 : line_bytes / column;
  }
  /// Clocks from the first to the last column command of one line.
  std::uint32_t span(std::uint32_t line_bytes) const { return (columns(line_bytes) - 1) * t_ccd_l; }
  /// Clocks from a line's first data to its last.
  std::uint32_t burst(std::uint32_t line_bytes) const { return span(line_bytes) + burst_clocks; }
  /// Clocks from a read's first column command to its last data: the command clock, CL, burst.
  std::uint32_t read_latency(std::uint32_t line_bytes) const {
    return 1 + t_cl + burst(line_bytes);
  }
  std::uint32_t write_latency(std::uint32_t line_bytes) const {
    return 1 + t_wl + burst(line_bytes);
  }
};

void describe(ParameterVisitor& v, DramConfig& c);

}  // namespace tessera
