// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stimuli/device_memory.h"
#include "stimuli/warp_program.h"

namespace tessera::bench {

struct StreamConfig {
  std::uint32_t ctas = 512;
  std::uint32_t warps_per_cta = 8;
  std::uint32_t loads_per_warp = 16;
  Address base = Allocations::kBase;
};

/// A kernel of loads of 128 bytes, each to its own address. Each load is one L1 miss served by
/// DRAM, or two if lines have 64 bytes. A CTA reads a contiguous range, like a grid-stride copy
/// under distributed scheduling. Without values.
class StreamKernel final : public KernelProgram {
 public:
  explicit StreamKernel(const StreamConfig& config);

  const std::string& name() const override { return name_; }
  Dim3 grid() const override { return {config_.ctas, 1, 1}; }
  Dim3 block() const override { return {config_.warps_per_cta * kWarpLanes, 1, 1}; }
  CtaResources resources() const override;
  unsigned register_names() const override { return kDestinations; }
  std::unique_ptr<CtaProgram> start_cta(CtaId cta) override;

  /// Size of the range from the base; a CTA's part is contiguous.
  std::uint64_t bytes() const {
    return std::uint64_t{config_.ctas} * config_.warps_per_cta * config_.loads_per_warp * kLine;
  }

 private:
  class Warp;
  class Cta;
  /// Concurrent loads of a warp, as many as in a vector addition.
  static constexpr unsigned kDestinations = 2;
  static constexpr std::uint64_t kLine = 128;

  const StreamConfig config_;
  const std::string name_ = "stream";
  std::array<OpInfo, kDestinations> loads_;
  OpInfo exit_;
};

}  // namespace tessera::bench
