// SPDX-License-Identifier: Apache-2.0
// Timing of the partitioned platforms against sums on paper and analytic bounds.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "modules/mmu/uvm_driver.h"
#include "platforms/topology/system_facts.h"
#include "tests/platforms/latency_sums.h"

namespace tessera::partition_bounds_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

const std::string kRoundRobin = "system.page_placement=round-robin";
const std::string kReplicate = "system.remote_caching=full-replication";

/// There and back between an SM and its partition's slices.
std::uint64_t p2p_cycles(const GpuConfig& c) {
  const std::uint32_t sms = sms_per_partition(c.system);
  const std::uint32_t slices = slices_per_partition(c.system);
  const NocConfig p2p = c.p2p.as_network(std::max(sms, slices));
  return request_cycles(p2p, sms, slices) + response_cycles(p2p, sms, slices);
}

/// There and back between slices: a cycle to leave on either way, as the response of what went
/// round the arrays has its own.
std::uint64_t between_slices_cycles(const NocConfig& c, std::uint32_t ports) {
  return 1 + request_cycles(c, ports, ports) + response_cycles(c, ports, ports) + 1;
}

/// Pages in turn over the channels: the first touched lies in channel 0. Returns an address in
/// channel `n`.
Address place_until(GpuRig& rig, std::uint32_t n) {
  for (std::uint32_t i = 0; i <= n; ++i) rig.latency_of(kBase + i * rig.config().system.page_bytes);
  return kBase + n * rig.config().system.page_bytes;
}

/// SM `sm` alone loads a line.
void load_on(GpuRig& rig, std::uint32_t sm, Address line) {
  std::vector<std::vector<Address>> lists(rig.config().system.sms);
  lists[sm] = {line};
  ListKernel kernel(lists, true);
  rig.run(kernel);
}

/// Lone LLC hits of SM 0 on a NUBA: local, and where slices pass the request on.
void nuba_hits(const std::string& preset) {
  GpuRig rig(preset, {kRoundRobin});
  const GpuConfig& c = rig.config();
  place_until(rig, 1);
  const std::uint64_t local = llc_hit_cycles(c, p2p_cycles(c));
  CHECK(rig.latency_of(kBase) == local);
  CHECK(rig.latency_of(kBase + c.system.page_bytes) ==
        local + between_slices_cycles(c.noc, c.system.slices()));
  CHECK(rig.sum("llc", "hits") == 2);
  CHECK(rig.sum("llc", "bypasses") == 2);
}

}  // namespace

TEST_CASE("lone local and remote LLC hits take the sum of their parts on nuba") {
  nuba_hits("nuba-norep");
}
TEST_CASE("lone local and remote LLC hits take the sum of their parts through one stage") {
  nuba_hits("nuba-norep-small");
}

TEST_CASE("a lone replica's hit takes as long as a local hit, its miss both slices' latencies") {
  GpuRig rig("nuba", {kRoundRobin, kReplicate}, {true, true});
  const GpuConfig& c = rig.config();
  const Address remote = place_until(rig, 1);  // now in its home slice
  const std::uint64_t local = llc_hit_cycles(c, p2p_cycles(c));
  // The lookup here takes the place of the cycle in which what goes round the arrays leaves.
  CHECK(rig.latency_of(remote, true) ==
        local + between_slices_cycles(c.noc, c.system.slices()) - 1 + c.llc.latency_cycles);
  CHECK(rig.sum("llc", "replica_misses") == 1);
  CHECK(rig.latency_of(remote, true) == local);
  CHECK(rig.sum("llc", "replica_hits") == 1);
  CHECK(rig.sum("llc", "misses") == 3);  // two of the placing loads, and the replica's
}

TEST_CASE("a replica does not outlive its kernel, whose end takes the frames of its slice") {
  GpuRig rig("nuba-small", {kRoundRobin, kReplicate});
  const GpuConfig& c = rig.config();
  const Address remote = place_until(rig, 1);
  rig.latency_of(remote, true);
  rig.latency_of(remote, true);
  CHECK(rig.sum("llc", "replica_misses") == 2);
  CHECK(rig.sum("llc", "replica_hits") == 0);
  // Two kernels, one slice that keeps a copy; the others have nothing to lose.
  CHECK(rig.sum("llc", "flushes") == 2);
  CHECK(rig.sum("llc", "flush_cycles") == 2 * c.llc.sets * c.llc.ways);
}

TEST_CASE("a lone hit in the twin slice takes as long as one at home on uba-sm") {
  GpuRig rig("uba-sm-small");
  const GpuConfig& c = rig.config();
  const std::uint32_t sms = sms_per_partition(c.system);
  const std::uint32_t slices = slices_per_partition(c.system);
  const std::uint64_t network =
      request_cycles(c.noc, sms, slices) + response_cycles(c.noc, sms, slices);
  const Address far = place_until(rig, 2);  // of the other side
  CHECK(rig.sum("llc", "replica_misses") == 1);
  CHECK(rig.latency_of(kBase) == llc_hit_cycles(c, network));
  CHECK(rig.latency_of(far) == llc_hit_cycles(c, network));
  CHECK(rig.sum("llc", "replica_hits") == 1);
}

TEST_CASE("a lone miss in the twin slice that hits at home takes both slices and the link") {
  GpuRig rig("uba-sm-small");
  const GpuConfig& c = rig.config();
  place_until(rig, 1);
  const Address far = kBase + 2 * c.system.page_bytes;
  load_on(rig, 4, far);                        // a neighbour of its home
  load_on(rig, 0, far + c.system.line_bytes);  // SM 0's translation, by another line of the page
  const std::uint32_t sms = sms_per_partition(c.system);
  const std::uint32_t slices = slices_per_partition(c.system);
  const std::uint64_t network =
      request_cycles(c.noc, sms, slices) + response_cycles(c.noc, sms, slices);
  CHECK(rig.latency_of(far) == llc_hit_cycles(c, network) - 1 + c.llc.latency_cycles +
                                   between_slices_cycles(c.side_link.as_network(), 1));
}

namespace {

/// A plane, there and back, and the home module's crossbar for what comes from planes.
std::uint64_t module_cycles(const GpuConfig& c) {
  const std::uint32_t n = c.system.modules;
  const std::uint32_t slices = c.system.slices() / n;
  return request_cycles(c.mcm.plane, n, n) + response_cycles(c.mcm.plane, n, n) +
         request_cycles(c.noc, c.mcm.ports, slices) + response_cycles(c.noc, c.mcm.ports, slices);
}

}  // namespace

TEST_CASE("a lone hit in another module adds a plane and a crossbar there, each way") {
  GpuRig rig("mcm-uba-small");
  const GpuConfig& c = rig.config();
  place_until(rig, 2);  // two channels a module
  const std::uint32_t sms = c.system.sms / c.system.modules;
  const std::uint32_t exits = c.system.slices() / c.system.modules + c.mcm.ports;
  const std::uint64_t inside =
      request_cycles(c.noc, sms, exits) + response_cycles(c.noc, sms, exits);
  CHECK(rig.latency_of(kBase + c.system.page_bytes) == llc_hit_cycles(c, inside));
  CHECK(rig.latency_of(kBase + 2 * c.system.page_bytes) ==
        llc_hit_cycles(c, inside + module_cycles(c)));
  // 32 cycles of the plane and 4 of the crossbar each way, a flit there and nine back in each.
  CHECK(module_cycles(c) == 2 * (32 + 4) + 2 * (1 + 9));
}

TEST_CASE("a lone hit in another module of mcm-nuba adds as much to a remote one") {
  GpuRig rig("mcm-nuba-small", {kRoundRobin, "system.remote_caching=home"});
  const GpuConfig& c = rig.config();
  place_until(rig, 2);
  const std::uint32_t ports = c.system.slices() / c.system.modules + c.mcm.ports;
  const std::uint64_t local = llc_hit_cycles(c, p2p_cycles(c));
  const std::uint64_t inside = between_slices_cycles(c.noc, ports);
  CHECK(rig.latency_of(kBase) == local);
  CHECK(rig.latency_of(kBase + c.system.page_bytes) == local + inside);
  CHECK(rig.latency_of(kBase + 2 * c.system.page_bytes) == local + inside + module_cycles(c));
}

namespace {

/// Each SM reads lines of its own channel from one slice, alone with it; the LLC holds them, the
/// L1 does not.
void local_stream(const std::string& link_bytes, double peak_per_sm) {
  GpuRig rig("nuba-norep-small",
             {"l1.sets=1", "l1.ways=1", "sm.warp_scheduler=lrr", "p2p.link_bytes=" + link_bytes,
              "system.page_placement=first-touch"},
             BuildOptions{});
  const GpuConfig& c = rig.config();
  constexpr std::uint64_t kPages = 16;
  const auto page_of = [&c](std::uint32_t sm, std::uint64_t n) {
    return kBase + (sm * kPages + n) * c.system.page_bytes;
  };
  // First touch places each SM's pages in its own partition.
  std::vector<std::vector<Address>> touch(c.system.sms);
  for (std::uint32_t sm = 0; sm < c.system.sms; ++sm) {
    for (std::uint64_t n = 0; n < kPages; ++n) touch[sm].push_back(page_of(sm, n));
  }
  ListKernel place(touch, true);
  rig.run(place);
  std::vector<std::vector<Address>> once(c.system.sms);
  for (std::uint32_t sm = 0; sm < c.system.sms; ++sm) {
    for (std::uint64_t n = 0; n < kPages; ++n) {
      const std::uint64_t physical = *rig.system().uvm().translate(page_of(sm, n));
      for (std::uint64_t at = 0; at < c.system.page_bytes; at += c.system.line_bytes) {
        const Location home = rig.system().address_map().locate(physical + at);
        REQUIRE(home.channel == ChannelId(sm / sms_per_partition(c.system)));
        if (home.slice.value == sm) once[sm].push_back(page_of(sm, n) + at);
      }
    }
    REQUIRE(once[sm].size() == 256);
  }
  ListKernel warming(deal(once), false);
  rig.run(warming);
  std::vector<std::vector<Address>> many(c.system.sms);
  for (std::uint32_t sm = 0; sm < c.system.sms; ++sm) {
    for (unsigned round = 0; round < 32; ++round) {
      many[sm].insert(many[sm].end(), once[sm].begin(), once[sm].end());
    }
  }
  const std::uint64_t before = rig.sum("l1_", "bytes_filled");
  const std::uint64_t misses = rig.sum("llc", "misses");
  ListKernel kernel(deal(many), false);
  const std::uint64_t cycles = rig.run(kernel);
  CHECK(rig.sum("llc", "misses") == misses);
  CHECK(rig.sum("llc", "bypasses") == 0);
  const auto bytes = static_cast<double>(rig.sum("l1_", "bytes_filled") - before);
  const double peak = peak_per_sm * c.system.sms;
  INFO(bytes / static_cast<double>(cycles) << " bytes a cycle of " << peak);
  CHECK(bytes / static_cast<double>(cycles) <= peak);
  CHECK(bytes / static_cast<double>(cycles) >= 0.9 * peak);
}

}  // namespace

TEST_CASE("a local stream reaches 90 % of the links to the slices and never exceeds them") {
  // A line is a packet of 136 bytes: 5 cycles of a 32-byte link.
  local_stream("32", 128.0 / 5);
}

TEST_CASE("a local stream over wide links reaches 90 % of the slices' line a cycle") {
  // A line fits one flit; a slice looks one up each cycle.
  local_stream("136", 128.0);
}

}  // namespace tessera::partition_bounds_test
