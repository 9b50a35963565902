// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "common/error.h"
#include "studies/points.h"
#include "studies/study.h"

namespace tessera::loader_test {

using namespace tessera::studies;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A copy of the tiny study, or of another one of the tests, in which one text is replaced.
class Copy {
 public:
  Copy(const std::string& file, const std::string& from, const std::string& to,
       const std::string& study = "tiny")
      : folder_(fs::temp_directory_path() / ("tessera-study-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::copy(fs::path(TESSERA_SOURCE_DIR) / "tests/studies/data" / study, folder_);
    std::stringstream text;
    text << std::ifstream(folder_ / file).rdbuf();
    std::string all = text.str();
    const std::size_t at = all.find(from);
    REQUIRE(at != std::string::npos);
    std::ofstream(folder_ / file) << all.replace(at, from.size(), to);
  }
  ~Copy() { fs::remove_all(folder_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  Study study() const { return load_study(folder_.string()); }

  std::string error() const {
    try {
      const Study loaded = study();
      plan_points(loaded, {0, 1}, {});
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  }

 private:
  fs::path folder_;
};

}  // namespace

TEST_CASE("the tiny study loads") {
  const Copy copy("study.json", "Two LLCs", "Two LLCs");
  CHECK(copy.error() == "no error");
}

TEST_CASE("malformed files are reported with file, line, place and the nearest name") {
  const auto check = [](const std::string& file, const std::string& from, const std::string& to,
                        const std::vector<std::string>& parts) {
    const Copy copy(file, from, to);
    const std::string error = copy.error();
    CAPTURE(file, to, error);
    for (const std::string& part : parts) CHECK_THAT(error, Contains(part));
  };
  check("fig1.json", "\"series\":", "\"seires\":",
        {"fig1.json:7: /seires: unknown key", "did you mean 'series'?"});
  check("fig1.json", "{\"kind\": \"bars\"", "{\"kind\": \"bar\"",
        {"fig1.json:5: /chart/kind", "did you mean 'bars'?"});
  check("fig1.json", "\"id\": \"slower\"", "\"id\": \"slowr\"",
        {"fig1.json:9: /claims/0/id", "did you mean 'slower'?"});
  check("fig1.json", "\"hmean(each)\"", "\"hmaen(each)\"",
        {"fig1.json:9: /claims/0/measured", "column 1", "did you mean 'hmean'?"});
  check("fig1.json", "\"hmean(each)\"", "\"each\"",
        {"/claims/0/measured", "this has a value for each workload"});
  check("fig1.json", "\"hmean(each)\"", "\"max(each) > 1\"", {"expected a number, found a comp"});
  check("fig1.json", ", \"measured\": \"hmean(each)\"", "",
        {"fig1.json:9: /claims/0", "\"measured\" is missing"});
  check("fig1.json", "\"checks\": [\"hmean(speedup(slow, base)) < 1\"]", "\"note\": \"?\"",
        {"expected one of measured, parts, points, checks"});
  check("fig1.json", "{\"mean\": 0.5}", "{\"meen\": 0.5}",
        {"fig1.json:7: /series/0/published/meen", "did you mean 'mean'?"});
  check("fig1.json", "speedup(slow, base)", "speedup(slow, bose)", {"did you mean 'base'?"});
  check("fig1.json", "\"id\": \"other\"", "\"id\": \"slower\"", {"measured twice", "fig1.json"});
  check("fig2.json", "\"y\": \"at(cycles[slow], VA)\"", "\"z\": 1",
        {"fig2.json:10", "/points/1/z"});
  check("claims.json", "\"ratio < 1\"", "\"system('ls')\"",
        {"claims.json:5: /claims/0/minimum_check", "unexpected"});
  check("claims.json", "\"accept_range\": [0.01, 0.99]", "\"accept_range\": [2, 1]",
        {"/claims/0/accept_range", "low <= high"});
  check("claims.json", "\"accept_range\": [0.01, 0.99]", "\"accept_range\": [null, 1]",
        {"/claims/0/accept_range/0", "expected a number"});
  check("claims.json", "\"value\": 0.5, ", "", {"\"value\" and \"accept_range\" come together"});
  check("claims.json", "\"direction\": [\"base\", \"slow\"]", "\"per_workload\": {\"VA\": 1}",
        {"/claims/2", "numbers need a \"tolerance\""});
  check("claims.json", "\"direction\": [\"base\", \"slow\"]",
        "\"tolerance\": 0.1, \"per_workload\": {\"VA\": 1}",
        {"fig1.json:11: /claims/2", "nothing measures the claim's number \"VA\""});
  check("claims.json", "\"value_kind\": \"ratio\", \"accept_range\"", "\"accept_range\"",
        {"claims.json:5: /claims/0/minimum_check", "a ratio needs \"value_kind\": \"ratio\""});
  check("claims.json", "\"ratio\", \"accept_range\"", "\"raito\", \"accept_range\"",
        {"claims.json:5: /claims/0/value_kind", "did you mean 'ratio'?"});
  check("claims.json", "\"value\": 0.5, ", "\"value\": 0, ", {"a ratio must be above 0"});
  check("claims.json", "{\"x\": \"VA\", \"value\": 2}", "{\"x\": \"VA\", \"value\": -2}",
        {"/claims/3", "a ratio must be above 0"});
  const auto floor = [&check](const std::string& value, const std::string& text,
                              const std::string& part) {
    check("claims.json", "\"value\": 0.5, ",
          "\"value\": " + value + ", \"effect_floor\": " + text + ", ",
          {"claims.json:5: /claims/0/effect_floor", part});
  };
  floor("0.5", "1.1", "expected a ratio between 1 and the value");
  floor("0.5", "0.4", "expected a ratio between 1 and the value");
  floor("0.5", "0", "expected a ratio between 1 and the value");
  floor("0.98", "0.99", "only a value more than 3 % away from 1 has an effect");
  check("claims.json", "\"direction\": [\"base\", \"slow\"]", "\"effect_floor\": 1.1",
        {"/claims/2/effect_floor", "only a ratio has an effect"});
  check("claims.json", "\"hardware\"", "\"hardwear\"", {"did you mean 'hardware'?"});
  check("claims.json", "\"workloads\": \"streams\"", "\"workloads\": \"steams\"",
        {"claims.json:7: /claims/2/workloads", "did you mean 'streams'?"});
  check("claims.json", "\"id\": \"other\"", "\"id\": \"slower\"", {"is here twice"});
  check("workloads.json", "\"name\": \"SX\"", "\"name\": \"VA\"", {"workloads.json:6", "twice"});
  check("workloads.json", "\"not-there-yet\"", "\"./none.json\"", {"none.json is not there"});
  check("workloads.json", "\"not-there-yet\"", "\"vecadd:n=1:n=2\"",
        {"workloads.json:", "/workloads/", "the size 'n' is given twice"});
  check("study.json", "\"base\": \"base\"", "\"base\": \"bsae\"",
        {"study.json:6: /platforms/slow/base", "did you mean 'base'?"});
  check("study.json", "\"base\": \"base\"", "\"base\": \"slow\"", {"leads back"});
  check("study.json", "\"preset\": \"uba-mem-small\"", "\"preset\": \"uba-mme-small\"",
        {"study.json:7: /platforms/base", "did you mean 'uba-mem-small'?"});
  check("study.json", "llc.latency_cycles", "llc.latency_cycle",
        {"study.json:6: /platforms/slow", "did you mean 'llc.latency_cycles'?"});
  check("study.json", "\"medium\": 601, ", "", {"the key \"medium\" is missing"});
}

TEST_CASE("a half is fitted or test, and belongs to a value above 0") {
  const auto check = [](const std::string& to, const std::vector<std::string>& parts) {
    const std::string error =
        Copy("claims.json", R"("value": 40000, "half": "fitted")", to, "silicon").error();
    CAPTURE(to, error);
    for (const std::string& part : parts) CHECK_THAT(error, Contains(part));
  };
  check(R"("value": 40000, "half": "fited")",
        {"claims.json:5: /claims/0/half", "did you mean 'fitted'?"});
  check(R"("value": 40000, "half": "tset")",
        {"claims.json:5: /claims/0/half", "did you mean 'test'?"});
  check(R"("value": 40000, "half": 1)", {"claims.json:5: /claims/0/half", "expected"});
  check(R"("value": 40000, "halb": "test")",
        {"claims.json:5: /claims/0/halb: unknown key", "did you mean 'half'?"});
  check(R"("value": 0, "half": "test")",
        {"claims.json:5: /claims/0/half: \"half\" needs a \"value\" above 0"});
  const Copy without("claims.json", R"("direction": ["base", "slow"])",
                     R"("direction": ["base", "slow"], "half": "test")");
  CHECK_THAT(without.error(), Contains("claims.json:7: /claims/2/half: \"half\" needs"));
  const Study study = Copy("claims.json", "made up", "made up", "silicon").study();
  CHECK(study.claims[0].half == "fitted");
  CHECK(study.claims[2].half == "test");
  CHECK(study.claims[5].half.empty());
}

TEST_CASE("a correlation chart shows claims with a half, and nothing else") {
  const auto error = [](const std::string& from, const std::string& to) {
    return Copy("error.json", from, to, "silicon").error();
  };
  CHECK(error("Model", "Model") == "no error");
  CHECK_THAT(error("\"correlation\"", "\"corelation\""),
             Contains("error.json:4: /chart/kind") && Contains("did you mean 'correlation'?"));
  CHECK_THAT(error("\"claims\"", "\"series\": [],\n  \"claims\""),
             Contains("error.json:5: /series: a correlation chart shows claims only"));
  CHECK_THAT(error("\"claims\"", "\"means\": [],\n  \"claims\""), Contains("error.json:5: /means"));
  CHECK_THAT(error("\"claims\"", "\"workloads\": \"all\",\n  \"claims\""),
             Contains("error.json:5: /workloads"));
  CHECK_THAT(
      error("{\"kind\": \"correlation\"}", "{\"kind\": \"correlation\", \"x_scale\": \"log\"}"),
      Contains("error.json:4: /chart/x_scale: only lines and scatter charts have scales"));
  const Copy none("fig1.json", R"("chart": {"kind": "bars", "y": "speedup over base"})",
                  R"("chart": {"kind": "correlation"})");
  CHECK_THAT(none.error(), Contains("fig1.json:6: /means"));
  const Copy no_half("claims.json", "\"half\": \"fitted\", ", "", "silicon");
  CHECK(no_half.error() == "no error");
  Study study = Copy("error.json", "Model", "Model", "silicon").study();
  CHECK(study.figures[0].x_log);
  CHECK(study.figures[0].y_log);
  CHECK(study.figures[0].y_title == "measured");
  CHECK(study.figures[0].claims.size() == 5);
}

TEST_CASE("an axis is linear or logarithmic, and a logarithmic one has values above 0 only") {
  const auto error = [](const std::string& file, const std::string& from, const std::string& to) {
    return Copy(file, from, to, "silicon").error();
  };
  CHECK_THAT(error("latency.json", R"("y_scale": "log")", R"("y_scale": "lgo")"),
             Contains("latency.json:4: /chart/y_scale") && Contains("did you mean 'log'?"));
  CHECK_THAT(error("latency.json", R"("y_scale")", R"("y_scael")"),
             Contains("latency.json:4: /chart/y_scael") && Contains("did you mean 'y_scale'?"));
  CHECK_THAT(error("latency.json", R"("published": 20)", R"("published": 0)"),
             Contains("latency.json:9: /series/0/points/0/published") &&
                 Contains("above 0 on a logarithmic axis"));
  CHECK(error("latency.json", R"("y_scale": "log")", R"("y_scale": "linear")") == "no error");
  for (const char* label : {"\"0\"", "\"-1\"", "\"64 KB\"", "\"\"", "\"inf\"", "0"}) {
    CAPTURE(label);
    CHECK_THAT(error("latency.json", R"("0.5")", label),
               Contains("latency.json:9: /series/0/points/0/label") &&
                   Contains("above 0 on a logarithmic axis"));
  }
  // On a linear axis, any label will do, and the published x of 0 of the scatter chart.
  CHECK(Copy("latency.json", R"("x_scale": "log", )", "", "silicon").error() == "no error");
  CHECK_THAT(error("power.json", R"("x_scale": "linear")", R"("x_scale": "log")"),
             Contains("power.json:9: /series/0/points/0/published_x") &&
                 Contains("above 0 on a logarithmic axis"));
  const Copy bars("fig1.json", R"("kind": "bars", )", R"("kind": "bars", "y_scale": "log", )");
  CHECK_THAT(bars.error(),
             Contains("fig1.json:5: /chart/y_scale: only lines and scatter charts have scales"));
  const Copy each("fig1.json", R"("kind": "bars", )", R"("kind": "lines", "x_scale": "log", )");
  CHECK_THAT(each.error(), Contains("fig1.json:7: /series/0/each") && Contains("\"points\""));
  const Copy mean("fig1.json", R"("kind": "bars", )", R"("kind": "lines", "y_scale": "log", )");
  CHECK(mean.error() == "no error");
}

TEST_CASE("a ratio has the floor of its file, or a fifth of its effect") {
  const auto floor_of_slower = [](const std::string& to) {
    const Copy copy("claims.json", "\"value\": 0.5, ", to);
    return copy.study().claims[0].effect_floor;
  };
  CHECK(floor_of_slower("\"value\": 0.5, ").value() == Approx(0.8705506));
  CHECK(floor_of_slower("\"value\": 0.5, \"effect_floor\": 0.9, ") == 0.9);
  CHECK(floor_of_slower("\"value\": 0.97, ") == std::nullopt);
}

TEST_CASE("a study has a window for each scale that its file names") {
  const Copy copy("study.json", "\"platforms\"",
                  "\"windows\": {\"paper\": {\"skip\": 5, \"detail\": 1000, \"rest\": false}, "
                  "\"medium\": {\"detail\": 70}}, \"platforms\"");
  const Study study = copy.study();
  REQUIRE(study.windows.size() == 2);
  const WindowOptions& paper = study.windows.at(Scale::kPaper);
  CHECK(paper.skip == 5);
  CHECK(paper.detail == 1000);
  CHECK_FALSE(paper.rest);
  CHECK(study.windows.at(Scale::kMedium).detail == 70);
  CHECK(study.windows.at(Scale::kMedium).rest);
  const auto error = [](const std::string& windows) {
    return Copy("study.json", "\"platforms\"", "\"windows\": " + windows + ", \"platforms\"")
        .error();
  };
  CHECK_THAT(error(R"({"large": {"detail": 1}})"), Contains("scales small, medium and paper"));
  CHECK_THAT(error(R"({"small": {"detail": 0}})"), Contains("whole number of thread instructions"));
  CHECK_THAT(error(R"({"small": {"skip": 1}})"), Contains("detail"));
  CHECK_THAT(error(R"({"small": {"detial": 1}})"), Contains("detail"));
}

TEST_CASE("a point's key depends on its window") {
  PointIdentity identity;
  const std::string whole = point_key(identity);
  identity.window = WindowOptions{0, 1000, true};
  const std::string window = point_key(identity);
  identity.window->rest = false;
  CHECK(window != whole);
  CHECK(point_key(identity) != window);
  identity.window = WindowOptions{1, 1000, true};
  CHECK(point_key(identity) != window);
}

TEST_CASE("a study's workloads may be all of a paper's") {
  const Study study = load_study(std::string(TESSERA_SOURCE_DIR) + "/studies/nuba");
  REQUIRE(study.workloads.size() == 29);
  CHECK(study.workloads[3].name == "KMEANS");
  CHECK(study.workloads[3].group == "low-sharing");
  CHECK(study.workloads[3].workload == "kmeans");
  CHECK(study.workloads[3].exists);
  const Copy both("workloads.json", R"("workloads":)", R"("paper": "nuba", "workloads":)");
  CHECK_THAT(both.error(), Contains("/paper") && Contains("takes the place of"));
}

TEST_CASE("DualOpt's study has the paper's workloads and claims, and its platforms exist") {
  const Study study = load_study(std::string(TESSERA_SOURCE_DIR) + "/studies/dualopt");
  REQUIRE(study.workloads.size() == 13);
  CHECK(study.workloads[3].name == "pr");
  CHECK(study.workloads[3].workload == "pagerank");
  CHECK(study.claims.size() == 32);
  std::vector<std::size_t> figures;
  for (std::size_t f = 0; f < study.figures.size(); ++f) figures.push_back(f);
  for (const Scale scale : {Scale::kSmall, Scale::kMedium, Scale::kPaper}) {
    RunOptions options;
    options.scale = scale;
    const StudyPlan plan = plan_points(study, figures, options);
    // Nothing is defined that no figure uses, and settings of a derived platform are the last word.
    CHECK(plan.configs.size() == study.platforms.size());
    const auto config = [&](const std::string& platform) {
      for (const auto& [p, c] : plan.configs) {
        if (study.platforms[p].name == platform) return c.gpu;
      }
      FAIL(platform << " is not used");
      return GpuConfig();
    };
    const bool small = scale == Scale::kSmall;
    // A CU's part of its GPU's link is the same at every scale (to a byte a second).
    const GpuConfig dca = config("dca");
    CHECK(dca.fabric.bandwidth() / (dca.system.sms / dca.system.gpus) == 0.25e9);
    CHECK(config("dca-64GBs").fabric.clock_hz == (small ? 250'000'000 : 4'000'000'000));
    CHECK(config("dualopt-16-gpus").system.sms == (small ? 64 : 1024));
    CHECK(config("dualopt").decision.window_accesses == (small ? 1250 : 20'000));
  }
}

TEST_CASE("a figure of another name is refused with the nearest one") {
  const Study study = load_study(std::string(TESSERA_SOURCE_DIR) + "/tests/studies/data/tiny");
  CHECK(study.figure("fig2") == 1);
  CHECK_THROWS_WITH(study.figure("fig3"), Contains("did you mean 'fig"));
}

TEST_CASE("studies are found by name or folder, with or without a figure") {
  const std::string tiny = std::string(TESSERA_SOURCE_DIR) + "/tests/studies/data/tiny";
  CHECK(find_study("nuba").second.empty());
  CHECK(find_study("nuba/fig07").second == "fig07");
  CHECK(find_study("nuba/fig07").first == find_study("nuba").first);
  CHECK(find_study(tiny) == std::pair<std::string, std::string>(tiny, ""));
  CHECK(find_study(tiny + "/fig2") == std::pair<std::string, std::string>(tiny, "fig2"));
  CHECK_THROWS_WITH(find_study("nbua"), Contains("did you mean 'nuba'?"));
}

TEST_CASE("every study that comes along loads, and every simulable claim is measured") {
  for (const StudyInfo& s : study_catalogue()) {
    const Study study = load_study(s.folder);
    std::set<std::size_t> measured;
    for (const Figure& f : study.figures) {
      for (const Measurement& m : f.claims) measured.insert(m.claim);
    }
    for (std::size_t c = 0; c < study.claims.size(); ++c) {
      const std::string& scope = study.claims[c].scope;
      INFO(study.claims[c].id);
      CHECK((measured.count(c) != 0 || scope == "hardware" || scope == "parameter" ||
             scope == "not-modelled"));
    }
  }
}

}  // namespace tessera::loader_test
