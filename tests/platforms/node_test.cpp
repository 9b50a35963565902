// SPDX-License-Identifier: Apache-2.0
// The tree of nodes of a platform, as sc_modules.
#include <catch2/catch.hpp>
#include <string>

#include "tests/platforms/gpu_rig.h"

namespace tessera::node_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// Each node is an sc_module in its parent. Returns their number.
std::size_t check_tree(const Node& node) {
  auto* const object = sc_core::sc_find_object(node.path().c_str());
  CHECK(object == &node);
  std::size_t sum = 1;
  for (const auto& child : node.children()) {
    CHECK(child->parent() == &node);
    CHECK(child->level() > node.level());
    CHECK(object == child->get_parent_object());
    sum += check_tree(*child);
  }
  return sum;
}

struct Shared {
  int number = 0;
};

}  // namespace

TEST_CASE("a system of one GPU has the node of the GPU") {
  GpuRig rig("uba-mem-small");
  const Node& root = rig.system().root();
  CHECK(root.path() == "system");
  CHECK(root.level() == NodeLevel::kSystem);
  REQUIRE(root.children().size() == 1);
  CHECK(root.children().front()->path() == "system.gpu0");
  CHECK(check_tree(root) == 2);
}

TEST_CASE("GPUs, modules and partitions are sc_modules") {
  GpuRig rig("mcm-nuba-small");
  // The system, a GPU, four modules, eight partitions.
  CHECK(check_tree(rig.system().root()) == 14);
  CHECK(sc_core::sc_find_object("system.gpu0.module1.partition3") != nullptr);
}

TEST_CASE("several GPUs are nodes of the system") {
  GpuRig rig("dualopt-small");
  CHECK(rig.system().root().children().size() == 4);
  CHECK(check_tree(rig.system().root()) == rig.system().plan().nodes.size());
}

TEST_CASE("a node finds what it offers, or the nearest node above") {
  Domain domain("tree");
  const auto leaf = [&domain](const char* name, Node& parent) {
    const PlannedNode planned{parent.path() + "." + name, NodeLevel::kPartition, 0};
    return std::make_unique<Node>(name, planned, &parent, domain);
  };
  Node top("top", {"top", NodeLevel::kSystem, 0}, nullptr, domain);
  Node& one = top.adopt(leaf("one", top));
  Node& two = top.adopt(leaf("two", top));
  Shared all{1};
  Shared of_two{2};
  CHECK(one.find_service(typeid(Shared)) == nullptr);
  top.offer(all);
  two.offer(of_two);
  CHECK(top.find_service(typeid(Shared)) == &all);
  CHECK(one.find_service(typeid(Shared)) == &all);
  CHECK(two.find_service(typeid(Shared)) == &of_two);
  CHECK(one.find_service(typeid(int)) == nullptr);
}

}  // namespace tessera::node_test
