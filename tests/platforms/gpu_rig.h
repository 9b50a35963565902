// SPDX-License-Identifier: Apache-2.0
#pragma once

// A whole GPU driven by kernels that are lists of loads, for timing laws.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platforms/simulation.h"
#include "platforms/system.h"

namespace tessera::test {

/// An access of a ListKernel's warp: 4 bytes a lane, of the first `lanes` lanes, from `address` on.
struct ListAccess {
  Address address = 0;
  AccessKind kind = AccessKind::kLoad;  ///< or kStore
  unsigned lanes = kWarpLanes;
};

/// A kernel of one warp per CTA that loads from (or stores to) the given virtual addresses one
/// after the other, each load waiting for the one before it (or not).
class ListKernel final : public KernelProgram {
 public:
  /// `lists[i]`: accesses of CTA i.
  /// `read_only`: the loads say that no one writes what they load.
  ListKernel(std::vector<std::vector<ListAccess>> lists, bool dependent, bool read_only = false);
  /// Loads of all lanes.
  ListKernel(const std::vector<std::vector<Address>>& lists, bool dependent,
             bool read_only = false);

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
  const std::vector<std::vector<ListAccess>> lists_;
  const std::string name_ = "list";
  const bool read_only_;
  std::uint64_t last_issue_ = 0;
  std::vector<OpInfo> loads_;
  OpInfo store_;
  OpInfo exit_;
};

/// A GPU of a preset (or several: then SMs are numbered through all of them) with overrides,
/// prefaulted and without cost for translation beyond the first touch of a page.
class GpuRig {
 public:
  explicit GpuRig(const std::string& preset, const std::vector<std::string>& sets = {},
                  const BuildOptions& build = {true, false});

  System& system() { return *system_; }
  const GpuConfig& config() const { return config_.gpu; }
  TransactionPool& pool() { return pool_; }

  /// Runs a kernel to its end and returns the cycles from its launch to its last CTA's end.
  std::uint64_t run(KernelProgram& kernel);
  /// Sum of a counter over all modules of a kind.
  std::uint64_t sum(const std::string& kind, const std::string& counter) const {
    return registry_.sum(kind, counter);
  }
  /// Any statistic of a module, by its name within the GPU (or GPUs: "gpu1.rdma"). `field`: of a
  /// statistic with several ("sum", "count").
  double value(const std::string& module, const std::string& statistic,
               const char* field = nullptr) const;
  /// Cycles that all loads so far have taken together, and how many they were.
  std::uint64_t load_cycles() const;
  std::uint64_t loads() const;
  /// Cycles of `accesses`, one after the other on one SM with nobody else about: a kernel of its
  /// own.
  std::uint64_t cycles_of(const std::vector<ListAccess>& accesses, std::uint32_t sm = 0,
                          bool read_only = false);
  /// Latency of a single load of SM 0.
  std::uint64_t latency_of(Address line, bool read_only = false) {
    return cycles_of({{line}}, 0, read_only);
  }

 private:
  ResolvedConfig config_;
  TransactionPool pool_;
  std::unique_ptr<System> system_;
  StatisticsRegistry registry_;
};

}  // namespace tessera::test
