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
  /// `config` outlives it.
  explicit Planner(const GpuConfig& config);

  /// One side of a link.
  struct Socket {
    PlannedBlockId block = 0;
    unsigned number = 0;
  };
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
    /// Of several GPUs: where requests for other GPUs' lines leave the GPU's networks, by the port
    /// of its RDMA engine. Filled in by join().
    std::vector<Socket> egress;
  };
  /// What slices of a shape have beside the way to their channel.
  struct Slices {
    std::string role = "home";
    unsigned remote_inputs = 0;
    bool to_other_slices = false;  ///< a second output
  };

  const GpuConfig& config() const { return config_; }
  const Tree& tree() const { return tree_; }
  bool several_gpus() const { return find_level(tree_, NodeLevel::kGpu) != nullptr; }
  bool modules() const { return find_level(tree_, NodeLevel::kModule) != nullptr; }
  PlatformPlan take() { return std::move(plan_); }

  /// GPU `number` of the system, without blocks: its modules, and the partitions of each, where
  /// there are several.
  Gpu add_gpu(std::uint32_t number);
  /// Engines that have no sockets and serve the whole system, as the policies ask. `node`: the
  /// GPU, or the system of several.
  void add_engines(std::uint32_t node);
  /// Those of one GPU, of several.
  void add_gpu_engines(const Gpu& gpu);
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
  unsigned inputs_of(PlannedBlockId block) const { return plan_.blocks[block].inputs; }
  void link(Socket from, Socket to) {
    plan_.links.push_back({from.block, from.number, to.block, to.number});
  }

  /// Joins `from` (in order, the same number in each module) to the slices' inputs from `input` on:
  /// by one crossbar, or as the level of modules does. Of several GPUs, the crossbars' last exits
  /// are `gpu.egress`.
  void join(Gpu& gpu, const std::vector<Socket>& from, unsigned input);
  /// Exits of a crossbar of SMs or slices: `own` slices from `first` on have one each; after them,
  /// `beyond` lead to the GPU's other slices, and `egress` to other GPUs, dealt by the slice's
  /// number.
  struct Exits {
    std::uint32_t first = 0;
    std::uint32_t own = 0;
    std::uint32_t beyond = 0;
    std::uint32_t egress = 0;
  };
  std::function<std::uint32_t(std::uint32_t slice)> exit_of(const Gpu& gpu, Exits exits) const;
  /// The node of a GPU's module.
  std::uint32_t module_node(const Gpu& gpu, std::uint32_t module) const;

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
  const Tree tree_;
  PlatformPlan plan_;
  std::vector<std::uint32_t> of_kind_;
};

}  // namespace tessera
