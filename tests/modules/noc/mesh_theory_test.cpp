// SPDX-License-Identifier: Apache-2.0
// Meshes under random traffic against theory and against another simulator.
#include <catch2/catch.hpp>
#include <cmath>

#include "bench/mesh_tables.h"

namespace tessera::mesh_theory_test {

using bench::mesh_bound;
using bench::MeshLoad;
using bench::MeshLoadResult;
using bench::run;

namespace {

/// k x k routers, each with a node that sends and receives.
MeshLoad square(std::uint32_t k, std::uint32_t vcs, std::uint32_t flits, double load) {
  MeshLoad t;
  t.network.width = t.network.height = k;
  t.network.shared_nodes = true;
  t.network.vcs = vcs;
  t.entries = t.exits = k * k;
  t.flits = flits;
  t.load = load;
  t.measured = 20'000;
  return t;
}

}  // namespace

TEST_CASE("uniform traffic saturates between half of the bisection bound and the bound") {
  // Bound: the bisection, 4 / k flits a cycle and node (Dally and Towles 2004, section 3.3.1), and
  // n / (n + 1) of each link with one VC. Wormhole routers with few VCs reach 0.5 to 0.8 of it
  // (BookSim, below).
  for (const std::uint32_t k : {4U, 6U, 8U}) {
    for (const std::uint32_t flits : {1U, 5U}) {
      for (const std::uint32_t vcs : {1U, 2U}) {
        const MeshLoad t = square(k, vcs, flits, 1);
        const double share = vcs == 2 ? 1 : flits / (flits + 1.0);
        const double bound = std::min(1.0, 4.0 / k * share);
        CAPTURE(k, flits, vcs);
        CHECK(mesh_bound(t) == Approx(bound));
        const double rate = run(t).throughput;
        CAPTURE(rate, bound);
        CHECK(rate < bound);
        CHECK(rate > 0.5 * bound);
      }
    }
  }
}

TEST_CASE("a second VC raises the saturation of a mesh") {
  for (const std::uint32_t flits : {1U, 5U}) {
    CHECK(run(square(6, 2, flits, 1)).throughput > 1.2 * run(square(6, 1, flits, 1)).throughput);
  }
}

TEST_CASE("a mesh with one VC saturates where BookSim's does") {
  // BookSim 2, commit 28f4329: topology = mesh, n = 2, routing_function = dim_order, num_vcs = 1,
  // vc_buf_size = 8, islip allocators, one iteration, routing_delay = 0, credit_delay = 1. Its
  // router has three stages, and a flit and its credit take 7 cycles (iq_router.cpp, min_latency).
  const struct {
    std::uint32_t k, flits;
    double saturation;
  } cases[] = {{6, 1, 0.248}, {6, 5, 0.329}, {8, 1, 0.191}, {8, 5, 0.250}};
  for (const auto& c : cases) {
    MeshLoad t = square(c.k, 1, c.flits, 1);
    t.network.router_latency = 3;
    t.network.credit_latency = 3;
    t.measured = 50'000;
    const double rate = run(t).throughput;
    CAPTURE(c.k, c.flits, rate);
    CHECK(std::abs(rate - c.saturation) < 0.02 * c.saturation);
  }
}

TEST_CASE("one stream over a link carries n flits in n + 1 cycles with one VC") {
  for (const std::uint32_t flits : {1U, 2U, 5U, 8U}) {
    MeshLoad t;
    t.entries = t.exits = 1;
    t.flits = flits;
    t.measured = 60'000;
    CAPTURE(flits);
    CHECK(run(t).throughput == Approx(flits / (flits + 1.0)).epsilon(0.001));
  }
}

TEST_CASE("egress ports limit many SMs that read from few slices") {
  MeshLoad requests;
  requests.flits = 1;
  // 28 ingress ports share 8 egress ports, each of which takes a flit in two cycles.
  CHECK(mesh_bound(requests) == Approx(8.0 / 28 / 2));
  const double rate = run(requests).throughput;
  CHECK(rate < mesh_bound(requests));
  CHECK(rate > 0.9 * mesh_bound(requests));
}

TEST_CASE("at low load the latency of a mesh is that of a lone packet, and rises with the load") {
  for (const std::uint32_t flits : {1U, 5U}) {
    const double bound = mesh_bound(square(6, 1, flits, 1));
    double before = 0;
    for (const double part : {0.02, 0.2, 0.4, 0.5}) {
      const MeshLoadResult r = run(square(6, 1, flits, part * bound));
      CAPTURE(flits, part, r.wait);
      CHECK(r.throughput == Approx(part * bound).epsilon(0.05));
      CHECK(r.wait > before);
      if (part == 0.02) CHECK(r.wait < 0.3);
      before = r.wait;
    }
    // Nodes are (k^2 - 1) / 3k columns and as many rows apart on average.
    const MeshLoadResult lone = run(square(6, 1, flits, 0.02 * bound));
    CHECK(lone.latency - lone.wait == Approx(5 * (1 + 2 * 35 / 18.0) + flits).epsilon(0.02));
  }
}

TEST_CASE("random packets through full queues are all delivered, in order, without a deadlock") {
  // The same with 10^7 packets: tessera_bench --noc mesh stress=10000000.
  MeshConfig two_vcs;
  two_vcs.vcs = 2;
  MeshConfig least = two_vcs;
  least.vcs = 1;
  least.vc_flits = 1;
  CHECK(bench::stress(MeshConfig{}, 28, 8, 60'000).empty());
  CHECK(bench::stress(two_vcs, 28, 8, 60'000).empty());
  CHECK(bench::stress(least, 18, 18, 60'000).empty());
  MeshConfig shared;
  shared.shared_nodes = true;
  CHECK(bench::stress(shared, 64, 64, 120'000).empty());
}

}  // namespace tessera::mesh_theory_test
