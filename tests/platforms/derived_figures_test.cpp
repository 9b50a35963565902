// SPDX-License-Identifier: Apache-2.0
// Every derived figure as arithmetic on the statistics that it is made of.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "common/json.h"
#include "platforms/derived.h"
#include "tests/platforms/numbered_statistics.h"

namespace tessera::derived_figures_test {

using namespace tessera::test;
using nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kCycles = 1'000'003;
/// Mean over largest: 17 / 4 / 7.
const std::vector<std::uint64_t> kPages{2, 3, 7, 5};

/// Every clock has a frequency, and every network a width, of its own. GHz below.
const std::vector<std::string> kClocks{
    "sm.clock_hz=1300000000",     "l1.clock_hz=1300000000",  "llc.clock_hz=1100000000",
    "dram.clock_hz=370000000",    "noc.clock_hz=1700000000", "noc.link_bytes=24",
    "p2p.clock_hz=2100000000",    "p2p.link_bytes=40",       "side_link.clock_hz=1900000000",
    "side_link.link_bytes=12",    "mcm.clock_hz=2300000000", "mcm.link_bytes=20",
    "fabric.clock_hz=3100000000", "fabric.flit_bytes=28",    "rdma.clock_hz=900000000",
    "decision.clock_hz=700000000"};
constexpr double kSeconds = kCycles / 1.3e9;

/// A platform, the names of its blocks, and what its figures are expected to be.
struct Platform {
  NumberedStatistics s;
  std::vector<std::string> sms;
  std::vector<std::string> l1s;
  std::vector<std::string> slices;
  std::vector<std::string> channels;
  std::vector<std::string> crossbars;  ///< that the SMs' or the slices' packets enter first
  ordered_json expected = ordered_json::object();

  Platform(const std::string& preset, const std::vector<std::string>& sets)
      : s(preset, with_clocks(sets)) {}

  static std::vector<std::string> with_clocks(std::vector<std::string> sets) {
    sets.insert(sets.end(), kClocks.begin(), kClocks.end());
    return sets;
  }
  double loads() const { return s.sum(l1s, "loads"); }
  double llc_accesses() const {
    return s.sum(slices, "reads") + s.sum(slices, "writes") + s.sum(slices, "atomics");
  }
  double packet_bytes(const std::vector<std::string>& networks) const {
    return s.sum(networks, "request_bytes") + s.sum(networks, "response_bytes");
  }
  void expect(const char* figure, const ordered_json& value) { expected[figure] = value; }
  /// GB/s.
  void peak(const char* level, double gb_per_s) { expected["peak_gb_per_s"][level] = gb_per_s; }

  /// What is the same on every platform. `driver`: the UVM driver.
  void expect_common(const std::string& driver) {
    const double misses = s.sum(l1s, "miss_latency", "count");
    const double dram = s.sum(channels, "bytes_read") + s.sum(channels, "bytes_written");
    const double llc_hits = s.sum(slices, "hits") + s.sum(slices, "write_allocations");
    const auto bus = static_cast<double>(s.config().gpu.dram.bus_bytes_per_clock);
    const double dram_peak = static_cast<double>(channels.size()) * 0.37 * bus;
    expect("ipc", s.sum(sms, "warp_instructions") / kCycles);
    const double slots = kCycles * static_cast<double>(sms.size()) * s.config().gpu.sm.schedulers;
    expect("memory_stall_fraction", s.sum(sms, "memory_slots") / slots);
    expect("memory_headroom",
           slots / (s.sum(sms, "issued_slots") + s.sum(sms, "dependency_slots")));
    expect("replies_per_cycle", misses / kCycles);
    expect("l1_hit_rate", s.sum(l1s, "load_hits") / loads());
    expect("llc_hit_rate", llc_hits / llc_accesses());
    expect("noc_bytes", packet_bytes(crossbars));
    expect("host_link_bytes", 0);
    expect("dram_bytes", dram);
    expect("dram_utilisation", dram / (dram_peak * 1e9 * kSeconds));
    expect("avg_load_latency_cycles",
           s.sum(sms, "load_latency", "sum") / s.sum(sms, "load_latency", "count"));
    expect("page_balance", 17.0 / 28);
    expect("page_faults", s.of(driver, "faults"));
    double rest = s.sum(l1s, "miss_latency", "sum");
    for (const char* hop :
         {"request_network", "llc", "dram", "llc_return", "response_network",
          "copy_request_network", "copy", "copy_response_network", "other_l1", "unstamped"}) {
      const double cycles = s.sum(l1s, std::string(hop) + "_cycles");
      expected["latency_breakdown"][hop] = cycles / misses;
      rest -= cycles;
    }
    expected["latency_breakdown"]["rounding"] = rest / misses;
    peak("dram", dram_peak);
    const auto line = static_cast<double>(s.config().gpu.system.line_bytes);
    peak("llc", static_cast<double>(slices.size()) * 1.1 * line);
  }
  /// Figures that one GPU has, of whatever shape.
  void expect_one_gpu() {
    expect_common("gpu0.uvm");
    expect("inter_gpu_bytes", 0);
    expect("avg_remote_load_latency_cycles",
           s.sum(l1s, "miss_latency", "sum") / s.sum(l1s, "miss_latency", "count"));
    const std::pair<const char*, const char*> bands[] = {{"1", "pages_of_1_sm"},
                                                         {"2-10", "pages_of_2_to_10_sms"},
                                                         {"11-25", "pages_of_11_to_25_sms"},
                                                         {"26-64", "pages_of_26_or_more_sms"}};
    double pages = 0;
    for (const auto& band : bands) pages += s.of("gpu0.l2_tlb", band.second);
    for (const auto& [name, statistic] : bands) {
      expected["page_sharing"][name] = s.of("gpu0.l2_tlb", statistic) / pages;
    }
  }
  void expect_one_module() {
    expect("inter_module_bytes", 0);
    expect("off_node_fraction", 0);
  }

  /// All misses are in the matrix of homes (home_counts_test.cpp has its rows and columns). Removes
  /// it.
  void check_homes(ordered_json& figures) const {
    if (!figures.contains("misses_by_home")) return;
    double all = 0;
    for (const ordered_json& row : figures.at("misses_by_home").at("misses")) {
      for (const ordered_json& n : row) all += n.get<double>();
    }
    double counted = 0;
    for (std::size_t n = 0; n < slices.size(); ++n) {
      const std::string name = "misses_home" + std::to_string(n);
      for (const std::string& l1 : l1s) counted += s.modules().at("system." + l1).value(name, 0.0);
    }
    CHECK(counted > 0);
    CHECK(all == counted);
    figures.erase("misses_by_home");
  }

  void check() const {
    ordered_json figures = derive(s.modules(), s.config().gpu, kCycles, kPages);
    check_homes(figures);
    const ordered_json made = figures.flatten();
    const ordered_json wanted = expected.flatten();
    for (const auto& [figure, value] : made.items()) {
      CAPTURE(figure);
      REQUIRE(wanted.contains(figure));
      if (value.is_number() && wanted.at(figure).is_number()) {
        CHECK(value.get<double>() == Approx(wanted.at(figure).get<double>()).epsilon(1e-12));
      } else {
        CHECK(value == wanted.at(figure));
      }
    }
    for (const auto& [figure, value] : wanted.items()) {
      CAPTURE(figure, value);
      CHECK(made.contains(figure));
    }
  }
};

}  // namespace

TEST_CASE("figures of a memory-side UBA", "[figures]") {
  Platform p("uba-mem-small", {"system.sms=12"});
  p.sms = blocks("sm", 12);
  p.l1s = blocks("l1_", 12);
  p.slices = blocks("llc", 8);
  p.channels = blocks("dram", 4);
  p.crossbars = {"gpu0.noc"};
  p.expect_one_gpu();
  p.expect_one_module();
  // Every miss crosses the network.
  p.expect("l1_miss_local_fraction", 0);
  p.peak("noc_request", 12 * 24 * 1.7);
  p.peak("noc_response", 12 * 24 * 1.7);
  p.check();
}

TEST_CASE("figures of an SM-side UBA", "[figures]") {
  Platform p("uba-sm-small", {"system.sms=12"});
  p.sms = blocks("sm", 12);
  p.l1s = blocks("l1_", 12);
  p.slices = blocks("llc", 8);
  p.channels = blocks("dram", 4);
  p.crossbars = blocks("noc", 2);
  p.expect_one_gpu();
  p.expect_one_module();
  p.expect("l1_miss_local_fraction", 0);
  p.peak("noc_request", 12 * 24 * 1.7);
  p.peak("noc_response", 12 * 24 * 1.7);
  p.peak("link_request", 8 * 12 * 1.9);
  p.peak("link_response", 8 * 12 * 1.9);
  p.check();
}

TEST_CASE("figures of a NUBA GPU", "[figures]") {
  Platform p("nuba-small", {"system.sms=12"});
  p.sms = blocks("sm", 12);
  p.l1s = blocks("l1_", 12);
  p.slices = blocks("llc", 8);
  p.channels = blocks("dram", 4);
  p.crossbars = {"gpu0.noc"};
  p.expect_one_gpu();
  p.expect_one_module();
  p.expect("l1_miss_local_fraction",
           p.s.sum(p.slices, "sm_loads_served") / p.s.sum(p.slices, "sm_loads"));
  p.peak("noc_request", 8 * 24 * 1.7);
  p.peak("noc_response", 8 * 24 * 1.7);
  p.peak("p2p_request", 8 * 40 * 2.1);
  p.peak("p2p_response", 12 * 40 * 2.1);
  p.check();
}

TEST_CASE("figures of a multi-chip module", "[figures]") {
  Platform p("mcm-nuba-small", {"system.sms=24"});
  p.sms = blocks("sm", 24);
  p.l1s = blocks("l1_", 24);
  p.slices = blocks("llc", 16);
  p.channels = blocks("dram", 8);
  p.crossbars = blocks("noc", 4);
  const std::vector<std::string> planes = blocks("mcm", 2);
  p.expect_one_gpu();
  p.expect("l1_miss_local_fraction",
           p.s.sum(p.slices, "sm_loads_served") / p.s.sum(p.slices, "sm_loads"));
  p.expect("inter_module_bytes", p.packet_bytes(planes));
  p.expect("off_node_fraction", p.s.sum(planes, "request_packets") / p.llc_accesses());
  p.peak("noc_request", 16 * 24 * 1.7);
  p.peak("noc_response", 16 * 24 * 1.7);
  p.peak("p2p_request", 16 * 40 * 2.1);
  p.peak("p2p_response", 24 * 40 * 2.1);
  // Two gateways a module.
  p.peak("mcm_request", 8 * 20 * 2.3);
  p.peak("mcm_response", 8 * 20 * 2.3);
  p.peak("module_ingress_xbar_request", 16 * 24 * 1.7);
  p.peak("module_ingress_xbar_response", 8 * 24 * 1.7);
  p.check();
}

TEST_CASE("figures of several GPUs", "[figures]") {
  constexpr unsigned kGpus = 4;
  Platform p("dualopt-small", {"system.sms=24", "rdma.ideal_coalescing=true"});
  const NumberedStatistics& s = p.s;
  p.sms = blocks("sm", 6, kGpus);
  p.l1s = blocks("l1_", 6, kGpus);
  p.slices = blocks("llc", 2, kGpus);
  p.channels = blocks("dram", 2, kGpus);
  const std::vector<std::string> caches = blocks("rcache", 2, kGpus);
  std::vector<std::string> engines;
  for (unsigned g = 0; g < kGpus; ++g) {
    p.crossbars.push_back("gpu" + std::to_string(g) + ".noc");
    engines.push_back("gpu" + std::to_string(g) + ".rdma");
  }
  p.expect_common("uvm");
  p.expect("inter_module_bytes", 0);
  p.expect("inter_gpu_bytes", s.of("fabric", "bytes_over_time", "total"));
  const double misses = s.sum(p.l1s, "load_misses");
  p.expect("l1_miss_local_fraction", (misses - s.sum(p.l1s, "remote_load_misses")) / misses);
  p.expect("off_node_fraction", s.sum(engines, "requests_in") / p.llc_accesses());
  p.expect("avg_remote_load_latency_cycles",
           s.sum(p.l1s, "remote_latency", "sum") / s.sum(p.l1s, "remote_latency", "count"));
  p.expect("page_sharing", nullptr);
  p.peak("noc_request", 24 * 24 * 1.7);
  p.peak("noc_response", 24 * 24 * 1.7);
  p.peak("fabric", 4 * 28 * 3.1);
  p.peak("ingress_xbar_request", 8 * 24 * 1.7);
  p.peak("ingress_xbar_response", 4 * 24 * 1.7);

  ordered_json& remote = p.expected["remote"];
  const double accesses = p.loads() + s.sum(p.l1s, "stores") + s.sum(p.l1s, "atomics");
  remote["access_fraction"] =
      (s.sum(p.l1s, "remote_loads") + s.sum(p.l1s, "remote_stores")) / accesses;
  remote["served_by_l1_fraction"] =
      (s.sum(p.l1s, "remote_load_hits") + s.sum(p.l1s, "remote_load_merges")) / accesses;
  remote["served_remotely_fraction"] = s.sum(engines, "requests_out") / accesses;
  // Of the SMs' clock, in cycles of the engines'.
  const double latency = s.sum(p.l1s, "remote_latency", "sum") * 0.9 / 1.3;
  const double before = s.sum(engines, "pre_link_cycles");
  const double link =
      s.sum(engines, "link_request_cycles") + s.sum(engines, "link_response_cycles");
  remote["pre_link_latency_share"] = before / latency;
  remote["link_latency_share"] = link / latency;
  remote["post_link_latency_share"] = (latency - before - link) / latency;
  double few = 0;
  double most = 0;
  for (const std::string& e : engines) {
    const ordered_json& statistics = s.modules().at("system." + e);
    const ordered_json& buckets = statistics.at("remote_read_words").at("log2_buckets");
    few += buckets[0].get<double>() + buckets[1].get<double>() + buckets[2].get<double>();
    most = std::max(most, s.of(e, "responses_per_packet", "max"));
  }
  const double reads = s.sum(engines, "remote_read_words", "count");
  remote["below_4_words_fraction"] = few / reads;
  remote["mean_words"] = s.sum(engines, "remote_read_words", "sum") / reads;
  remote["mergeable_fraction"] = s.sum(engines, "mergeable_reads") / s.sum(engines, "reads_out");
  remote["cache_hit_rate"] = (s.sum(caches, "hits") + s.sum(caches, "write_allocations")) /
                             (s.sum(caches, "reads") + s.sum(caches, "writes") +
                              s.sum(caches, "atomics") + s.sum(caches, "bypasses"));
  remote["responses_per_packet"] = s.sum(engines, "responses_per_packet", "sum") /
                                   s.sum(engines, "responses_per_packet", "count");
  remote["most_responses_per_packet"] = most;
  remote["verdict"] = s.of("decision", "verdict");
  remote["golden_verdict"] = s.of("decision", "golden_verdict");
  remote["decided_at_cycle"] = s.of("decision", "decided_at_cycle");
  remote["undecided_fraction"] = s.of("decision", "decided_at_cycle") / 0.7e9 / kSeconds;
  for (const std::string of : {"window", "run"}) {
    const double loads = s.of("decision", of + "_remote_loads");
    // A line has 16 pieces.
    remote[of + "_utilisation"] = s.of("decision", of + "_remote_load_words") / (16 * loads);
    remote[of + "_hit_rate"] = s.of("decision", of + "_remote_load_hits") / loads;
  }
  for (unsigned from = 0; from < kGpus; ++from) {
    for (unsigned to = 0; to < kGpus; ++to) {
      const std::string way = std::to_string(from) + "_" + std::to_string(to);
      remote["bytes"][from][to] = from == to ? 0 : s.of("fabric", "bytes_" + way);
    }
  }
  p.check();
}

}  // namespace tessera::derived_figures_test
