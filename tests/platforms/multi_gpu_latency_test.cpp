// SPDX-License-Identifier: Apache-2.0
// Lone loads of other GPUs' lines against sums on paper (DualOpt figure 1).
#include <catch2/catch.hpp>

#include "tests/platforms/multi_gpu_sums.h"

namespace tessera::multi_gpu_latency_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// Narrow networks, so that a line takes 5 cycles of a link and a request one.
const std::string kNarrow = "noc.link_bytes=16";

constexpr std::uint32_t kLineResponse = 4 + 64;
constexpr std::uint32_t kPieceResponse = 4 + 4;

/// A line of GPU 1 that its home slice holds, SM 0 having the page's translation.
Address remote_line(GpuRig& rig) {
  const Address page = place(rig, 0, 1);
  rig.cycles_of({line_load(page), line_load(page + rig.config().system.line_bytes)});
  return page;
}

}  // namespace

TEST_CASE("a lone local hit among several GPUs takes the sum of its parts") {
  GpuRig rig("dca-small", {kPlacedByHand, kNarrow});
  const Address page = place(rig, 0, 0);
  rig.cycles_of({line_load(page)});
  CHECK(rig.cycles_of({line_load(page)}) ==
        load_cycles(rig.config(), rig.config().llc.latency_cycles));
  CHECK(rig.sum("rdma", "requests_out") == 0);
}

TEST_CASE("a lone load of another GPU's line takes the sum of its parts") {
  GpuRig rig("dca-small", {kPlacedByHand, kNarrow});
  const GpuConfig& c = rig.config();
  const Address line = remote_line(rig);
  // 140 ns and a flit of 0.25 ns, then 140 ns and five: each ends at an edge of 1 ns.
  CHECK(fabric_cycles(c, c.rdma.request_header_bytes) == 141);
  CHECK(fabric_cycles(c, kLineResponse) == 142);
  CHECK(own_network_cycles(c) == 2 + 6);
  CHECK(remote_cycles(c, kLineResponse) == 4 * 1 + 141 + 142 + (2 + 6) + 22);
  CHECK(rig.cycles_of({line_load(line)}) == load_cycles(c, remote_cycles(c, kLineResponse)));
  CHECK(rig.value("gpu0.l1_0", "remote_loads") == 3);
  CHECK(rig.value("gpu1.rdma", "requests_in") == 3);
}

TEST_CASE("a lone load of another GPU's line takes the sum of its parts at full size") {
  GpuRig rig("dca", {kPlacedByHand});
  const GpuConfig& c = rig.config();
  const Address line = remote_line(rig);
  CHECK(rig.cycles_of({line_load(line)}) == load_cycles(c, remote_cycles(c, kLineResponse)));
}

TEST_CASE("a lone load of one piece saves its line's flits on the fabric") {
  GpuRig rig("dualopt-fine-small", {kPlacedByHand, kNarrow});
  const GpuConfig& c = rig.config();
  const Address line = remote_line(rig);
  CHECK(fabric_cycles(c, kPieceResponse) == 141);
  CHECK(rig.cycles_of({piece_load(line)}) == load_cycles(c, remote_cycles(c, kPieceResponse)));
  // Bypassing: the same load takes as long again.
  const std::uint64_t one = load_cycles(c, remote_cycles(c, kPieceResponse));
  CHECK(rig.cycles_of({piece_load(line), piece_load(line)}) == 2 * one);
}

TEST_CASE("a lone load whose response waits for others waits for the time-out") {
  GpuRig rig("dualopt-coalesced-small", {kPlacedByHand, kNarrow, "rdma.timeout_cycles=77"});
  const GpuConfig& c = rig.config();
  const Address line = remote_line(rig);
  CHECK(rig.cycles_of({piece_load(line)}) == load_cycles(c, remote_cycles(c, kPieceResponse)) + 77);
}

TEST_CASE("lone hit and miss in the remote cache take the sum of their parts") {
  // An L1 of one line: the second load of a line meets the remote cache.
  GpuRig rig("dualopt-cache-small", {kPlacedByHand, kNarrow, "l1.sets=1", "l1.ways=1"});
  const GpuConfig& c = rig.config();
  const Address line = remote_line(rig);
  const Address other = line + c.system.line_bytes;
  // A miss leaves as late as a hit's response would, and its line leaves a cycle after it has come.
  const std::uint64_t miss =
      load_cycles(c, c.remote_cache.latency_cycles + remote_cycles(c, kLineResponse) + 1);
  const std::uint64_t hit = load_cycles(c, c.remote_cache.latency_cycles);
  CHECK(rig.cycles_of({line_load(line)}) == miss);
  CHECK(rig.cycles_of({line_load(line), line_load(other), line_load(line)}) == 2 * miss + hit);
  CHECK(rig.sum("rcache", "hits") == 1);
  CHECK(rig.sum("l1_", "load_hits") == 0);
}

}  // namespace tessera::multi_gpu_latency_test
