// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/mesh_config.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

namespace tessera::mesh_config_test {

namespace {

using Lines = std::vector<std::string>;
using Routers = std::vector<std::uint32_t>;

MeshConfig sized(std::uint32_t width, std::uint32_t height) {
  MeshConfig c;
  c.width = width;
  c.height = height;
  return c;
}

/// Every router has one node.
void check_filled(const MeshLayout& m, std::size_t nodes) {
  std::set<std::uint32_t> routers(m.entry_router.begin(), m.entry_router.end());
  routers.insert(m.exit_router.begin(), m.exit_router.end());
  CHECK(routers.size() == nodes);
  CHECK(m.routers() == nodes);
}

}  // namespace

TEST_CASE("the defaults are the mesh of the remote-core paper: 28 SMs and 8 slices fill 6 x 6") {
  const MeshConfig c;
  CHECK(c.validate(28, 8).empty());
  const MeshLayout m = c.layout(28, 8);
  CHECK(m.width == 6);
  CHECK(m.height == 6);
  check_filled(m, 36);
  // Evenly over the rows.
  CHECK(m.exit_router == Routers{2, 6, 11, 15, 20, 24, 29, 33});
  CHECK(c.bandwidth(1) == Approx(22.4e9));
}

TEST_CASE("a mesh is derived from the number of nodes, as square as possible") {
  const struct {
    std::uint32_t entries, exits, width, height;
  } cases[] = {{56, 8, 8, 8},   {48, 16, 8, 8}, {84, 16, 10, 10}, {68, 32, 10, 10},
               {64, 64, 16, 8}, {8, 8, 4, 4},   {4, 3, 7, 1}};
  for (const auto& k : cases) {
    const MeshConfig c;
    CAPTURE(k.entries, k.exits);
    REQUIRE(c.validate(k.entries, k.exits).empty());
    const MeshLayout m = c.layout(k.entries, k.exits);
    CHECK(m.width == k.width);
    CHECK(m.height == k.height);
    check_filled(m, k.entries + k.exits);
  }
  CHECK(sized(9, 0).layout(28, 8).height == 4);
  CHECK(sized(0, 4).layout(28, 8).width == 9);
}

TEST_CASE("memory nodes that coincide in columns are rotated from row to row") {
  CHECK(MeshConfig{}.layout(56, 8).exit_router == Routers{4, 13, 22, 31, 32, 41, 50, 59});
  // As many SMs as slices: a checkerboard.
  CHECK(MeshConfig{}.layout(8, 8).exit_router == Routers{1, 3, 6, 4, 11, 9, 12, 14});
}

TEST_CASE("nodes that have both ports share a router, in order") {
  MeshConfig c;
  c.shared_nodes = true;
  REQUIRE(c.validate(8, 8).empty());
  const MeshLayout m = c.layout(8, 8);
  CHECK(m.width == 4);
  CHECK(m.entry_router == Routers{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(m.exit_router == m.entry_router);
  // Further egress ports are nodes of their own.
  CHECK(c.layout(8, 10).exit_router == Routers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("a placement lists the memory nodes, or all nodes") {
  MeshConfig c = sized(3, 2);
  c.placement = "5, 0";
  REQUIRE(c.validate(4, 2).empty());
  CHECK(c.layout(4, 2).exit_router == Routers{5, 0});
  CHECK(c.layout(4, 2).entry_router == Routers{1, 2, 3, 4});
  c.placement = "4,3,2,1,0,5";
  REQUIRE(c.validate(4, 2).empty());
  CHECK(c.layout(4, 2).entry_router == Routers{4, 3, 2, 1});
  CHECK(c.layout(4, 2).exit_router == Routers{0, 5});
}

TEST_CASE("concentration puts several nodes at a router, evenly") {
  MeshConfig c = sized(2, 2);
  c.concentration = 3;
  REQUIRE(c.validate(6, 4).empty());
  const MeshLayout m = c.layout(6, 4);
  std::vector<unsigned> held(4, 0);
  for (const std::uint32_t r : m.entry_router) ++held[r];
  CHECK(held == std::vector<unsigned>{2, 2, 1, 1});
  CHECK(std::set<std::uint32_t>(m.exit_router.begin(), m.exit_router.end()).size() == 4);
}

TEST_CASE("a mesh's errors name the parameter, its value and its range") {
  MeshConfig c;
  c.clock_hz = 0;
  c.link_bytes = 0;
  c.vcs = 0;
  c.vc_flits = 0;
  c.router_latency = 2;
  c.link_latency = 0;
  c.credit_latency = 0;
  c.concentration = 9;
  c.header_bytes = 0;
  CHECK(c.validate() ==
        Lines{"clock_hz is 0: 1 to 1000000000000000 expected",
              "link_bytes is 0: 1 to 4096 expected", "concentration is 9: 1 to 8 expected",
              "vcs is 0: 1 to 4 expected", "vc_flits is 0: 1 to 1024 expected",
              "router_latency is 2: 3 to 1000 expected", "link_latency is 0: 1 to 1000 expected",
              "credit_latency is 0: 1 to 1000 expected", "header_bytes is 0: 1 to 1024 expected"});
}

TEST_CASE("nodes that do not fill a mesh are refused, with both numbers") {
  const std::string derived = "; width and height of 0 are derived from the nodes";
  CHECK(sized(6, 6).validate(28, 7) ==
        Lines{"width, height: 35 nodes (28 ingress and 7 egress ports) do not fill a mesh of 6 x 6 "
              "routers: 36 nodes expected (concentration is 1)" +
              derived});
  CHECK(sized(6, 6).validate(29, 8) ==
        Lines{"width, height: 37 nodes (29 ingress and 8 egress ports) do not fill a mesh of 6 x 6 "
              "routers: 36 nodes expected (concentration is 1)" +
              derived});
  CHECK(sized(6, 0).validate(29, 8).size() == 1);
  MeshConfig shared;
  shared.shared_nodes = true;
  shared.concentration = 2;
  shared.width = shared.height = 2;
  CHECK(shared.validate(9, 9) ==
        Lines{"width, height: 9 nodes (9 ingress and 9 egress ports of the same nodes) do not fill "
              "a mesh of 2 x 2 routers: 4 to 8 nodes expected (concentration is 2)" +
              derived});
  CHECK(MeshConfig{}.validate(60, 7) ==
        Lines{"width, height: 67 nodes (60 ingress and 7 egress ports) make a mesh of 67 x 1 "
              "routers: at most 64 x 64 expected"});
}

TEST_CASE("placements with two nodes at a router, or outside of the mesh, are refused") {
  MeshConfig c = sized(3, 2);
  c.placement = "5,5";
  CHECK(c.validate(4, 2) == Lines{"placement: router 5 has more than 1 node (concentration is 1)"});
  c.placement = "5,6";
  CHECK(c.validate(4, 2) == Lines{"placement: router 6: 0 to 5 expected (3 x 2)"});
  c.placement = "5";
  CHECK(c.validate(4, 2) ==
        Lines{"placement names 1 routers: 2 (the egress nodes) or 6 (all nodes) expected"});
  c.placement = "stagered";
  CHECK(c.validate(4, 2) ==
        Lines{"placement: 'stagered' is neither staggered nor a list of routers by number, such as "
              "2,6,11; did you mean 'staggered'?"});
  c.placement = "";
  CHECK(c.validate(4, 2).size() == 1);
  c.placement = "1,x";
  CHECK(c.validate(4, 2).size() == 1);
}

TEST_CASE("the bound of uniform traffic is the load of the busiest link") {
  // k x k, a node with both ports at each router: 4 / k flits a cycle and node, 1 at most.
  for (const std::uint32_t k : {2U, 4U, 6U, 8U, 10U}) {
    MeshConfig c = sized(k, k);
    c.shared_nodes = true;
    CAPTURE(k);
    CHECK(c.layout(k * k, k * k).largest_uniform_load() == Approx(std::max(1.0, k / 4.0)));
    CHECK(c.uniform_bandwidth(k * k, k * k) == Approx(c.bandwidth(k * k) / std::max(1.0, k / 4.0)));
  }
  // 28 ingress ports share 8 egress ports.
  CHECK(MeshConfig{}.layout(28, 8).largest_uniform_load() == Approx(3.5));
}

}  // namespace tessera::mesh_config_test
