// SPDX-License-Identifier: Apache-2.0
#include "studies/published_error.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "common/json.h"
#include "studies/document.h"

namespace tessera::published_error_test {

using namespace tessera::studies;
using nlohmann::ordered_json;

namespace {

/// Pearson's coefficient from the sums of products, in base 10.
double correlation_by_sums(const std::vector<MeasuredFigure>& figures) {
  const auto n = static_cast<double>(figures.size());
  double x = 0;
  double y = 0;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (const MeasuredFigure& f : figures) {
    const double p = std::log10(f.published);
    const double m = std::log10(f.measured);
    x += p;
    y += m;
    xx += p * p;
    yy += m * m;
    xy += p * m;
  }
  return (n * xy - x * y) / (std::sqrt(n * xx - x * x) * std::sqrt(n * yy - y * y));
}

Study silicon() {
  return load_study(std::string(TESSERA_SOURCE_DIR) + "/tests/studies/data/silicon");
}

/// The study's document with these cycles; 0: failed.
ordered_json document_of(const Study& study, double base_va, double slow_va, double base_sx,
                         double slow_sx, const std::vector<std::string>& figures = {}) {
  PointResults results;
  const auto put = [&](const char* name, std::size_t workload, double cycles) {
    std::size_t p = 0;
    while (study.platforms.at(p).name != name) ++p;
    results[{p, workload}] = {
        ordered_json{{"cycles", cycles}, {"config", {{"llc", {{"latency_cycles", 120}}}}}},
        cycles == 0 ? "it broke" : ""};
  };
  put("base", 0, base_va);
  put("slow", 0, slow_va);
  put("base", 1, base_sx);
  put("slow", 1, slow_sx);
  StudyRun run;
  run.whole = figures.empty();
  for (std::size_t f = 0; f < study.figures.size(); ++f) {
    if (run.whole) run.figures.push_back(f);
  }
  for (const std::string& name : figures) run.figures.push_back(study.figure(name));
  return study_document(study, run, results);
}

const ordered_json& claim(const ordered_json& document, const std::string& id) {
  for (const ordered_json& c : document["claims"]) {
    if (c["id"] == id) return c;
  }
  throw std::runtime_error("no claim " + id);
}

}  // namespace

TEST_CASE("an error is the measured value's distance from the published one, by the published") {
  CHECK(error_of(80, 80) == 0);
  CHECK(error_of(80, 100) == 0.25);
  CHECK(error_of(200, 150) == -0.25);
  CHECK(error_of(0.5, 1.5) == 2);
  CHECK(error_of(4, 0) == -1);
}

TEST_CASE("errors have a median, a mean and a worst one by their magnitudes") {
  const ErrorSummary even =
      summary_of({{"a", 4, 5}, {"b", 4, 2}, {"c", 8, 7}, {"d", 4, 6}});  // 0.25 -0.5 -0.125 0.5
  CHECK(even.figures == 4);
  CHECK(even.median == 0.375);
  CHECK(even.mean == 0.34375);
  CHECK(even.worst == 0.5);
  CHECK(even.worst_claim == "b");  // the first of two
  const ErrorSummary odd = summary_of({{"a", 4, 5}, {"b", 4, 16}, {"c", 8, 7}});
  CHECK(odd.median == 0.25);
  CHECK(odd.mean == 1.125);
  CHECK(odd.worst == 3);
  CHECK(odd.worst_claim == "b");
}

TEST_CASE("nothing is defined without figures, and no worst claim is named") {
  const ErrorSummary none = summary_of(std::vector<MeasuredFigure>());
  CHECK(none.figures == 0);
  CHECK(none.median == std::nullopt);
  CHECK(none.mean == std::nullopt);
  CHECK(none.worst == std::nullopt);
  CHECK(none.worst_claim.empty());
  CHECK(none.correlation == std::nullopt);
}

TEST_CASE("the correlation is of the logarithms of published and measured values") {
  const std::vector<MeasuredFigure> figures = {
      {"a", 32, 35}, {"b", 210, 190}, {"c", 540, 700}, {"d", 0.8, 1.1}};
  CHECK(summary_of(figures).correlation.value() ==
        Approx(correlation_by_sums(figures)).epsilon(1e-12));
  CHECK(summary_of(figures).correlation.value() == Approx(0.9982444446048822).epsilon(1e-12));
  // A constant factor and a power change no correlation.
  CHECK(summary_of({{"a", 1, 3}, {"b", 10, 300}, {"c", 100, 30'000}}).correlation.value() ==
        Approx(1).epsilon(1e-12));
  CHECK(summary_of({{"a", 1, 100}, {"b", 10, 10}, {"c", 100, 1}}).correlation.value() ==
        Approx(-1).epsilon(1e-12));
}

TEST_CASE("a correlation needs three figures, values above 0, and values that differ") {
  CHECK(summary_of({{"a", 1, 2}, {"b", 3, 4}}).correlation == std::nullopt);
  CHECK(summary_of({{"a", 1, 2}, {"b", 3, 0}, {"c", 5, 6}}).correlation == std::nullopt);
  CHECK(summary_of({{"a", 1, 2}, {"b", 3, -4}, {"c", 5, 6}}).correlation == std::nullopt);
  CHECK(summary_of({{"a", 3, 2}, {"b", 3, 4}, {"c", 3, 6}}).correlation == std::nullopt);
  CHECK(summary_of({{"a", 1, 7}, {"b", 3, 7}, {"c", 5, 7}}).correlation == std::nullopt);
}

TEST_CASE("claims with a half have their error, and each half and both have a summary") {
  const ordered_json d = document_of(silicon(), 50e3, 45e3, 55e3, 67.5e3);
  CHECK(claim(d, "va")["half"] == "fitted");
  CHECK(claim(d, "va")["error"] == 0.25);
  CHECK(claim(d, "va-slow")["error"] == -0.25);
  CHECK(claim(d, "sx")["half"] == "test");
  CHECK(claim(d, "sx")["error"].get<double>() == Approx(0.1).epsilon(1e-12));
  CHECK(claim(d, "sx-slow")["error"] == 1.0);
  CHECK(claim(d, "lbm")["error"].is_null());
  CHECK_FALSE(claim(d, "slower").contains("half"));
  CHECK_FALSE(claim(d, "slower").contains("error"));

  const ordered_json& e = d["summary"]["error"];
  CHECK(e["fitted"].dump() == R"({"figures":2,"median":0.25,"mean":0.25,)"
                              R"("worst":{"error":0.25,"claim":"va"},"correlation":null})");
  CHECK(e["test"]["figures"] == 2);
  CHECK(e["test"]["median"].get<double>() == Approx(0.55).epsilon(1e-12));
  CHECK(e["test"]["mean"].get<double>() == Approx(0.55).epsilon(1e-12));
  CHECK(e["test"]["worst"].dump() == R"({"error":1.0,"claim":"sx-slow"})");
  CHECK(e["test"]["correlation"].is_null());
  CHECK(e["all"]["figures"] == 4);
  CHECK(e["all"]["median"] == 0.25);
  CHECK(e["all"]["mean"].get<double>() == Approx(0.4).epsilon(1e-12));
  CHECK(e["all"]["worst"]["claim"] == "sx-slow");
  const double r = e["all"]["correlation"];
  CHECK(r == Approx(correlation_by_sums(
                        {{"", 40e3, 50e3}, {"", 60e3, 45e3}, {"", 50e3, 55e3}, {"", 0.75, 1.5}}))
                 .epsilon(1e-12));
  CHECK(r == Approx(0.9992064505942014).epsilon(1e-12));
}

TEST_CASE("claims that did not run have no error and are not counted") {
  const ordered_json d = document_of(silicon(), 0, 0, 0, 0);
  CHECK(claim(d, "va")["error"].is_null());
  const std::string none =
      R"({"figures":0,"median":null,"mean":null,"worst":null,"correlation":null})";
  for (const char* half : {"fitted", "test", "all"}) {
    CHECK(d["summary"]["error"][half].dump() == none);
  }
  const ordered_json one = document_of(silicon(), 50e3, 0, 0, 0);
  CHECK(one["summary"]["error"]["all"].dump() == R"({"figures":1,"median":0.25,"mean":0.25,)"
                                                 R"("worst":{"error":0.25,"claim":"va"},)"
                                                 R"("correlation":null})");
}

TEST_CASE("a correlation chart has the summary of its own claims") {
  Study study = silicon();
  const ordered_json d = document_of(study, 50e3, 45e3, 55e3, 67.5e3);
  const ordered_json& chart = d["figures"][0];
  CHECK(chart["chart"].dump() == R"({"kind":"correlation","x":"published","y":"measured",)"
                                 R"("x_scale":"log","y_scale":"log"})");
  CHECK(chart["series"].empty());
  CHECK_FALSE(chart.contains("x"));
  CHECK(chart["error"] == d["summary"]["error"]);
  // A figure of the same claims that is no correlation chart has none.
  CHECK_FALSE(d["figures"][1].contains("error"));
  // Half of the claims in another figure.
  Figure other = study.figures[0];
  other.name = "other";
  other.claims.erase(other.claims.begin(), other.claims.begin() + 2);
  study.figures[0].claims.resize(2);
  study.figures.push_back(other);
  const ordered_json two = document_of(study, 50e3, 45e3, 55e3, 67.5e3);
  CHECK(two["figures"][0]["error"]["fitted"]["figures"] == 2);
  CHECK(two["figures"][0]["error"]["test"]["figures"] == 0);
  CHECK(two["figures"][3]["error"]["test"]["figures"] == 2);
  CHECK(two["summary"] == d["summary"]);
}

TEST_CASE("a document without claims of a half has no errors") {
  const ordered_json d = document_of(silicon(), 50e3, 45e3, 55e3, 67.5e3, {"latency"});
  CHECK(d["claims"].size() == 1);
  CHECK_FALSE(d["summary"].contains("error"));
}

TEST_CASE("a figure names its logarithmic axes only") {
  const ordered_json d = document_of(silicon(), 50e3, 45e3, 55e3, 67.5e3);
  CHECK(d["figures"][1]["chart"].dump() ==
        R"({"kind":"lines","x":"bytes","y":"cycles","x_scale":"log","y_scale":"log"})");
  CHECK(d["figures"][2]["chart"].dump() ==
        R"({"kind":"scatter","x":"LLC latency","y":"cycles","y_scale":"log"})");
  CHECK(d["figures"][1]["series"][0]["points"][0].dump() ==
        R"({"label":"0.5","measured":0.0,"published":20.0})");
}

}  // namespace tessera::published_error_test
