// SPDX-License-Identifier: Apache-2.0
// The platform's timing against sums on paper and analytic bounds.
#include <catch2/catch.hpp>
#include <set>

#include "modules/kernel/sc_time.h"
#include "modules/mmu/uvm_driver.h"
#include "tests/platforms/latency_sums.h"

namespace tessera::bounds_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

TEST_CASE("a lone L1 hit takes the TLB's and the L1's latency") {
  GpuRig rig("uba-mem");
  const std::uint64_t first = rig.latency_of(kBase);
  // The same line twice: the first is in the LLC, the second in the L1.
  std::vector<std::vector<Address>> lists(rig.config().system.sms);
  lists[0] = {kBase, kBase};
  ListKernel kernel(lists, true);
  rig.run(kernel);
  CHECK(rig.sum("l1_", "load_hits") == 1);
  CHECK(rig.load_cycles() - first == llc_hit_cycles(rig.config()) + l1_hit_cycles(rig.config()));
}

TEST_CASE("a lone LLC hit takes the sum of its parts") {
  GpuRig rig("uba-mem");
  // The first load brings translation and line; the L1s are flushed at its kernel's end.
  rig.latency_of(kBase);
  CHECK(rig.latency_of(kBase) == llc_hit_cycles(rig.config()));
  CHECK(rig.sum("llc", "hits") == 1);
}

TEST_CASE("a lone LLC hit takes the sum of its parts through a single stage") {
  GpuRig rig("uba-mem-small");
  rig.latency_of(kBase);
  CHECK(rig.latency_of(kBase) == llc_hit_cycles(rig.config()));
}

TEST_CASE("a lone row miss waits for the memory clock's edge, then takes RCD, CL and burst") {
  GpuRig rig("uba-mem");
  const GpuConfig& c = rig.config();
  // The first load brings the translation; then a row in another bank.
  rig.latency_of(kBase);
  const AddressMap& map = rig.system().address_map();
  const std::uint64_t page = *rig.system().uvm().translate(kBase);
  std::uint64_t offset = 0;
  while (map.decode(page + offset).bank == map.decode(page).bank) offset += 128;
  REQUIRE(offset < c.system.page_bytes);
  const std::uint64_t ratio = c.sm.clock_hz / c.dram.clock_hz;
  REQUIRE(ratio * c.dram.clock_hz == c.sm.clock_hz);
  const std::uint64_t dram =
      (c.dram.pipeline_clocks + c.dram.t_rcd + c.dram.read_latency(c.system.line_bytes)) * ratio;
  const std::uint64_t back = response_cycles(c.noc, c.system.sms, c.system.slices()) + 1;
  const std::uint64_t there = llc_hit_cycles(c) - back;

  // Launched in different cycles, requests reach the channel in every quarter of its clock.
  std::set<std::uint64_t> waits;
  for (std::uint64_t n = 0; n < 16; ++n) {
    // Other pages of the channel: every channel is given one in turn.
    std::vector<Address> placing;
    for (std::uint64_t p = 1; p <= c.system.channels; ++p) {
      placing.push_back(kBase + (n * c.system.channels + p) * c.system.page_bytes);
    }
    ListKernel place({placing}, true);
    rig.run(place);
    sc_core::sc_start(to_sc_time(ClockDomain(c.sm.clock_hz).time_of(1000 + n)));
    const std::uint64_t before = rig.load_cycles();
    const std::uint64_t misses = rig.sum("dram", "row_misses");
    ListKernel kernel({std::vector<Address>{placing.back() + offset}}, true);
    rig.run(kernel);
    if (rig.sum("dram", "row_misses") != misses + 1) continue;  // placing opened a row of the bank
    const std::uint64_t arrival = kernel.last_issue() + there;
    const std::uint64_t edge = (arrival + ratio - 1) / ratio * ratio;
    waits.insert(edge - arrival);
    // The response leaves the slice a cycle after the line has come.
    CHECK(rig.load_cycles() - before == there + (edge - arrival) + dram + 1 + back);
  }
  CHECK(waits == std::set<std::uint64_t>{0, 1, 2, 3});
}

TEST_CASE("a saturating read stream reaches 90 % of the DRAM bus and never exceeds it") {
  // Warps in turn, so that the lines of a row come together (greedy warps would each run ahead
  // through rows of their own, and meet tFAW's bound of 40 %).
  GpuRig rig("uba-mem", {"sm.warp_scheduler=lrr"}, BuildOptions{});
  const GpuConfig& c = rig.config();
  const AddressMap& map = rig.system().address_map();
  // Pages placed in turn: the n-th lies in channel n mod channels.
  const unsigned pages = 64 * c.system.channels;
  std::vector<Address> placing;
  for (unsigned n = 0; n < pages; ++n) placing.push_back(kBase + n * c.system.page_bytes);
  ListKernel place({placing}, true);
  rig.run(place);
  // SM 8g + i reads from slice 8i + g alone: every link between the crossbar's two stages, and
  // every slice, has one stream. (Two stages block most other patterns; random ones reach about
  // half.)
  std::vector<std::vector<Address>> of_sm(c.system.sms);
  for (const Address page : placing) {
    const std::uint64_t physical = *rig.system().uvm().translate(page);
    for (std::uint64_t line = 0; line < c.system.page_bytes; line += c.system.line_bytes) {
      const unsigned slice = map.locate(physical + line).slice.value;
      of_sm[slice % 8 * 8 + slice / 8].push_back(page + line);
    }
  }
  ListKernel warming(deal(of_sm), false);  // translations; twice the LLC's size goes through it
  rig.run(warming);
  const std::uint64_t before = rig.sum("dram", "bytes_read");
  ListKernel kernel(deal(of_sm), false);
  const std::uint64_t cycles = rig.run(kernel);
  const auto bytes = static_cast<double>(rig.sum("dram", "bytes_read") - before);
  const double seconds = static_cast<double>(cycles) / static_cast<double>(c.sm.clock_hz);
  const double peak =
      static_cast<double>(c.dram.clock_hz) * c.dram.bus_bytes_per_clock * c.system.channels;
  INFO(bytes / seconds / 1e9 << " GB/s of " << peak / 1e9 << " in " << cycles << " cycles");
  CHECK(bytes / seconds <= peak);
  CHECK(bytes / seconds >= 0.9 * peak);
}

TEST_CASE(
    "a stream that hits in the LLC reaches 90 % of the response links and never exceeds them") {
  // A footprint that the LLC holds and an L1 does not; SM k and its slice walk it in step.
  GpuRig rig("uba-mem-small", {"l1.sets=1", "l1.ways=1", "sm.warp_scheduler=lrr"}, BuildOptions{});
  const GpuConfig& c = rig.config();
  const unsigned lines = 4096;
  std::vector<std::vector<Address>> of_sm(c.system.sms);
  const auto read = [&](unsigned rounds) {
    for (auto& list : of_sm) list.clear();
    for (unsigned i = 0; i < lines * rounds; ++i) {
      of_sm[i / kWarps % c.system.sms].push_back(kBase + i % lines * c.system.line_bytes);
    }
    return deal(of_sm);
  };
  ListKernel warming(read(1), false);
  rig.run(warming);
  REQUIRE(rig.sum("llc", "misses") == lines);
  const std::uint64_t before = rig.sum("l1_", "bytes_filled");
  ListKernel kernel(read(8), false);
  const std::uint64_t cycles = rig.run(kernel);
  CHECK(rig.sum("llc", "misses") == lines);
  const auto bytes = static_cast<double>(rig.sum("l1_", "bytes_filled") - before);
  // A line of 128 bytes is a packet of 136 bytes: 9 cycles of a 16-byte link.
  const double peak = 128.0 / 9.0 * c.system.sms;
  INFO(bytes / static_cast<double>(cycles) << " bytes a cycle of " << peak);
  CHECK(bytes / static_cast<double>(cycles) <= peak);
  CHECK(bytes / static_cast<double>(cycles) >= 0.9 * peak);
}

TEST_CASE("a one-bank row-conflict stream runs at the tRC bound within 2 %") {
  GpuRig rig("uba-mem", {}, BuildOptions{});
  const GpuConfig& c = rig.config();
  // Lines of distinct rows in one bank of one channel, found by asking where pages will lie: with
  // round-robin placement in order of touch, the n-th page touched lies in channel n mod channels.
  std::vector<Address> list;
  const AddressMap& map = rig.system().address_map();
  const unsigned wanted = 512;
  std::vector<Address> touch;
  std::vector<std::uint64_t> index(c.system.channels, 0);
  std::set<std::uint32_t> seen;
  const DramLocation target = map.decode(map.page_address(ChannelId(0), 0));
  for (std::uint64_t n = 0; list.size() < wanted; ++n) {
    const Address page = kBase + n * c.system.page_bytes;
    touch.push_back(page);
    const ChannelId channel(static_cast<std::uint32_t>(n % c.system.channels));
    const std::uint64_t physical = map.page_address(channel, index[channel.value]++);
    if (channel.value != 0) continue;
    for (std::uint64_t line = 0; line < c.system.page_bytes; line += 128) {
      const DramLocation l = map.decode(physical + line);
      if (l.bank == target.bank && seen.insert(l.row).second) list.push_back(page + line);
    }
  }
  // Place the pages in order, through another column, so that the stream's rows are not cached.
  std::vector<Address> placing;
  placing.reserve(touch.size());
  for (const Address page : touch) placing.push_back(page + 256);
  ListKernel place({placing}, true);
  rig.run(place);
  const std::uint64_t activates = rig.sum("dram", "activates");
  ListKernel kernel({list}, false);
  const std::uint64_t cycles = rig.run(kernel);
  const std::uint64_t rows = rig.sum("dram", "activates") - activates;
  CHECK(rows >= list.size() - 1);
  const double ratio = static_cast<double>(c.sm.clock_hz) / static_cast<double>(c.dram.clock_hz);
  const double bound = static_cast<double>(list.size()) * c.dram.t_rc * ratio;
  // Beyond the bound: the first and last load's way through the GPU, and its translations.
  const double ends = 2.0 * static_cast<double>(llc_hit_cycles(c)) + 1000;
  INFO(cycles << " cycles, bound " << bound);
  CHECK(static_cast<double>(cycles) >= bound * (1 - 1.0 / static_cast<double>(list.size())));
  CHECK(static_cast<double>(cycles) <= bound * 1.02 + ends);
}

}  // namespace tessera::bounds_test
