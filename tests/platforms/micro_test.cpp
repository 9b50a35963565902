// SPDX-License-Identifier: Apache-2.0
// Microbenchmarks on platforms: values in transactions, and figures against sums on paper.
#include <catch2/catch.hpp>
#include <string>

#include "common/json.h"
#include "tests/platforms/latency_sums.h"
#include "tests/platforms/workload_runs.h"
#include "tests/support/suite_cases.h"

namespace tessera::micro_test {

namespace {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using nlohmann::json;

/// The figures of a run.
json figures_of(const std::string& platform, const std::string& workload,
                const std::vector<std::string>& sets = {}) {
  const json stats = json::parse(document(platform, workload, ValueMode::kFunctional, sets));
  INFO(stats.value("failure", ""));
  CHECK(stats.at("verified") == true);
  return stats.at("figures");
}

double value(const json& figures, const char* name) {
  return figures.at(name).at("value").get<double>();
}

/// Cycles of a chase with `hops` timed hops, as the SM's clock reads them.
double chase_cycles(const std::string& sizes, unsigned hops) {
  return value(figures_of("uba-mem", "micro-chase:hops=" + std::to_string(hops) + sizes),
               "latency") *
         hops;
}

}  // namespace

#define TESSERA_CARRIED(NAME, WHAT) TESSERA_VERIFIES_CARRIED(NAME, "uba-mem-small")
TESSERA_FOR_MICRO(TESSERA_CARRIED, 0)

TEST_CASE("carried on uba-mem-small: writes and copies") {
  verify_carried("uba-mem-small", "micro-bandwidth:mode=2:interleaved=1");
}

TEST_CASE("a chase on a chosen SM runs there") {
  verify_carried("uba-mem-small", "micro-chase:sm=3:ctas=2:lanes=4");
}

// The first clock read takes two issue slots, and the loop's entry tests its count: the predicate
// takes the ALU's latency, and the branch one slot. The loop's own instructions issue while the
// load is under way. The store that needs the last value issues when it has come, and the second
// clock read a cycle later.
TEST_CASE("a chase through the L1 takes the L1's latency a hop") {
  const ResolvedConfig c = resolve_config("uba-mem", {});
  const double hit = static_cast<double>(l1_hit_cycles(c.gpu));
  CHECK(hit == 29);
  const double around = 2 + c.gpu.sm.alu_latency + 1 + 1;
  CHECK(chase_cycles("", 1) == hit + around);
  CHECK(chase_cycles("", 2) == 2 * hit + around);
  CHECK(chase_cycles("", 1000) == 1000 * hit + around);
  CHECK(chase_cycles(":order=0", 1000) == 1000 * hit + around);
}

TEST_CASE("a chase past the L1 takes the LLC's latency a hop") {
  const ResolvedConfig c = resolve_config("uba-mem", {});
  const double hit = static_cast<double>(llc_hit_cycles(c.gpu));
  CHECK(hit == 176);
  const double around = 2 + c.gpu.sm.alu_latency + 1 + 1;
  CHECK(chase_cycles(":load=1", 1) == hit + around);
  CHECK(chase_cycles(":load=1", 1000) == 1000 * hit + around);
  CHECK(chase_cycles(":load=1:sm=17", 100) == 100 * hit + around);
}

// The near slice looks the line up and sends the request over the link to the home, which looks it
// up, too; the near slice responds a cycle after the line has come.
TEST_CASE("a hit in the far partition of an A100 takes a lookup and two ways over the link more") {
  const GpuConfig c = resolve_config("a100", {}).gpu;
  const auto cycles = [](unsigned warm_sm, unsigned offset) {
    return value(figures_of("a100",
                            "micro-chase:bytes=2097152:stride=20480:load=1:sm=0:hops=102"
                            ":warm_sm=" +
                                std::to_string(warm_sm) + ":offset=" + std::to_string(offset)),
                 "latency") *
           102;
  };
  // As on uba-mem, but a scheduler issues to the ALU every second cycle.
  const double around = 2 * c.sm.alu_interval + c.sm.alu_latency + 1 + 1;
  const double near = 206;
  CHECK(cycles(1, 0) == Approx(102 * near + around).epsilon(1e-9));
  // The request has one flit, the response 136 bytes.
  const double line_flits = (136 + c.side_link.link_bytes - 1) / c.side_link.link_bytes;
  const double link = c.side_link.latency + 1 + c.side_link.latency + line_flits;
  const double far = near + c.llc.latency_cycles + link + 1;
  CHECK(far == 354);
  CHECK(cycles(c.system.sms - 1, 10240) == Approx(102 * far + around).epsilon(1e-9));
  // A second pass on the first one's side finds a copy.
  CHECK(cycles(1, 10240) == Approx(102 * near + around).epsilon(1e-9));
}

TEST_CASE("a chase by atomics takes the LLC's latency with one operand a packet") {
  const GpuConfig c = resolve_config("uba-mem", {}).gpu;
  const std::uint32_t bytes = c.noc.header_bytes + 8;  // both ways
  const std::uint64_t one_way = packet_cycles(c.noc, bytes, c.system.sms, c.system.slices());
  CHECK(chase_cycles(":load=2", 1000) ==
        1000 * static_cast<double>(llc_hit_cycles(c, 2 * one_way)) + 8);
}

// 32 lanes bring 32 lines to the L1, one a cycle.
TEST_CASE("a chase of 32 chains waits for the last line of the warp") {
  const double around = 8;
  CHECK(chase_cycles(":lanes=32", 100) == 100 * (29 + 31) + around);
}

TEST_CASE("a chase in shared memory takes its latency, and a pass more for each bank conflict") {
  const double latency = resolve_config("uba-mem", {}).gpu.sm.shared_latency;
  const auto cycles = [](unsigned stride) {
    const json f = figures_of("uba-mem", "micro-shared:hops=1000:stride=" + std::to_string(stride));
    return value(f, "latency") * 1000;
  };
  const double around = 8;
  CHECK(cycles(1) == 1000 * latency + around);
  CHECK(cycles(2) == 1000 * (latency + 1) + around);
  CHECK(cycles(31) == 1000 * latency + around);
  CHECK(cycles(32) == 1000 * (latency + 31) + around);
}

TEST_CASE("a workload without figures has no such section") {
  const json stats =
      json::parse(document("uba-mem-small", "vecadd:n=1024", ValueMode::kFunctional));
  CHECK_FALSE(stats.contains("figures"));
}

TEST_CASE("figures have value, unit and description, but no value without all instructions") {
  RunOptions options;
  const auto latency = [&options] {
    return json::parse(document("uba-mem-small", "micro-chase", options))
        .at("figures")
        .at("latency");
  };
  const json whole = latency();
  CHECK(whole.at("value").is_number());
  CHECK(whole.at("unit") == "cycle/hop");
  CHECK(whole.at("description") == "mean of all chains");
  options.window.emplace();
  options.window->detail = 1000;
  CHECK(latency().at("value").is_null());
}

}  // namespace tessera::micro_test
