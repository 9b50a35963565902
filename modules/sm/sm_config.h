// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/sm/warp_scheduler.h"

namespace tessera {

/// A streaming multiprocessor. Defaults are from NUBA Table 1 if it has a value.
struct SmConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t max_warps = 64;
  std::uint32_t max_threads = 2048;
  std::uint32_t max_ctas = 32;
  std::uint32_t registers = 65536;
  std::uint32_t shared_bytes = 96 * 1024;
  std::uint32_t schedulers = 2;
  /// Selects the warp that issues.
  PolicyChoice<WarpScheduler> warp_scheduler = {"gto", {}};

  /// Result latency and issue interval of each unit, per scheduler.
  std::uint32_t alu_latency = 4;
  std::uint32_t alu_interval = 1;
  std::uint32_t int_mul_latency = 4;
  std::uint32_t int_mul_interval = 1;
  std::uint32_t fp64_latency = 8;
  std::uint32_t fp64_interval = 4;
  std::uint32_t sfu_latency = 20;
  std::uint32_t sfu_interval = 4;

  std::uint32_t shared_latency = 24;
  std::uint32_t shared_banks = 32;
  std::uint32_t constant_latency = 8;
  std::uint32_t wait_limit = 1000;

  std::uint32_t lsu_queue_depth = 8;
  std::uint32_t lsu_outstanding = 256;

  std::uint32_t tlb_entries = 128;
  std::uint32_t tlb_latency = 1;
  std::uint32_t tlb_mshr_entries = 32;
  /// Pages that are mapped are translated without time or traffic, as in simulators without TLBs
  /// (GPGPU-Sim). The first access to a page is translated by the MMU, which maps it.
  bool ideal_translation = false;

  std::uint32_t line_bytes = 128;
  std::uint64_t page_bytes = 4096;

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, SmConfig& c);

}  // namespace tessera
