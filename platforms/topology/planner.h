// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "modules/noc/planned_network.h"
#include "modules/plan/plan.h"
#include "modules/umh/coherence_place.h"
#include "platforms/topology/tree.h"

namespace tessera {

struct GpuConfig;

/// A block's name: its kind and its number.
std::string numbered(const char* kind, std::uint32_t i);

/// Builds a plan. Contains the common parts of all shapes: a GPU's channels, slices, L1s and SMs,
/// its connection to the page tables, and the networks between modules.
class Planner {
 public:
  /// `config` outlives it.
  explicit Planner(const GpuConfig& config);

  /// One side of a link.
  struct Socket {
    PlannedBlockId block = 0;
    unsigned number = 0;
  };
  /// A GPU under construction.
  struct Gpu {
    std::uint32_t number = 0;
    std::uint32_t node = 0;
    std::uint32_t sms = 0;
    std::uint32_t slices = 0;
    std::uint32_t channels = 0;
    /// Nodes of its partitions, or of its modules, or its own node. SMs, slices and channels are
    /// spread over them evenly, neighbours together.
    std::vector<std::uint32_t> leaves;
    std::vector<PlannedBlockId> drams;
    std::vector<PlannedBlockId> llcs;
    std::vector<PlannedBlockId> l1s;
    std::vector<PlannedBlockId> probes;  ///< of the L1s, if misses can go to other cores
    PlannedBlockId l2_tlb = 0;
    PlannedBlockId iommu_link = 0;  ///< with gateways: to the shared walker
    /// With gateways: the exits of the GPU's networks for requests to other GPUs'
    /// lines, one per port of its RDMA engine. Set by join().
    std::vector<Socket> egress;
  };
  /// Connections of a shape's slices beside the one to their channel.
  struct Slices {
    std::string role = "home";
    unsigned remote_inputs = 0;
    bool to_others = false;  ///< a second output: to other slices, or to the cores
  };

  const GpuConfig& config() const { return config_; }
  const Tree& tree() const { return tree_; }
  /// Whether GPUs reach each other's memory by gateways, as the tree's level of GPUs says.
  bool gateways() const;
  bool modules() const { return find_level(tree_, NodeLevel::kModule) != nullptr; }
  PlatformPlan take() { return std::move(plan_); }

  /// Adds GPU `number` of the system, without blocks: its modules, and the partitions of each, if
  /// there are several.
  Gpu add_gpu(std::uint32_t number);
  /// The lowest node that contains all GPUs, for the blocks that they share. Precondition: all GPUs
  /// are added.
  std::uint32_t common_node() const;
  /// Adds the engines without sockets that serve the whole system, according to the policies.
  /// `node`: the common node.
  void add_engines(std::uint32_t node);
  /// Adds the engines of one GPU, unless they serve the whole system.
  void add_gpu_engines(const Gpu& gpu);
  void add_memory(Gpu& gpu, const Slices& slices);
  void add_sms(Gpu& gpu);
  /// Adds a GPU's L2 TLB; its SMs are added later (add_sms()).
  void add_l2_tlb(Gpu& gpu);
  /// Adds the walker and the driver of all GPUs, at `node`.
  void add_page_tables(std::uint32_t node, const std::vector<Gpu>& gpus);
  void add_dispatcher(std::uint32_t node);

  PlannedBlockId add(const std::string& kind, const std::string& name, std::uint32_t node,
                     std::uint32_t gpu, unsigned inputs, unsigned outputs);
  /// `exit_of`: exit by home slice; empty: exit 0.
  PlannedBlockId add_network(const std::string& name, std::uint32_t node, std::uint32_t gpu,
                             PlannedNetwork network, unsigned entries, unsigned exits,
                             const std::function<std::uint32_t(std::uint32_t slice)>& exit_of);
  /// The network between a GPU's L1s or slices and its slices: noc.kind. `shared_nodes`: its
  /// ingress and egress ports of one number are ports of one node.
  PlannedNetwork gpu_network(bool shared_nodes) const;
  unsigned inputs_of(PlannedBlockId block) const { return plan_.blocks[block].inputs; }
  void link(Socket from, Socket to) {
    plan_.links.push_back({from.block, from.number, to.block, to.number});
  }

  PlannedBlock& block(PlannedBlockId id) { return plan_.blocks[id]; }
  PlannedNetwork& network(PlannedBlockId id) { return block(id).as<PlannedNetwork>(); }
  /// The place of a cache or a directory of a coherent hierarchy, and of a coherence link.
  umh::CoherencePlace& place(PlannedBlockId id) { return details<umh::CoherencePlace>(block(id)); }
  umh::CoherenceLinkPlace& link_place(PlannedBlockId id) {
    return details<umh::CoherenceLinkPlace>(block(id));
  }
  /// A coherence connection, from a parent socket of a child to a child socket of its parent.
  void link_coherence(Socket child, Socket parent) {
    plan_.coherence.push_back({child.block, child.number, parent.block, parent.number});
  }

  /// Connects `from` (in order, the same number in each module) to the slices' inputs from `input`
  /// on, by one crossbar or by the networks of the module level. With gateways, the crossbars' last
  /// exits are `gpu.egress`.
  void join(Gpu& gpu, const std::vector<Socket>& from, unsigned input);
  /// Exits of a crossbar of SMs or slices. Each of `own` slices from `first` on has one exit. The
  /// next `beyond` exits lead to the GPU's other slices, and the last `egress` exits to other GPUs,
  /// selected by the slice's number.
  struct Exits {
    std::uint32_t first = 0;
    std::uint32_t own = 0;
    std::uint32_t beyond = 0;
    std::uint32_t egress = 0;
  };
  std::function<std::uint32_t(std::uint32_t slice)> exit_of(const Gpu& gpu, Exits exits) const;
  /// The node of a GPU's module.
  std::uint32_t module_node(const Gpu& gpu, std::uint32_t module) const;

  /// Puts a block of a kind into each link of a class of traffic: its target socket gets the
  /// requests of the link's initiator. Throws InputError if there is no such link or kind.
  void insert(const std::string& traffic, const std::string& kind);

  /// Reports the traffic of that name. If `by_entries` is set, the peak of both directions is the
  /// bandwidth of the entries; otherwise each direction's peak is the bandwidth of its exits.
  void report(const std::string& traffic, bool by_entries = false);
  /// The links between GPUs, one figure for both directions.
  void report_fabric(double bytes_per_second);
  /// Traffic with a peak of its own.
  void report_traffic(const PlannedTraffic& traffic) { plan_.traffic.push_back(traffic); }
  void set_locality(Locality locality) { plan_.locality = locality; }

 private:
  /// The details of a block, which gets them if it has none.
  template <class Details>
  static Details& details(PlannedBlock& b) {
    if (!b.details.has_value()) b.details = Details{};
    return b.as<Details>();
  }
  std::uint32_t add_node(NodeLevel level, std::uint32_t parent, std::uint32_t number);
  std::uint32_t leaf(const Gpu& gpu, std::uint32_t i, std::uint32_t of) const;

  const GpuConfig& config_;
  const Tree tree_;
  PlatformPlan plan_;
  std::map<std::string, std::uint32_t> of_kind_;
};

}  // namespace tessera
