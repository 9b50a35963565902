// SPDX-License-Identifier: Apache-2.0
// What a platform consists of, before anything is built: every preset's plan is sound, and a walk
// along its links comes from each L1 to each home slice.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "common/json.h"
#include "modules/noc/planned_network.h"
#include "modules/plan/block_kind.h"
#include "modules/umh/sites.h"
#include "platforms/simulation.h"
#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"
#include "tests/support/temporary_file.h"

namespace tessera::plan_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// A plan with its links by their ends.
class Wires {
 public:
  explicit Wires(const PlatformPlan& plan) : plan_(plan) {
    for (const PlannedLink& l : plan.links) {
      const bool output_free = to_.emplace(std::pair(l.from, l.output), &l).second;
      const bool input_free = bound_.emplace(l.to, l.input).second;
      INFO(plan.path_of(plan.blocks[l.from]) << " -> " << plan.path_of(plan.blocks[l.to]));
      CHECK(output_free);
      CHECK(input_free);
      CHECK(l.output < plan.blocks[l.from].outputs);
      CHECK(l.input < plan.blocks[l.to].inputs);
    }
  }

  std::size_t inputs() const { return bound_.size(); }
  std::size_t outputs() const { return to_.size(); }
  PlannedLink from(PlannedBlockId block, unsigned output) const {
    const auto link = to_.find({block, output});
    REQUIRE(link != to_.end());
    return *link->second;
  }

  /// The blocks that a request passes from an L1 to its home slice, as each routes it.
  std::vector<PlannedBlockId> way(PlannedBlockId l1, std::uint32_t home,
                                  std::uint32_t slices_per_gpu) const {
    std::vector<PlannedBlockId> passed;
    PlannedLink at = from(l1, 0);
    while (passed.size() < 20) {
      passed.push_back(at.to);
      const PlannedBlock& b = plan_.blocks[at.to];
      unsigned output = 0;
      if (kind_of(b).is_network) {
        const std::vector<std::uint32_t>& exits = network_of(b).exits;
        output = exits.empty() ? 0 : exits.at(home);
      } else if (b.kind == "llc") {
        if (b.index == home) return passed;
        output = 1;
      } else if (b.kind == "rdma") {
        // To the home's GPU through the fabric, whose n-th output pair is the n-th GPU's; there, to
        // its slices.
        if (b.gpu != home / slices_per_gpu) output = 1;
      } else if (b.kind == "fabric") {
        output = 2 * (home / slices_per_gpu);
      }
      at = from(at.to, output);
    }
    return {};
  }

 private:
  const PlatformPlan& plan_;
  std::map<std::pair<PlannedBlockId, unsigned>, const PlannedLink*> to_;
  std::set<std::pair<PlannedBlockId, unsigned>> bound_;
};

std::string kinds_on(const PlatformPlan& plan, const std::vector<PlannedBlockId>& way) {
  std::string text;
  for (const PlannedBlockId id : way) {
    const PlannedBlock& b = plan.blocks[id];
    text += (text.empty() ? "" : " ") + (kind_of(b).is_network ? network_of(b).traffic : b.kind);
  }
  return text;
}

std::set<std::string> ways_of(const std::string& preset) {
  const GpuConfig config = resolve_config(preset, {}).gpu;
  const PlatformPlan plan = plan_of(config);
  const Wires wires(plan);
  std::set<std::string> ways;
  for (PlannedBlockId id = 0; id < plan.blocks.size(); ++id) {
    if (plan.blocks[id].kind != "l1") continue;
    for (std::uint32_t home = 0; home < config.system.slices(); ++home) {
      const auto way = wires.way(id, home, config.system.slices() / config.system.gpus);
      INFO(plan.path_of(plan.blocks[id]) << " to slice " << home);
      REQUIRE_FALSE(way.empty());
      ways.insert(kinds_on(plan, way));
    }
  }
  return ways;
}

using Ways = std::set<std::string>;

std::string own_tree() { return TESSERA_SOURCE_DIR "/docs/guide/examples/own-tree.json"; }

}  // namespace

TEST_CASE("every preset's plan binds each socket once, and its blocks have names of their own") {
  for (const PresetInfo& preset : platform_presets()) {
    CAPTURE(preset.name);
    const PlatformPlan plan = plan_of(resolve_config(preset.name, {}).gpu);
    std::set<std::string> names;
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::size_t parent_sockets = 0;
    std::size_t child_sockets = 0;
    for (const PlannedBlock& b : plan.blocks) {
      CHECK(names.insert(plan.path_of(b)).second);
      CHECK(plan.find(plan.path_of(b)) == &b);
      inputs += b.inputs;
      outputs += b.outputs;
      if (!kind_of(b).is_network) continue;
      for (const std::uint32_t exit : network_of(b).exits) CHECK(exit < b.outputs);
    }
    std::set<std::pair<PlannedBlockId, unsigned>> parents;
    std::set<std::pair<PlannedBlockId, unsigned>> children;
    for (const PlannedLink& l : plan.coherence) {
      CHECK(parents.emplace(l.from, l.output).second);
      CHECK(children.emplace(l.to, l.input).second);
      CHECK(l.output < parent_sockets_of(plan.blocks[l.from]));
      CHECK(l.input < child_sockets_of(plan.blocks[l.to]));
    }
    for (const PlannedBlock& b : plan.blocks) {
      parent_sockets += parent_sockets_of(b);
      child_sockets += child_sockets_of(b);
    }
    CHECK(parents.size() == parent_sockets);
    CHECK(children.size() == child_sockets);
    const Wires wires(plan);
    CHECK(wires.inputs() == inputs);
    CHECK(wires.outputs() == outputs);
    for (std::size_t i = 1; i < plan.nodes.size(); ++i) {
      CHECK(plan.nodes[i].parent < i);
      CHECK(plan.nodes[plan.nodes[i].parent].level < plan.nodes[i].level);
    }
  }
}

TEST_CASE("a plan leads from each L1 to each home slice: one GPU") {
  CHECK(ways_of("uba-mem-small") == Ways{"noc llc"});
  CHECK(ways_of("uba-sm-small") == Ways{"noc llc", "noc llc link llc"});
  CHECK(ways_of("nuba-small") == Ways{"p2p llc", "p2p llc noc llc"});
}

TEST_CASE("a plan leads from each L1 to each home slice: modules") {
  CHECK(ways_of("mcm-uba-small") == Ways{"noc llc", "noc mcm module_ingress_xbar llc"});
  CHECK(ways_of("mcm-nuba-small") ==
        Ways{"p2p llc", "p2p llc noc llc", "p2p llc noc mcm module_ingress_xbar llc"});
}

TEST_CASE("a plan leads from each L1 to each home slice: several GPUs") {
  CHECK(ways_of("dca-small") == Ways{"noc llc", "noc rdma fabric rdma ingress_xbar llc"});
  CHECK(ways_of("dualopt-small") ==
        Ways{"noc llc", "noc remote_cache rdma fabric rdma ingress_xbar llc"});
}

TEST_CASE("a plan leads from each L1 to each home slice: partitions in GPUs") {
  CHECK(ways_of("dualopt-nuba-small") ==
        Ways{"p2p llc", "p2p llc noc llc",
             "p2p llc noc remote_cache rdma fabric rdma ingress_xbar llc"});
}

TEST_CASE("a plan leads from each L1 to each home slice: modules in GPUs") {
  CHECK(ways_of("dca-mcm-small") == Ways{"noc llc", "noc ring module_ingress_xbar llc",
                                         "noc rdma fabric rdma ingress_xbar llc"});
}

TEST_CASE("a plan leads from each L1 to each home slice: partitions in modules in GPUs") {
  CHECK(ways_of(own_tree()) == Ways{"p2p llc", "p2p llc noc llc",
                                    "p2p llc noc ring module_ingress_xbar llc",
                                    "p2p llc noc remote_cache rdma fabric rdma ingress_xbar llc"});
}

TEST_CASE("the crossbar from the RDMA engine has its network's links, or links of its own") {
  const auto width = [](const std::vector<std::string>& sets) {
    const PlatformPlan plan = plan_of(resolve_config("dca-small", sets).gpu);
    CHECK(network_of(*plan.find("system.gpu1.noc")).noc.link_bytes == 128);
    return network_of(*plan.find("system.gpu1.ingress_xbar")).noc.link_bytes;
  };
  CHECK(width({}) == 128);
  CHECK(width({"system.rdma_link_bytes=72"}) == 72);
}

TEST_CASE("a module's share of the ways out of its GPU takes each other GPU's slice") {
  const GpuConfig config = resolve_config("dca-mcm-small", {"system.rdma_ports=4"}).gpu;
  const PlatformPlan plan = plan_of(config);
  const PlannedBlock& noc = *plan.find("system.gpu1.noc2");
  // A slice of its own, three ways to other modules' by two rings, one way out.
  REQUIRE(noc.outputs == 1 + 2 + 1);
  const std::vector<std::uint32_t>& exits = network_of(noc).exits;
  for (std::uint32_t home = 0; home < config.system.slices(); ++home) {
    CAPTURE(home);
    CHECK((exits[home] == 3) == (home / 4 != 1));
    CHECK((exits[home] == 0) == (home == 4 + 2));
  }
}

TEST_CASE("each GPU of several has an MDR engine, between its own blocks") {
  const PlatformPlan plan = plan_of(resolve_config("dualopt-nuba-small", {}).gpu);
  const auto engines = plan.of_kind("mdr");
  REQUIRE(engines.size() == 4);
  CHECK(plan.path_of(*engines[3]) == "system.gpu3.mdr");
  CHECK(engines[3]->gpu == 3);
}

TEST_CASE("a tree of levels has a node for each") {
  const PlatformPlan plan = plan_of(resolve_config(own_tree(), {}).gpu);
  std::map<NodeLevel, int> levels;
  for (const PlannedNode& n : plan.nodes) ++levels[n.level];
  CHECK(levels[NodeLevel::kGpu] == 2);
  CHECK(levels[NodeLevel::kModule] == 4);
  CHECK(levels[NodeLevel::kPartition] == 8);
  const PlannedBlock& slice = *plan.find("system.gpu1.llc3");
  CHECK(plan.nodes[slice.node].name == "system.gpu1.module1.partition3");
  CHECK(plan.nodes[plan.find("system.gpu1.p2p3")->node].name == "system.gpu1.module1.partition3");
}

TEST_CASE("a printed plan says each link's class of traffic and each network's kind") {
  const auto d = plan_of(resolve_config("dca-mcm-small", {}).gpu).to_json();
  std::set<std::string> traffic;
  for (const auto& l : d.at("links")) traffic.insert(l.at("traffic").get<std::string>());
  CHECK(traffic == std::set<std::string>{"fabric", "ingress_xbar", "iommu", "l1", "memory",
                                         "module_ingress_xbar", "noc", "ring", "translation"});
  std::set<std::string> kinds;
  for (const auto& b : d.at("blocks")) {
    if (b.contains("network")) kinds.insert(b.at("network").get<std::string>());
  }
  CHECK(kinds == std::set<std::string>{"crossbar", "ring"});
}

TEST_CASE("noc.kind mesh makes a mesh of the network to the slices, and of no other") {
  const auto kinds = [](const char* platform) {
    std::set<std::string> of;
    const PlatformPlan plan = plan_of(resolve_config(platform, {"noc.kind=mesh"}).gpu);
    for (const PlannedBlock* b : networks_of(plan)) {
      of.insert(network_of(*b).traffic + " " + name_of(network_of(*b).kind));
    }
    return of;
  };
  using Kinds = std::set<std::string>;
  CHECK(kinds("uba-mem-small") == Kinds{"noc mesh"});
  CHECK(kinds("uba-sm-small") == Kinds{"link point-to-point", "noc mesh"});
  CHECK(kinds("nuba-small") == Kinds{"noc mesh", "p2p point-to-point"});
  CHECK(kinds("dca-mcm-small") == Kinds{"ingress_xbar crossbar", "iommu crossbar",
                                        "module_ingress_xbar crossbar", "noc mesh", "ring ring"});
}

TEST_CASE("one line of a platform's file puts a preset on a mesh") {
  for (const char* base : {"uba-mem", "nuba"}) {
    const TemporaryFile file(R"({"base": ")" + std::string(base) +
                             R"(", "noc": {"kind": "mesh"}})");
    const PlatformPlan plan = plan_of(resolve_config(file.path(), {}).gpu);
    CHECK(network_of(*plan.find("system.gpu0.noc")).kind == NetworkKind::kMesh);
  }
}

TEST_CASE("slices of partitions have both ports at a router, SMs and slices one each") {
  const auto layout = [](const char* platform) {
    const PlatformPlan plan = plan_of(resolve_config(platform, {"noc.kind=mesh"}).gpu);
    const PlannedBlock& noc = *plan.find("system.gpu0.noc");
    return network_of(noc).mesh.layout(noc.inputs, noc.outputs);
  };
  const MeshLayout uba = layout("uba-mem");
  CHECK(uba.routers() == 128);
  CHECK(uba.width == 16);
  const MeshLayout nuba = layout("nuba");
  CHECK(nuba.routers() == 64);
  CHECK(nuba.entry_router == nuba.exit_router);
}

TEST_CASE("a plan's nodes are the tree: modules of a GPU, partitions of a module") {
  const PlatformPlan plan = plan_of(resolve_config("mcm-nuba-small", {}).gpu);
  std::map<NodeLevel, int> levels;
  for (const PlannedNode& n : plan.nodes) ++levels[n.level];
  const SystemConfig s = resolve_config("mcm-nuba-small", {}).gpu.system;
  CHECK(levels[NodeLevel::kSystem] == 1);
  CHECK(levels[NodeLevel::kGpu] == 1);
  CHECK(levels[NodeLevel::kModule] == static_cast<int>(s.modules));
  // Blocks of a partition share its node.
  const PlannedBlock& dram = *plan.find("system.gpu0.dram3");
  CHECK(plan.find("system.gpu0.llc" + std::to_string(3 * s.slices_per_channel))->node == dram.node);
  CHECK(plan.find("system.gpu0.sm" + std::to_string(3 * sms_per_partition(s)))->node == dram.node);
}

TEST_CASE("a run's statistics stand under the names of the plan") {
  const ResolvedConfig config = resolve_config("dualopt-small", {});
  const PlatformPlan plan = plan_of(config.gpu);
  Simulation simulation(config);
  std::set<std::string> listed;
  for (const StatisticInfo& s : simulation.statistics().all()) listed.insert(s.module);
  for (const std::string& module : listed) {
    CAPTURE(module);
    CHECK(plan.find(module) != nullptr);
  }
}

}  // namespace tessera::plan_test
