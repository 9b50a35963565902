// SPDX-License-Identifier: Apache-2.0
// Sweeps whose runs are a formula instead of a simulation.
#include "studies/sweep/sweep_runs.h"

#include <catch2/catch.hpp>
#include <set>

#include "common/json.h"
#include "studies/sweep/sweep_document.h"
#include "studies/sweep/sweep_space.h"
#include "tests/studies/sweep/sweep_file.h"

namespace tessera::sweep_runs_test {

using namespace tessera::studies;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;
using sweep_file::SweepText;

namespace {

/// The time of workload w is (w + 1) 1e6 / (sets * ways), its energy is sets + ways.
struct Formula {
  std::vector<std::size_t> batches{};  ///< numbers of points
  std::set<std::string> failing{};     ///< "sets ways workload"

  std::vector<PointResult> operator()(const std::vector<SweepPoint>& points) {
    batches.push_back(points.size());
    std::vector<PointResult> results;
    for (const SweepPoint& p : points) {
      const auto sets = static_cast<double>(p.config->gpu.llc.sets);
      const auto ways = static_cast<double>(p.config->gpu.llc.ways);
      const double time = static_cast<double>(p.workload + 1) * 1e6 / (sets * ways);
      PointResult r;
      r.stats = ordered_json{{"cycles", 2 * time},
                             {"time_ns", time},
                             {"verified", true},
                             {"derived", {{"ipc", 1 / time}}},
                             {"energy", {{"total_j", sets + ways}, {"noc", {{"total_j", 3}}}}}};
      const std::string name = std::to_string(p.config->gpu.llc.sets) + " " +
                               std::to_string(p.config->gpu.llc.ways) + " " +
                               std::to_string(p.workload);
      if (failing.count(name) != 0) r = {nullptr, "wrong values"};
      results.push_back(std::move(r));
    }
    return results;
  }
};

SweepText two_objectives() {
  SweepText t;
  t.workloads = R"(["vecadd", "saxpy"])";
  t.objectives = R"([{"name": "time", "of": "time_ns", "mean": "sum"},
                     {"name": "energy", "of": "energy.total_j"}])";
  return t;
}

ordered_json document_of(const SweepText& text, Formula& formula) {
  const Sweep sweep = text.load();
  return sweep_document(sweep, run_sweep(sweep, std::ref(formula)));
}

}  // namespace

TEST_CASE("the document has the designs' objectives, the front and its hypervolume") {
  Formula formula;
  const ordered_json d = document_of(two_objectives(), formula);
  CHECK(formula.batches == std::vector<std::size_t>{8});
  REQUIRE(d["designs"].size() == 4);
  const auto objectives = [&d](std::size_t i) {
    const ordered_json& o = d["designs"][i]["objectives"];
    return std::pair{o["time"].get<double>(), o["energy"].get<double>()};
  };
  CHECK(objectives(0).first == Approx(3e6 / 64));
  CHECK(objectives(0).second == Approx(20));
  CHECK(objectives(1).first == Approx(3e6 / 128));
  CHECK(objectives(1).second == Approx(24));
  CHECK(objectives(2).second == Approx(36));
  CHECK(d["designs"][1]["settings"] == ordered_json({{"llc.sets", 16}, {"llc.ways", 8}}));
  // 32 sets of 4 ways are as fast as 16 of 8, and need more energy.
  CHECK(d["front"] == ordered_json({3, 1, 0}));
  CHECK(d["designs"][2]["front"] == false);
  CHECK(d["hypervolume"]["reference"]["time"] == 3e6 / 64);
  CHECK(d["hypervolume"]["reference"]["energy"].get<double>() == Approx(40));
  // Design 1 is 16 below the reference's energy; designs 0 and 3 are at the reference.
  CHECK(d["hypervolume"]["value"].get<double>() == Approx(16 * 3e6 / 128));
  const ordered_json& run = d["designs"][3]["runs"][1];
  CHECK(run["workload"] == "saxpy");
  CHECK(run["time_ns"].get<double>() == Approx(2e6 / 256));
  CHECK(run["verified"] == true);
  CHECK(run["energy"] == ordered_json({{"total_j", 40}, {"noc.total_j", 3}}));
  CHECK(run["objectives"]["energy"] == 40);
  CHECK(d["base"].is_null());
}

TEST_CASE("a maximised objective and a reference of the file") {
  SweepText t = two_objectives();
  t.objectives = R"([{"name": "ipc", "of": "derived.ipc", "goal": "max", "mean": "min",
                      "reference": 1e-5},
                     {"of": "energy.total_j", "reference": 50}])";
  Formula formula;
  const ordered_json d = document_of(t, formula);
  CHECK(d["front"] == ordered_json({3, 1, 0}));
  // The ipc of the slower workload is sets * ways / 2e6.
  CHECK(d["hypervolume"]["value"].get<double>() ==
        Approx(((64 - 20) * (50 - 20) + 64 * (50 - 24) + 128 * (50 - 40)) / 2e6));
  CHECK(d["hypervolume"]["reference"]["ipc"] == 1e-5);
}

TEST_CASE("the sensitivity of a grid is that of its formula") {
  Formula formula;
  const ordered_json d = document_of(two_objectives(), formula);
  // The energy is a sum: 16 and 4 between the levels.
  const ordered_json& energy = d["sensitivity"][1];
  CHECK(energy["main"][0]["parameter"] == "llc.sets");
  CHECK(energy["main"][0]["levels"] == 2);
  CHECK(energy["main"][0]["share"].get<double>() == Approx(256.0 / 272));
  CHECK(energy["main"][1]["share"].get<double>() == Approx(16.0 / 272));
  // The time is a product: 4, 2, 2, 1 have the mean 2.25 and the variance 4.75.
  const ordered_json& time = d["sensitivity"][0];
  CHECK(time["main"][0]["share"].get<double>() == Approx(4 * 0.75 * 0.75 / 4.75));
  CHECK(time["interactions"][0]["parameters"] == ordered_json({"llc.sets", "llc.ways"}));
  CHECK(time["interactions"][0]["share"].get<double>() == Approx(0.25 / 4.75));
}

TEST_CASE("relative objectives divide by the base design of the same workload") {
  SweepText t = two_objectives();
  t.objectives = R"([{"name": "time", "of": "time_ns", "relative": true}])";
  t.more = R"("sets": {"llc.queue_depth": 8})";
  Formula formula;
  const ordered_json d = document_of(t, formula);
  // The base runs with the first designs.
  CHECK(formula.batches == std::vector<std::size_t>{10});
  const Sweep sweep = t.load();
  const auto capacity =
      static_cast<double>(sweep.bases[0].gpu.llc.sets * sweep.bases[0].gpu.llc.ways);
  CHECK(sweep.bases[0].gpu.llc.queue_depth == 8);
  CHECK(d["designs"][0]["objectives"]["time"].get<double>() == Approx(capacity / 64));
  CHECK(d["designs"][0]["runs"][1]["objectives"]["time"].get<double>() == Approx(capacity / 64));
  CHECK(d["base"]["objectives"]["time"] == 1);
  CHECK(d["base"]["runs"][1]["time_ns"].get<double>() == Approx(2e6 / capacity));
}

TEST_CASE("a design with a failed run has no mean and is not in the front") {
  Formula formula;
  formula.failing = {"32 8 1"};
  const ordered_json d = document_of(two_objectives(), formula);
  CHECK(d["designs"][3]["objectives"]["time"].is_null());
  CHECK(d["designs"][3]["runs"][0]["objectives"]["time"].is_number());
  CHECK(d["front"] == ordered_json({1, 0}));
  CHECK(d["sensitivity"][0]["designs"] == 3);
  REQUIRE(d["failed"].size() == 1);
  CHECK(d["failed"][0]["design"] == 3);
  CHECK(d["failed"][0]["workload"] == "saxpy");
  CHECK(d["failed"][0]["error"] == "wrong values");
}

TEST_CASE("a design whose configuration is refused ends the sweep before the first run") {
  SweepText t = two_objectives();
  // A line is a power of two.
  t.parameters = R"({"system.line_bytes": {"values": [96, 128]}})";
  Formula formula;
  CHECK_THROWS_WITH(document_of(t, formula),
                    Contains("refused designs: 1 ") && Contains("{\"system.line_bytes\":96}: "));
  CHECK(formula.batches.empty());
  t.more = R"("invalid": "skip")";
  const ordered_json d = document_of(t, formula);
  CHECK(formula.batches == std::vector<std::size_t>{2});
  REQUIRE(d["invalid"].size() == 1);
  CHECK(d["invalid"][0]["settings"] == ordered_json({{"system.line_bytes", 96}}));
  CHECK_THAT(d["invalid"][0]["error"].get<std::string>(), Contains("line_bytes"));
}

TEST_CASE("designs that violate a constraint are counted, and no design left is an error") {
  SweepText t = two_objectives();
  t.more = R"("constraints": ["llc.sets < 32"])";
  Formula formula;
  const ordered_json d = document_of(t, formula);
  CHECK(d["designs"].size() == 2);
  CHECK(d["excluded"] == 2);
  t.more = R"("constraints": ["llc.sets < 16"])";
  CHECK_THROWS_WITH(document_of(t, formula), Contains("no design is left: 4 violate a constraint"));
}

TEST_CASE("an adaptive sweep runs its budget of designs, generation by generation") {
  SweepText t = two_objectives();
  t.parameters = R"({"llc.sets": {"from": 1, "to": 64, "points": 64},
                     "llc.ways": {"from": 1, "to": 16, "points": 16}})";
  t.sampling = R"({"method": "adaptive", "budget": 100, "seed": 2})";
  t.more = R"("constraints": ["llc.sets * llc.ways <= 512"])";
  Formula formula;
  const ordered_json d = document_of(t, formula);
  CHECK(d["designs"].size() == 100);
  CHECK(d["sampling"] ==
        ordered_json({{"method", "adaptive"}, {"budget", 100}, {"population", 16}, {"seed", 2}}));
  // The points of a generation are one batch: a design has two.
  CHECK(formula.batches.size() > 3);
  CHECK(formula.batches.front() > 2);
  std::set<std::string> settings;
  for (const ordered_json& design : d["designs"]) {
    CHECK(settings.insert(design["settings"].dump()).second);
    CHECK(design["settings"]["llc.sets"].get<int>() * design["settings"]["llc.ways"].get<int>() <=
          512);
  }
  Formula again;
  CHECK(document_of(t, again) == d);
}

TEST_CASE("a sample with a range groups its values for the sensitivity") {
  SweepText t = two_objectives();
  t.parameters = R"({"llc.sets": {"from": 1, "to": 1000}, "llc.ways": {"values": [4, 8]}})";
  t.sampling = R"({"method": "latin-hypercube", "points": 20, "seed": 1})";
  Formula formula;
  const ordered_json d = document_of(t, formula);
  CHECK(d["designs"].size() == 20);
  // Twenty values in five groups of four.
  CHECK(d["sensitivity"][1]["main"][0]["levels"] == 5);
  CHECK(d["sensitivity"][1]["main"][0]["share"].get<double>() > 0.9);
  CHECK(d["sensitivity"][1]["main"][1]["levels"] == 2);
}

}  // namespace tessera::sweep_runs_test
