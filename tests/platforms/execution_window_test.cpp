// SPDX-License-Identifier: Apache-2.0
// Windows: what is executed before, in and after them is the whole workload, once.
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "common/json.h"
#include "platforms/run_result.h"
#include "stimuli/warp_program.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::execution_window_test {

using namespace tessera::test;
using nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kWhole = 1'000'000'000'000'000'000;

struct Case {
  std::string platform;
  std::string workload;
  ValueMode values = ValueMode::kFunctional;
};

ordered_json run(const Case& c, const std::optional<WindowOptions>& window) {
  RunOptions options;
  options.values = c.values;
  options.window = window;
  return ordered_json::parse(document(c.platform, c.workload, options));
}

ordered_json run(const Case& c, std::uint64_t skip, std::uint64_t detail) {
  return run(c, WindowOptions{skip, detail});
}

std::uint64_t count(const ordered_json& stats, const char* key) {
  return stats.at("window").at(key).get<std::uint64_t>();
}

std::uint64_t detailed(const ordered_json& stats) {
  return count(stats, "detailed_thread_instructions");
}

std::uint64_t all_parts(const ordered_json& stats) {
  return count(stats, "skipped_thread_instructions") + detailed(stats) +
         count(stats, "rest_thread_instructions");
}

/// Sum of a counter of the SMs.
std::uint64_t of_sms(const ordered_json& stats, const char* counter) {
  std::uint64_t sum = 0;
  for (const auto& [module, values] : stats.at("modules").items()) {
    if (values.contains("thread_instructions")) sum += values.at(counter).get<std::uint64_t>();
  }
  return sum;
}

const std::vector<Case> kCases = {
    {"uba-mem-small", "mm", ValueMode::kCarried},
    {"uba-mem-small", "reduction", ValueMode::kFunctional},
    {"nuba-small", "scan", ValueMode::kCarried},
    {"nuba-small", "fdtd2d", ValueMode::kFunctional},
    {"uba-sm-small", "nw", ValueMode::kCarried},
    {"dca-small", "backprop", ValueMode::kCarried},
    {"dca-small", "transpose", ValueMode::kFunctional},
    {"dualopt-small", "mm", ValueMode::kCarried},
};

}  // namespace

TEST_CASE("a window over the whole run has the statistics of a whole run") {
  for (const Case& c : kCases) {
    CAPTURE(c.platform, c.workload);
    const ordered_json whole = run(c, std::nullopt);
    ordered_json window = run(c, 0, kWhole);
    CHECK(detailed(window) == of_sms(whole, "thread_instructions"));
    CHECK(all_parts(window) == detailed(window));
    CHECK_FALSE(window["window"]["complete"].get<bool>());
    window.erase("window");
    CHECK(window.dump() == whole.dump());
  }
}

TEST_CASE("skipped, detailed and other instructions are those of the whole run, and it verifies") {
  std::mt19937_64 random(7);
  for (const Case& c : kCases) {
    const std::uint64_t all = of_sms(run(c, std::nullopt), "thread_instructions");
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t skip = random() % all;
      const std::uint64_t detail = 1 + random() % (all / 2);
      CAPTURE(c.platform, c.workload, skip, detail);
      const ordered_json stats = run(c, skip, detail);
      CHECK(stats.at("verified").get<bool>());
      CHECK(all_parts(stats) == all);
      CHECK(count(stats, "skipped_thread_instructions") >= skip);
      CHECK(count(stats, "skipped_thread_instructions") < skip + kWarpLanes);
      CHECK(of_sms(stats, "thread_instructions") == detailed(stats));
      if (stats["window"]["complete"].get<bool>()) {
        CHECK(detailed(stats) >= detail);
        CHECK(count(stats, "rest_thread_instructions") > 0);
      } else {
        CHECK(count(stats, "rest_thread_instructions") == 0);
      }
    }
  }
}

TEST_CASE("a window ends at the first edge with its instructions") {
  const Case c{"uba-mem-small", "mm", ValueMode::kFunctional};
  const ordered_json first = run(c, 0, 20'000);
  const std::uint64_t n = detailed(first);
  REQUIRE(n > 20'000);
  const ordered_json same = run(c, 0, n);
  CHECK(detailed(same) == n);
  CHECK(same["modules"] == first["modules"]);
  CHECK(same["cycles"] == first["cycles"]);
  const ordered_json next = run(c, 0, n + 1);
  CHECK(detailed(next) > n);
  CHECK(count(next, "end_cycle") > count(first, "end_cycle"));
  const std::uint64_t edges = count(next, "end_cycle") - count(first, "end_cycle");
  const std::uint64_t per_edge = next["config"]["system"]["sms"].get<std::uint64_t>() *
                                 next["config"]["sm"]["schedulers"].get<std::uint64_t>() *
                                 kWarpLanes;
  CHECK(detailed(next) <= n + per_edge * edges);
}

TEST_CASE("two windows that meet execute the instructions of both") {
  const Case c{"nuba-small", "fdtd2d", ValueMode::kCarried};
  const std::uint64_t all = of_sms(run(c, std::nullopt), "thread_instructions");
  const ordered_json first = run(c, 0, all / 3);
  const std::uint64_t skipped = detailed(first);
  const ordered_json second = run(c, skipped, all / 3);
  CHECK(count(second, "skipped_thread_instructions") >= skipped);
  CHECK(count(second, "skipped_thread_instructions") < skipped + kWarpLanes);
  CHECK(detailed(first) + detailed(second) >= 2 * (all / 3));
  CHECK(count(second, "rest_thread_instructions") + count(second, "skipped_thread_instructions") +
            detailed(second) ==
        all);
}

TEST_CASE("statistics of a window begin with it") {
  const Case c{"uba-mem-small", "fdtd2d", ValueMode::kFunctional};
  const ordered_json whole = run(c, std::nullopt);
  const std::uint64_t all = of_sms(whole, "thread_instructions");
  const ordered_json window = run(c, all / 2, kWhole);
  const auto& dispatcher = window["modules"]["system.gpu0.dispatcher"];
  const auto& whole_dispatcher = whole["modules"]["system.gpu0.dispatcher"];
  CHECK(dispatcher["kernels"] == window["kernels"].size());
  CHECK(whole_dispatcher["kernels"] == whole["kernels"].size());
  CHECK(window["kernels"].size() < whole["kernels"].size());
  CHECK(window["kernels"][0]["start_cycle"] == window["window"]["begin_cycle"]);
  std::uint64_t cycles = 0;
  for (const auto& k : window["kernels"]) cycles += k["cycles"].get<std::uint64_t>();
  CHECK(window["cycles"].get<std::uint64_t>() == cycles);
  CHECK(count(window, "end_cycle") - count(window, "begin_cycle") == cycles);
}

TEST_CASE("a window counts its own issue slots, kernels, CTAs and busy cycles") {
  for (const Case& c : {Case{"nuba-small", "fdtd2d"}, Case{"uba-mem-small", "reduction"},
                        Case{"dca-small", "backprop"}}) {
    const std::uint64_t all = of_sms(run(c, std::nullopt), "thread_instructions");
    const ordered_json w = run(c, all / 2, all / 4);
    CAPTURE(c.platform, c.workload);
    const std::uint64_t cycles = count(w, "end_cycle") - count(w, "begin_cycle");
    // The edges at begin and end count both.
    const std::uint64_t slots = (cycles + 1) * w["config"]["system"]["sms"].get<std::uint64_t>() *
                                w["config"]["sm"]["schedulers"].get<std::uint64_t>();
    std::uint64_t counted = 0;
    for (const char* kind : {"issued_slots", "idle_slots", "structural_slots", "dependency_slots",
                             "memory_slots", "barrier_slots"}) {
      counted += of_sms(w, kind);
    }
    CHECK(counted == slots);
    std::uint64_t ctas = 0;
    std::uint64_t kernels = 0;
    std::uint64_t busy = 0;
    for (const auto& [module, values] : w["modules"].items()) {
      if (!values.contains("busy_cycles") || !values.contains("ctas")) continue;
      ctas += values["ctas"].get<std::uint64_t>();
      kernels += values["kernels"].get<std::uint64_t>();
      busy += values["busy_cycles"].get<std::uint64_t>();
    }
    CHECK(ctas == of_sms(w, "ctas"));
    CHECK(kernels == w["kernels"].size());
    CHECK(busy > 0);
    CHECK(busy <= cycles);
  }
}

TEST_CASE("a window without an instruction fails") {
  const Case c{"uba-mem-small", "vecadd", ValueMode::kFunctional};
  const std::uint64_t all = of_sms(run(c, std::nullopt), "thread_instructions");
  CHECK_THAT(run(c, all, 1000)["failure"].get<std::string>(),
             Catch::Contains("nothing was measured"));
  CHECK(run(c, all - kWarpLanes, 1000)["verified"].get<bool>());
}

TEST_CASE("without rest, a run ends with its window, with the same statistics and no verdict") {
  const Case c{"nuba-small", "fdtd2d", ValueMode::kCarried};
  const ordered_json whole = run(c, 100'000, 300'000);
  ordered_json cut = run(c, WindowOptions{100'000, 300'000, false});
  CHECK(whole["verified"].get<bool>());
  CHECK(cut["verified"].is_null());
  CHECK_FALSE(cut.contains("failure"));
  CHECK(cut["modules"] == whole["modules"]);
  CHECK(cut["cycles"] == whole["cycles"]);
  CHECK(cut["kernels"] == whole["kernels"]);
  CHECK(count(cut, "rest_thread_instructions") == 0);
}

TEST_CASE("a skip beyond the workload's end measures nothing, and says so") {
  const Case c{"uba-mem-small", "mm", ValueMode::kFunctional};
  const ordered_json stats = run(c, kWhole, 1000);
  CHECK_THAT(stats["failure"].get<std::string>(),
             Catch::Contains("ends within the skipped instructions") &&
                 Catch::Contains("nothing was measured"));
}

TEST_CASE("a window and GPUs that run ahead exclude each other") {
  RunOptions options;
  options.values = ValueMode::kCarried;
  options.window = WindowOptions{0, 1000};
  BuildOptions build;
  build.windows = DomainWindows{0, 2};
  CHECK_THROWS_WITH(run_workload("dca-small", "mm", options, {}, build),
                    Catch::Contains("without --threads"));
}

}  // namespace tessera::execution_window_test
