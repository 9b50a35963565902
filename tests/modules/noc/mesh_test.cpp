// SPDX-License-Identifier: Apache-2.0
// A mesh between sockets.
#include "modules/noc/mesh.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/modules/noc/noc_rig.h"

namespace tessera::mesh_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

MeshConfig mesh(std::uint32_t vcs, std::uint32_t vc_flits) {
  MeshConfig c;
  c.vcs = vcs;
  c.vc_flits = vc_flits;
  return c;
}

/// 4 SMs and 5 slices on 3 x 3 routers.
MeshConfig placed() {
  MeshConfig c;
  c.placement = "1,3,5,7,8";  // the SMs: 0, 2, 4, 6
  return c;
}

}  // namespace

TEST_CASE("a lone read on a mesh takes its hops both ways") {
  ScriptedTargetConfig target;
  target.latency = 0;
  MeshTlmRig rig(4, 5, placed(), target);
  // SM 3 at router 6, (0, 2), to slice 2 at router 5, (2, 1): 3 links, 4 routers of 4 + 1 cycles.
  const std::size_t read = rig.send(100, 3, 2);
  rig.run_for(1'000);
  REQUIRE(rig.slice.arrivals().size() == 1);
  // A request of one flit; a response of 128 + 8 bytes = 5 flits.
  const Cycle there = 100 + 4 * 5 + 1;
  CHECK(rig.slice.arrivals()[0].at == rig.clock.time_of(there));
  CHECK(rig.slice.arrivals()[0].port == 2);
  CHECK(rig.dut.zero_load_latency(8, 3, 2) == rig.clock.time_of(4 * 5 + 1));
  CHECK(rig.dut.zero_load_latency(136, 3, 2) == rig.clock.time_of(4 * 5 + 5));
  CHECK(rig.dut.requests().latency.sum() == 4 * 5 + 1);
  CHECK(rig.dut.responses().latency.sum() == 4 * 5 + 5);
  CHECK(rig.dut.responses().packets == 1);
  CHECK(read == 0);
  check_drained(rig.conformance());
}

TEST_CASE("requests and responses of a mesh have links of their own") {
  MeshTlmRig rig(4, 5, placed());
  rig.send(100, 3, 2);
  rig.run_for(1'000);
  // By row first: the request over routers 6, 7, 8, 5; the response over 5, 4, 3, 6.
  const auto busy = [](const NocStats& s) {
    std::vector<std::size_t> links;
    for (std::size_t i = 0; i < s.link_busy_cycles.size(); ++i) {
      if (s.link_busy_cycles[i] != 0) links.push_back(i);
    }
    return links;
  };
  CHECK(busy(rig.dut.requests()) == std::vector<std::size_t>{6 * 4, 7 * 4, 8 * 4 + 3});
  CHECK(busy(rig.dut.responses()) == std::vector<std::size_t>{3 * 4 + 2, 4 * 4 + 1, 5 * 4 + 1});
}

TEST_CASE("a mesh conforms under random traffic, stalls and styles") {
  check_conformance<MeshTlmRig>(4, 5, placed());
}

TEST_CASE("a mesh with two VCs and the least buffers conforms under random traffic and stalls") {
  check_conformance<MeshTlmRig>(6, 6, mesh(2, 1));
}

TEST_CASE("requests of one node to another stay in order on a mesh under random stalls") {
  check_order_under_stalls<MeshTlmRig>(6, mesh(2, 2), 2'000);
}

TEST_CASE("a mesh whose slices stall says which router, port, VC and packet waits") {
  MeshTlmRig rig(4, 5, placed());
  rig.slice.stall_until(rig.clock.time_of(2'000));
  for (unsigned n = 0; n < 40; ++n) rig.send(10, 3, 2, true, n);
  rig.run_for(1'500);
  std::vector<Waiting> waiting;
  rig.dut.describe_waiting(waiting);
  bool found = false;
  for (const Waiting& w : waiting) {
    if (w.queue != "xbar.request.router8.west.vc0") continue;
    found = true;
    CHECK(w.items == 8);
    CHECK(w.waits_for.find("packet ingress 3 -> egress 2 (") == 0);
    CHECK(w.waits_for.find("a credit of router5.south.vc0") != std::string::npos);
  }
  CHECK(found);
  REQUIRE(run_until_done(rig.conformance(), us(1'000)));
  check_each_completed_once(rig.conformance(), tlm::TLM_OK_RESPONSE);
  check_drained(rig.conformance());
}

}  // namespace tessera::mesh_test
