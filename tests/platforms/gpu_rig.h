// SPDX-License-Identifier: Apache-2.0
#pragma once

// A whole GPU driven by kernels that are lists of loads, for timing laws.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platforms/gpu.h"
#include "platforms/simulation.h"

namespace tessera::test {

/// A kernel of one warp per CTA that loads the given virtual lines one after the other, each load
/// waiting for the one before it (or not).
class ListKernel final : public KernelProgram {
 public:
  /// `lists[i]`: addresses that CTA i loads; 4 bytes a lane, 32 lanes, from each.
  /// `read_only`: the loads say that no one writes what they load.
  ListKernel(std::vector<std::vector<Address>> lists, bool dependent, bool read_only = false);

  /// The SM's cycle in which the last load was issued.
  std::uint64_t last_issue() const { return last_issue_; }

  const std::string& name() const override { return name_; }
  Dim3 grid() const override { return {static_cast<std::uint32_t>(lists_.size()), 1, 1}; }
  Dim3 block() const override { return {kWarpLanes, 1, 1}; }
  CtaResources resources() const override { return {kWarpLanes, 16, 0}; }
  unsigned register_names() const override { return kIndependent; }
  std::unique_ptr<CtaProgram> start_cta(CtaId cta) override;

 private:
  class Cta;
  static constexpr unsigned kIndependent = 64;
  const std::vector<std::vector<Address>> lists_;
  const std::string name_ = "list";
  const bool read_only_;
  std::uint64_t last_issue_ = 0;
  std::vector<OpInfo> loads_;
  OpInfo exit_;
};

/// A GPU of a preset with overrides, prefaulted and without cost for translation beyond the first
/// touch of a page.
class GpuRig {
 public:
  explicit GpuRig(const std::string& preset, const std::vector<std::string>& sets = {},
                  const BuildOptions& build = {true, false});

  Gpu& gpu() { return *gpu_; }
  const GpuConfig& config() const { return config_.gpu; }
  TransactionPool& pool() { return pool_; }

  /// Runs a kernel to its end and returns the cycles from its launch to its last CTA's end.
  std::uint64_t run(KernelProgram& kernel);
  /// Sum of a counter over all modules of a kind.
  std::uint64_t sum(const std::string& kind, const std::string& counter) const {
    return registry_.sum(kind, counter);
  }
  /// Any statistic of a module, by its name within the GPU.
  double value(const std::string& module, const std::string& statistic) const {
    return registry_.to_json().at("gpu0." + module).at(statistic).get<double>();
  }
  /// Cycles that all loads so far have taken together, and how many they were.
  std::uint64_t load_cycles() const;
  std::uint64_t loads() const;
  /// Latency of a single load of SM 0: runs it as a kernel of its own.
  std::uint64_t latency_of(Address line, bool read_only = false);

 private:
  ResolvedConfig config_;
  TransactionPool pool_;
  std::unique_ptr<Gpu> gpu_;
  StatisticsRegistry registry_;
};

}  // namespace tessera::test
