// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platforms/topology/plan.h"

namespace tessera {

struct GpuConfig;

/// Collects a plan. What shapes have in common: a GPU's channels, slices, L1s and SMs, its way to
/// the page tables, and the networks of modules.
class Planner {
 public:
  explicit Planner(const GpuConfig& config);

  /// A GPU, or what there is of one so far.
  struct Gpu {
    std::uint32_t number = 0;
    std::uint32_t node = 0;
    std::uint32_t sms = 0;
    std::uint32_t slices = 0;
    std::uint32_t channels = 0;
    /// Nodes of its partitions, or of its modules, or its own: SMs, slices and channels are spread
    /// over them evenly, neighbours together.
    std::vector<std::uint32_t> leaves;
    std::vector<PlannedBlockId> drams;
    std::vector<PlannedBlockId> llcs;
    std::vector<PlannedBlockId> l1s;
    PlannedBlockId l2_tlb = 0;
  };
  /// One side of a link.
  struct Socket {
    PlannedBlockId block = 0;
    unsigned number = 0;
  };
  /// What slices of a shape have beside the way to their channel.
  struct Slices {
    SliceRole role = SliceRole::kHome;
    unsigned remote_inputs = 0;
    bool to_other_slices = false;  ///< a second output
  };

  const GpuConfig& config() const { return config_; }
  PlatformPlan take() { return std::move(plan_); }

  /// GPU `number` of the system, without blocks: modules and `partitions` of each, where there are
  /// several.
  Gpu add_gpu(std::uint32_t number, std::uint32_t partitions);
  /// Engines that have no sockets, as the policies ask. `node`: the GPU, or the system of several.
  void add_engines(std::uint32_t node);
  void add_memory(Gpu& gpu, const Slices& slices);
  void add_sms(Gpu& gpu);
  /// L2 TLB of a GPU; its SMs come later (add_sms()).
  void add_l2_tlb(Gpu& gpu);
  /// Walker and driver for all GPUs, at `node`.
  void add_page_tables(std::uint32_t node, const std::vector<Gpu>& gpus);
  void add_dispatcher(std::uint32_t node);

  PlannedBlockId add(BlockKind kind, const std::string& name, std::uint32_t node, std::uint32_t gpu,
                     unsigned inputs, unsigned outputs);
  /// `exit_of`: by home slice; empty: exit 0.
  PlannedBlockId add_network(const std::string& name, std::uint32_t node, std::uint32_t gpu,
                             PlannedNetwork network, unsigned entries, unsigned exits,
                             const std::function<std::uint32_t(std::uint32_t slice)>& exit_of);
  void link(Socket from, Socket to) {
    plan_.links.push_back({from.block, from.number, to.block, to.number});
  }

  /// Joins `from` (in order, the same number in each module) to the slices' inputs `input`: one
  /// crossbar, or one in each module and planes of switches between the modules. What comes from
  /// other modules has a crossbar of its own, to the slices' inputs `input + 1`: behind requests
  /// that wait to leave the module, modules that wait for each other would never go on.
  void join(const Gpu& gpu, const std::vector<Socket>& from, unsigned input);

  /// Reports traffic of that name. Of `by_entries`, both directions move what the entries can; else
  /// each what its exits can.
  void report(const std::string& traffic, bool by_entries = false);
  /// The links between GPUs, one figure for both directions.
  void report_fabric(double bytes_per_second);
  void set_locality(Locality locality) { plan_.locality = locality; }

 private:
  std::uint32_t add_node(NodeLevel level, std::uint32_t parent, std::uint32_t number);
  std::uint32_t leaf(const Gpu& gpu, std::uint32_t i, std::uint32_t of) const;

  const GpuConfig& config_;
  PlatformPlan plan_;
  std::vector<std::uint32_t> of_kind_;
};

}  // namespace tessera
