// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "common/json.h"
#include "studies/sweep/sweep_space.h"
#include "tests/studies/sweep/sweep_file.h"

namespace tessera::sweep_reader_test {

using namespace tessera::studies;
using Catch::Matchers::Contains;
using sweep_file::SweepText;

namespace {

/// The settings of the sweep's designs, with the platform's index first if there are several.
std::vector<std::string> designs_of(const Sweep& sweep) {
  std::vector<std::string> out;
  for (const SweepDesign& d : sampled_designs(sweep)) {
    std::string text = sweep.platforms.size() > 1 ? std::to_string(d.platform) : "";
    for (const SettingValue& v : d.values) text += (text.empty() ? "" : " ") + v->dump();
    out.push_back(text);
  }
  return out;
}

SweepText with_parameters(const std::string& parameters, const std::string& sampling = "") {
  SweepText t;
  t.parameters = parameters;
  t.sampling = sampling;
  return t;
}

}  // namespace

TEST_CASE("a sweep without a sampling is a grid with the defaults of a run") {
  const Sweep s = SweepText{}.load();
  CHECK(s.name == "mine");
  CHECK(s.sampling == Sampling::kGrid);
  CHECK(s.scale == "small");
  CHECK(s.options.values == ValueMode::kFunctional);
  CHECK(s.options.seed == 1);
  CHECK_FALSE(s.options.window);
  CHECK(designs_of(s) == std::vector<std::string>{"16 4", "16 8", "32 4", "32 8"});
  CHECK(s.objectives[0].mean == "gmean");
  CHECK_FALSE(s.objectives[0].maximised);
  CHECK(sets_of(s, sampled_designs(s)[1]) == std::vector<std::string>{"llc.sets=16", "llc.ways=8"});
}

TEST_CASE("several platforms are the first dimension of the grid") {
  SweepText t = with_parameters(R"({"llc.ways": {"values": [4, 8]}})");
  t.platforms = R"(["uba-mem-small", "nuba-small"])";
  const Sweep s = t.load();
  CHECK(s.dimensions() == std::vector<std::string>{"platform", "llc.ways"});
  CHECK(designs_of(s) == std::vector<std::string>{"0 4", "0 8", "1 4", "1 8"});
}

TEST_CASE("several platforms need no parameters, and one does") {
  SweepText t;
  t.parameters = "";
  CHECK_THAT(t.error(), Contains("the key \"parameters\" is missing"));
  t.platforms = R"(["uba-mem-small", "nuba-small"])";
  CHECK(designs_of(t.load()) == std::vector<std::string>{"0", "1"});
}

TEST_CASE("a range has its points at equal distances or ratios, rounded for integers") {
  CHECK(designs_of(with_parameters(R"({"llc.sets": {"from": 16, "to": 128, "points": 4,
                                       "scale": "log"}})")
                       .load()) == std::vector<std::string>{"16", "32", "64", "128"});
  CHECK(designs_of(with_parameters(R"({"llc.sets": {"from": 1, "to": 4, "points": 3}})").load()) ==
        std::vector<std::string>{"1", "3", "4"});
  // Points that are rounded to one value are one level.
  CHECK(designs_of(with_parameters(R"({"llc.sets": {"from": 1, "to": 2, "points": 5}})").load()) ==
        std::vector<std::string>{"1", "2"});
}

TEST_CASE("a Sobol sample of levels and of a range is the sequence's") {
  const Sweep s =
      with_parameters(R"({"llc.sets": {"from": 8, "to": 16}, "llc.ways": {"values": [4, 8]}})",
                      R"({"method": "sobol", "points": 3})")
          .load();
  // (0.5, 0.5), (0.75, 0.25), (0.25, 0.75)
  CHECK(designs_of(s) == std::vector<std::string>{"12 8", "14 4", "10 8"});
}

TEST_CASE("points of a sample that are the same design run once") {
  const Sweep s = with_parameters(R"({"llc.ways": {"values": [4, 8]}})",
                                  R"({"method": "random", "points": 50, "seed": 3})")
                      .load();
  CHECK(designs_of(s).size() == 2);
}

TEST_CASE("a list has its designs, and parameters that a design does not set stay as they are") {
  SweepText t = with_parameters("", R"({"method": "list"})");
  t.platforms = R"(["uba-mem-small", "nuba-small"])";
  t.more = R"("designs": [{"llc.sets": 16}, {"platform": "nuba-small", "llc.ways": "8 ways"}])";
  const Sweep s = t.load();
  CHECK(designs_of(s) == std::vector<std::string>{"0 16 null", "1 null 8"});
  CHECK(sets_of(s, s.designs[1]) == std::vector<std::string>{"llc.ways=8"});
  CHECK(settings_of(s, s.designs[0]) == nlohmann::ordered_json({{"llc.sets", 16}}));
}

TEST_CASE("constraints see the design's settings, the fixed ones and the platform's own") {
  SweepText t;
  t.more = R"("sets": {"llc.queue_depth": 8}, "constraints": ["llc.sets * llc.ways <= 128",
              "llc.queue_depth < 9", "system.line_bytes > llc.ways"])";
  const Sweep s = t.load();
  std::vector<bool> met;
  for (const SweepDesign& d : sampled_designs(s)) met.push_back(meets_constraints(s, d));
  CHECK(met == std::vector<bool>{true, true, true, false});
  t.more = R"("constraints": ["llc.queue_depth < 9"])";
  const Sweep own = t.load();
  CHECK_FALSE(meets_constraints(own, sampled_designs(own)[0]));
}

TEST_CASE("an adaptive sweep has a population of 16, or of 8 if the budget is small") {
  SweepText t;
  t.objectives = R"([{"of": "time_ns"}, {"of": "energy.total_j"}])";
  t.sampling = R"({"method": "adaptive", "budget": 20, "seed": 5})";
  CHECK(t.load().search.population == 16);
  CHECK(t.load().search.seed == 5);
  CHECK(t.load().skip_invalid);
  t.sampling = R"({"method": "adaptive", "budget": 12})";
  CHECK(t.load().search.population == 8);
}

TEST_CASE("errors name the file, the line, the place and the nearest name") {
  const auto error = [](const auto& change) {
    SweepText t;
    change(t);
    return t.error();
  };
  const auto parameters = [&error](const std::string& text, const std::string& sampling = "") {
    return error([&](SweepText& t) {
      t.parameters = text;
      t.sampling = sampling;
    });
  };
  CHECK_THAT(error([](SweepText& t) { t.more = R"("objective": [])"; }),
             Contains("mine.json:6") && Contains("did you mean 'objectives'?"));
  CHECK_THAT(parameters(R"({"llc.stes": {"values": [1]}})"),
             Contains("mine.json:4: /parameters/llc.stes: ") &&
                 Contains("has no parameter \"llc.stes\"; did you mean 'llc.sets'?"));
  CHECK_THAT(parameters(R"({"llc.sets": {"valeus": [1]}})"), Contains("did you mean 'values'?"));
  CHECK_THAT(parameters(R"({"llc.sets": {"values": [1.5]}})"),
             Contains("/parameters/llc.sets/values/0: expected a whole number"));
  CHECK_THAT(
      parameters(R"({"llc.sets": {"values": [0]}})"),
      Contains("/parameters/llc.sets/values/0: expected a number from 1 to 1048576, found 0"));
  CHECK_THAT(parameters(R"({"llc.sets": {"values": [16, 16]}})"), Contains("is here twice"));
  CHECK_THAT(parameters(R"({"llc.sets": {"values": []}})"), Contains("at least one value"));
  CHECK_THAT(parameters(R"({"llc.replacement": {"values": ["lur"]}})"),
             Contains("did you mean 'lru'?"));
  CHECK_THAT(parameters(R"({"llc.replacement": {"from": 1, "to": 2, "points": 2}})"),
             Contains("the parameter is no number"));
  CHECK_THAT(parameters(R"({"llc.sets": {"from": 8, "to": 8, "points": 2}})"),
             Contains("a number above \"from\""));
  CHECK_THAT(parameters(R"({"llc.sets": {"from": 8, "to": 16}})"), Contains("need \"points\""));
  CHECK_THAT(parameters(R"({"system.cycle_limit": {"from": 0, "to": 16, "points": 2,
                            "scale": "log"}})"),
             Contains("/parameters/system.cycle_limit/from: expected a number above 0"));
  CHECK_THAT(parameters("{}"), Contains("at least one parameter"));
  CHECK_THAT(parameters(R"({"llc.sets": {"from": 1, "to": 1000, "points": 1000},
                            "llc.ways": {"from": 1, "to": 1000, "points": 1000}})"),
             Contains("the grid has 1000000 designs") || Contains("expected a number from"));
  const std::string one = R"({"llc.sets": {"values": [16]}})";
  CHECK_THAT(parameters(one, R"({"method": "gird"})"), Contains("did you mean 'grid'?"));
  CHECK_THAT(parameters(one, R"({"method": "grid", "points": 3})"), Contains("points"));
  CHECK_THAT(parameters(one, R"({"method": "sobol"})"), Contains("points"));
  CHECK_THAT(parameters(one, R"({"method": "sobol", "points": 0})"),
             Contains("/sampling/points: expected a whole number from 1"));
  CHECK_THAT(parameters(one, R"({"method": "adaptive", "budget": 20})"),
             Contains("two or three objectives"));
  CHECK_THAT(parameters(one, R"({"method": "adaptive", "budget": 20, "population": 10})"),
             Contains("a multiple of four"));
  CHECK_THAT(parameters(one, R"({"method": "list"})"), Contains("\"designs\" names them"));
  CHECK_THAT(error([](SweepText& t) { t.more = R"("designs": [])"; }),
             Contains("only the sampling"));
  CHECK_THAT(error([](SweepText& t) { t.more = R"("sets": {"llc.ways": 8})"; }),
             Contains("/parameters/llc.ways: \"sets\" has this parameter too"));
  CHECK_THAT(error([](SweepText& t) { t.more = R"("sets": {"llc.wyas": 8})"; }),
             Contains("/platforms/0: ") && Contains("did you mean"));
  CHECK_THAT(error([](SweepText& t) { t.platforms = R"(["uba-mem-smal"])"; }),
             Contains("mine.json:2: /platforms/0: ") && Contains("did you mean 'uba-mem-small'?"));
  CHECK_THAT(error([](SweepText& t) { t.workloads = R"(["vecad"])"; }),
             Contains("/workloads/0: ") && Contains("did you mean 'vecadd'?"));
  CHECK_THAT(error([](SweepText& t) { t.workloads = "[]"; }), Contains("at least one name"));
  CHECK_THAT(
      error([](SweepText& t) { t.more = R"("constraints": ["llc.stes < 3"])"; }),
      Contains("/constraints/0: ") && Contains("column 1") &&
          Contains("there is no parameter with a number 'llc.stes'; did you mean 'llc.sets'?"));
  CHECK_THAT(error([](SweepText& t) { t.more = R"("constraints": ["llc.sets"])"; }),
             Contains("expected a comparison"));
  CHECK_THAT(error([](SweepText& t) { t.more = R"("constraints": ["max(llc.sets) < 3"])"; }),
             Contains("unknown function 'max'"));
  CHECK_THAT(error([](SweepText& t) { t.objectives = R"([{"of": "tmie_ns"}])"; }),
             Contains("there is no statistic 'tmie_ns'; did you mean 'time_ns'?"));
  CHECK_THAT(error([](SweepText& t) { t.objectives = R"([{"of": "time_ns", "mean": "gmaen"}])"; }),
             Contains("did you mean 'gmean'?"));
  CHECK_THAT(error([](SweepText& t) { t.objectives = R"([{"of": "cycles"}, {"of": "cycles"}])"; }),
             Contains("the objective \"cycles\" is here twice"));
  CHECK_THAT(error([](SweepText& t) { t.objectives = "[]"; }), Contains("at least one objective"));
  CHECK_THAT(error([](SweepText& t) { t.more = R"("invalid": "skp")"; }),
             Contains("did you mean 'skip'?"));
}

}  // namespace tessera::sweep_reader_test
