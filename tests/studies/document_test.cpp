// SPDX-License-Identifier: Apache-2.0
#include "studies/document.h"

#include <catch2/catch.hpp>
#include <limits>

#include "common/json.h"

namespace tessera::document_test {

using namespace tessera::studies;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

Study tiny() { return load_study(std::string(TESSERA_SOURCE_DIR) + "/tests/studies/data/tiny"); }

std::size_t platform(const Study& study, const std::string& name) {
  for (std::size_t i = 0; i < study.platforms.size(); ++i) {
    if (study.platforms[i].name == name) return i;
  }
  FAIL("no platform " << name);
  return 0;
}

/// Results of the tiny study: base 100 and 100 cycles, slow as given; 0: failed.
ordered_json document_of(double slow_va, double slow_sx, bool whole = true,
                         const Study& study = tiny()) {
  PointResults results;
  const auto put = [&](const char* name, std::size_t workload, double cycles) {
    results[{platform(study, name), workload}] = {ordered_json{{"cycles", cycles}},
                                                  cycles == 0 ? "it broke" : ""};
  };
  put("base", 0, 100);
  put("base", 1, 100);
  put("twin", 0, 100);
  put("slow", 0, slow_va);
  put("slow", 1, slow_sx);
  StudyRun run;
  run.whole = whole;
  run.figures = whole ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{1};
  run.scale = tessera::Scale::kSmall;
  run.scale_name = "small";
  run.values = "functional";
  return study_document(study, run, results);
}

const ordered_json& claim(const ordered_json& document, const std::string& id) {
  for (const ordered_json& c : document["claims"]) {
    if (c["id"] == id) return c;
  }
  throw std::runtime_error("no claim " + id);
}

}  // namespace

TEST_CASE("a range without upper limit accepts any larger value, and ends with null") {
  Study study = tiny();
  for (Claim& c : study.claims) {
    if (c.id != "slower") continue;
    c.value = 2;
    c.effect_floor = 1.1;
    c.accept_range = {1.5, std::numeric_limits<double>::infinity()};
  }
  const ordered_json d = document_of(1, 1, true, study);
  CHECK(claim(d, "slower")["accept_range"].dump() == "[1.5,null]");
  CHECK(claim(d, "slower")["measured"] == 100);
  CHECK(claim(d, "slower")["verdict"] == "holds");
}

TEST_CASE("a claim has measured, published, range, verdict and its workloads") {
  const ordered_json d = document_of(200, 400);
  const ordered_json& c = claim(d, "slower");
  // 2 / (2 + 4)
  CHECK(c["measured"].get<double>() == Approx(1.0 / 3));
  CHECK(c["published"] == 0.5);
  CHECK(c["accept_range"].dump() == "[0.01,0.99]");
  CHECK(c["tolerance"].is_null());
  CHECK(claim(d, "sweep")["tolerance"] == 0.1);
  // Which of the values come from presets for tests.
  CHECK(c["small_presets"].dump() == R"(["uba-mem-small"])");
  CHECK(claim(d, "nobody")["small_presets"].empty());
  CHECK(c["verdict"] == "holds");
  CHECK(c["figure"] == "fig1");
  CHECK(c["workloads"].dump() == R"({"VA":0.5,"SX":0.25})");
  CHECK(c["note"] == "over 2 of 3 workloads (no workload yet: LBM)");
}

TEST_CASE("verdicts are counted, and what is not run says why") {
  const ordered_json d = document_of(200, 400);
  ordered_json counts = d["summary"];
  counts.erase("effect");
  CHECK(counts.dump() == R"({"holds":3,"direction":0,"fails":0,"not_run":3})");
  CHECK(claim(d, "order")["verdict"] == "holds");
  CHECK(claim(d, "order")["published"].dump() == R"(["base","slow"])");
  CHECK(claim(d, "order")["checks"][0]["values"][0].get<double>() == Approx(1.0 / 3));
  CHECK(claim(d, "other")["note"] == "no workload yet: LBM");
  CHECK_THAT(claim(d, "metal")["note"].get<std::string>(), Contains("hardware"));
  CHECK(claim(d, "nobody")["note"] == "no figure of the study measures it");
  CHECK(claim(d, "nobody")["measured"].is_null());
}

TEST_CASE("a claim that needs more SMs than its platforms have is not judged") {
  Study study = tiny();
  // uba-mem-small has 8.
  const auto needs = [&study](std::uint32_t sms) {
    for (Measurement& m : study.figures[0].claims) {
      if (study.claims[m.claim].id == "slower") m.needs_sms = sms;
    }
  };
  needs(8);
  CHECK(claim(document_of(200, 400, true, study), "slower")["verdict"] == "holds");
  needs(9);
  const ordered_json d = document_of(200, 400, true, study);
  CHECK(claim(d, "slower")["verdict"] == "not_run");
  CHECK(claim(d, "slower")["measured"].is_null());
  CHECK(claim(d, "slower")["figure"] == "fig1");
  CHECK_THAT(claim(d, "slower")["note"].get<std::string>(),
             Contains("cannot be judged: needs 9 SMs") && Contains("has 8 at this scale"));
  CHECK(d["summary"]["not_run"] == 4);
}

TEST_CASE("a ratio and its numbers have their effect beside them") {
  const ordered_json d = document_of(400, 200);
  const ordered_json& c = claim(d, "slower");
  CHECK(c["value_kind"] == "ratio");
  // ln(1 / 3) / ln(1 / 2)
  CHECK(c["effect"].get<double>() == Approx(1.5849625));
  // 0.5^0.2
  CHECK(c["effect_floor"].get<double>() == Approx(0.8705506));
  const ordered_json& points = claim(d, "sweep")["points"];
  CHECK(points["VA"]["effect"] == 2.0);  // 4 of 2
  CHECK(points["SX"]["effect"] == 0.5);  // 2 of 4
  CHECK(points["VA"]["accept_range"][0] == 1.8);
  CHECK(points["SX"]["accept_range"][1] == 4.4);
  CHECK(claim(d, "sweep")["effect"].is_null());
  CHECK(claim(d, "sweep")["effect_floor"].is_null());
  CHECK(claim(d, "order")["value_kind"].is_null());
  CHECK(claim(d, "order")["effect"].is_null());
  CHECK(claim(d, "nobody")["effect"].is_null());
}

TEST_CASE("the effects of the measured ratios have a count, a mean and a median") {
  CHECK(document_of(400, 400)["summary"]["effect"].dump() ==
        R"({"claims":1,"mean":2.0,"median":2.0})");
  // The same measurement for a claim of 1/16, and for one that is no ratio.
  Study study = tiny();
  Measurement again = study.figures[0].claims[0];
  for (std::size_t c = 0; c < study.claims.size(); ++c) {
    if (study.claims[c].id != "nobody" && study.claims[c].id != "metal") continue;
    study.claims[c].scope = "sim";
    study.claims[c].value = 0.0625;
    study.claims[c].value_kind = study.claims[c].id == "nobody" ? "ratio" : "fraction";
    again.claim = c;
    study.figures[0].claims.push_back(again);
  }
  const ordered_json d = document_of(400, 400, true, study);
  CHECK(claim(d, "nobody")["effect"] == 0.5);
  CHECK(claim(d, "metal")["measured"] == 0.25);
  CHECK(claim(d, "metal")["effect"].is_null());
  CHECK(d["summary"]["effect"].dump() == R"({"claims":2,"mean":1.25,"median":1.25})");
  // Claims that did not run have no effect.
  CHECK(document_of(0, 0)["summary"]["effect"].dump() ==
        R"({"claims":0,"mean":null,"median":null})");
}

TEST_CASE("a run without effect fails, and its note names the floor") {
  const ordered_json d = document_of(100, 100);
  CHECK(claim(d, "slower")["measured"] == 1.0);
  CHECK(claim(d, "slower")["effect"] == 0.0);
  CHECK(claim(d, "slower")["verdict"] == "fails");
  CHECK(claim(d, "sweep")["verdict"] == "fails");
  CHECK(claim(d, "sweep")["note"] ==
        "outside the accepted range: VA, SX; effect floor missed: VA, SX");
  CHECK(claim(d, "order")["verdict"] == "fails");
  CHECK(d["summary"]["holds"] == 0);
  CHECK(d["summary"]["direction"] == 0);
  CHECK(d["summary"]["effect"].dump() == R"({"claims":1,"mean":0.0,"median":0.0})");
  const ordered_json little = document_of(110, 112);
  CHECK(claim(little, "slower")["measured"].get<double>() == Approx(1 / 1.11));
  CHECK(claim(little, "slower")["verdict"] == "fails");
  CHECK(claim(little, "slower")["note"] ==
        "over 2 of 3 workloads (no workload yet: LBM); effect floor missed");
}

TEST_CASE("a claim about what is not modelled says so") {
  Study study = tiny();
  for (Claim& c : study.claims) {
    if (c.id == "nobody") c.scope = "not-modelled";
  }
  const ordered_json d = study_document(study, {}, {});
  CHECK(claim(d, "nobody")["verdict"] == "not_run");
  CHECK(claim(d, "nobody")["note"] == "what it compares with is not modelled");
}

TEST_CASE("what is out of range by a little is the direction, by more a failure") {
  // 2 / (200 + 200) = 0.005, below 0.01
  CHECK(claim(document_of(20000, 20000), "slower")["verdict"] == "direction");
  const ordered_json d = document_of(50, 50);
  CHECK(claim(d, "slower")["verdict"] == "fails");
  CHECK(claim(d, "order")["verdict"] == "fails");
  CHECK(claim(d, "order")["measured"] == false);
}

TEST_CASE("a failed point takes its workload out, and is reported") {
  const ordered_json d = document_of(200, 0);
  CHECK(claim(d, "slower")["measured"] == 0.5);
  CHECK(claim(d, "slower")["note"] ==
        "over 1 of 3 workloads (failed on slow: SX; no workload yet: LBM)");
  REQUIRE(d["failed"].size() == 1);
  CHECK(d["failed"][0].dump() == R"({"platform":"slow","workload":"SX","error":"it broke"})");
  CHECK(d["figures"][0]["series"][0]["measured"].dump() == "[0.5,null,0.5]");
  const ordered_json none = document_of(0, 0);
  CHECK(claim(none, "slower")["verdict"] == "not_run");
  CHECK(claim(none, "slower")["note"] == "failed on slow: VA, SX; no workload yet: LBM");
}

TEST_CASE("a sweep is judged by all of its points, or not at all") {
  const ordered_json d = document_of(200, 400);
  CHECK(claim(d, "sweep")["verdict"] == "holds");
  CHECK(claim(d, "sweep")["measured"].dump() == R"({"VA":2.0,"SX":4.0})");
  const ordered_json outside = document_of(200, 450);
  CHECK(claim(outside, "sweep")["verdict"] == "fails");
  CHECK(claim(outside, "sweep")["note"] == "outside the accepted range: SX");
  // The point that is left would hold.
  const ordered_json missing = document_of(200, 0);
  CHECK(claim(missing, "sweep")["verdict"] == "not_run");
  CHECK(claim(missing, "sweep")["measured"].is_null());
  CHECK(claim(missing, "sweep")["note"] == "failed on slow: SX");
  CHECK(claim(missing, "sweep")["points"]["VA"]["measured"] == 2.0);
  CHECK(claim(missing, "sweep")["points"]["SX"]["measured"].is_null());
}

TEST_CASE("figures have measured beside published, by workload, mean or point") {
  const ordered_json d = document_of(200, 400);
  const ordered_json& bars = d["figures"][0];
  CHECK(bars["x"].dump() == R"(["VA","SX","mean"])");
  CHECK(bars["series"][0]["measured"][2].get<double>() == Approx(1.0 / 3));
  CHECK(bars["series"][0]["published"].dump() == "[null,null,0.5]");
  const ordered_json& lines = d["figures"][1];
  CHECK(lines["series"][0]["points"].dump() ==
        R"([{"label":"120","measured":100.0,"published":1000.0},)"
        R"({"label":"600","measured":200.0,"published":null}])");
}

TEST_CASE("one figure alone has its own claims only, and missing workloads are listed") {
  const ordered_json d = document_of(200, 400, false);
  CHECK(d["claims"].empty());
  CHECK(d["figures"].size() == 1);
  CHECK(d["missing_workloads"].dump() ==
        R"([{"name":"LBM","class":"other","workload":"not-there-yet"}])");
}

}  // namespace tessera::document_test
