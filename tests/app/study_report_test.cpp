// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "app/report/html.h"
#include "app/report/study.h"
#include "common/json.h"

namespace tessera::study_report_test {

using namespace tessera::app;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

ordered_json claim(const char* id, const ordered_json& published, const ordered_json& measured,
                   const char* verdict, const char* note) {
  return {{"id", id},
          {"where", "Fig. 1"},
          {"what", "a|b"},
          {"published", published},
          {"accept_range", published.is_number() ? ordered_json({1.0, 2.0}) : ordered_json()},
          {"tolerance", published.is_object() ? ordered_json(0.25) : ordered_json()},
          {"small_presets",
           measured.is_number() ? ordered_json({"nuba-small"}) : ordered_json::array()},
          {"measured", measured},
          {"verdict", verdict},
          {"note", note}};
}

/// A ratio with its effect and, if there is one, another number beside it.
ordered_json ratio(const char* id, double measured, double effect, const ordered_json& parts) {
  ordered_json c = claim(id, 1.25, measured, "direction", "");
  c["value_kind"] = "ratio";
  c["effect"] = effect;
  c["parts"] = parts;
  return c;
}

ordered_json example() {
  return {{"study", "s"},
          {"title", "A study"},
          {"source", "paper"},
          {"scale", "medium"},
          {"seed", 3},
          {"values", "functional"},
          {"claims",
           {claim("one", 1.25, 1.5, "direction", ""),
            claim("two", {{"MM", 2.0}, {"NW", 3.0}}, {{"MM", 2.5}, {"NW", nullptr}}, "fails", "n"),
            claim("three", {"x", "y"}, true, "holds", ""),
            claim("five", {"a: x > y", "b: y ~ z"}, false, "fails", ""),
            claim("four", nullptr, nullptr, "not_run", "why")}},
          {"summary", {{"holds", 1}, {"direction", 1}, {"fails", 1}, {"not_run", 1}}},
          {"figures",
           {{{"figure", "f1"},
             {"title", "Bars"},
             {"source", ""},
             {"chart", {{"kind", "bars"}, {"x", ""}, {"y", "speed"}}},
             {"series",
              {{{"name", "a"}, {"measured", {1.5, nullptr}}, {"published", {nullptr, 2.0}}},
               {{"name", "b"}, {"measured", {1.0, 3.0}}, {"published", {nullptr, nullptr}}}}},
             {"x", {"MM", "mean"}}},
            {{"figure", "f2"},
             {"title", "Points"},
             {"source", "Fig. 2"},
             {"chart", {{"kind", "scatter"}, {"x", "power"}, {"y", "speed"}}},
             {"series",
              {{{"name", "a"},
                {"points",
                 {{{"label", "wide"},
                   {"x", 2.0},
                   {"measured", 4.0},
                   {"published", 5.0},
                   {"published_x", nullptr}}}}}}}}}},
          {"missing_workloads", {{{"name", "NW"}, {"class", "c"}, {"workload", "nw"}}}},
          {"failed", ordered_json::array()}};
}

/// The example with claims about ratios that have effects.
ordered_json example_with_effects() {
  ordered_json d = example();
  ordered_json sweep =
      claim("sweep", {{"MM", 2.0}, {"NW", 4.0}}, {{"MM", 4.0}, {"NW", 2.0}}, "fails", "");
  sweep["value_kind"] = "ratio";
  sweep["effect"] = nullptr;
  sweep["points"] = {{"MM", {{"published", 2.0}, {"measured", 4.0}, {"effect", 2.0}}},
                     {"NW", {{"published", 4.0}, {"measured", 2.0}, {"effect", 0.5}}}};
  d["claims"] = {ratio("both", 1.1, 0.427,
                       {{"best", {{"published", 2.0}, {"measured", 4.0}, {"effect", 2.0}}},
                        {"same", {{"published", 1.0}, {"measured", 1.01}}}}),
                 ratio("alone", 1.0, 0.0, nullptr), std::move(sweep)};
  d["claims"][1].erase("parts");
  d["summary"]["effect"] = {{"claims", 2}, {"mean", 0.2135}, {"median", 0.2135}};
  return d;
}

/// The example with two measured claims of halves, a missing one, and their correlation chart.
ordered_json example_with_errors() {
  ordered_json d = example();
  const auto half = [](const char* id, const char* name, double published,
                       const ordered_json& measured, const ordered_json& error, const char* kind) {
    ordered_json c = claim(id, published, measured, "holds", "");
    c["figure"] = "f3";
    c["half"] = name;
    c["error"] = error;
    c["value_kind"] = kind;
    return c;
  };
  d["claims"].push_back(half("latency", "fitted", 200, 150, -0.25, "cycles"));
  d["claims"].push_back(half("rate", "test", 0.5, 1, 1, "fraction"));
  d["claims"].push_back(half("lost", "test", 4, nullptr, nullptr, "cycles"));
  const auto one = [](double error, const char* id) {
    return ordered_json{{"figures", 1},
                        {"median", error},
                        {"mean", error},
                        {"worst", {{"error", error}, {"claim", id}}},
                        {"correlation", nullptr}};
  };
  d["summary"]["error"] = {
      {"fitted", one(0.25, "latency")}, {"test", one(1, "rate")}, {"all", one(1, "rate")}};
  d["summary"]["error"]["all"]["correlation"] = 0.987654;
  d["figures"].push_back(
      {{"figure", "f3"},
       {"title", "Model and chip"},
       {"source", ""},
       {"chart", {{"kind", "correlation"}, {"x", "published"}, {"y", "measured"}}},
       {"series", ordered_json::array()},
       {"error", d["summary"]["error"]}});
  return d;
}

}  // namespace

TEST_CASE("a figure's table has the paper's numbers beside those that were measured") {
  const std::string text = study_text(example());
  CHECK_THAT(text, Contains("f1: Bars\n"
                            "  speed\n"
                            "workload     a  (paper)     b\n"
                            "MM        1.50        -  1.00\n"
                            "mean         -     2.00  3.00\n"));
  CHECK_THAT(text, Contains("f2: Points (Fig. 2)\n"
                            "  speed\n"
                            "series  point  power  (paper)  speed  (paper)\n"
                            "a       wide    2.00        -   4.00     5.00\n"));
}

TEST_CASE("claims show numbers, numbers with names, and orderings") {
  const std::string text = study_text(example());
  CHECK_THAT(
      text,
      Contains("one    direction  1.25                1.00 to 2.00   1.50                -\n"));
  CHECK_THAT(
      text,
      Contains("two    fails      MM 2.00, NW 3.00    within 25.0 %  MM 2.50, NW -       -  n\n"));
  CHECK_THAT(
      text,
      Contains("three  holds      x > y               the order      comes out           -\n"));
  CHECK_THAT(text, Contains("a: x > y; b: y ~ z  the order      does not"));
  CHECK_THAT(text, Contains("Judged on small presets (nuba-small), not on systems of the paper's "
                            "size: one\n"));
  CHECK_THAT(text, Contains("5 claims: 1 holds, 1 direction only, 1 fails, 1 not run\n"));
  CHECK_THAT(text, Contains("does not have yet: NW\n"));
}

TEST_CASE("effects are beside the ratios, and their mean and median below") {
  const std::string text = study_text(example_with_effects());
  CHECK_THAT(
      text,
      Contains("CLAIM  VERDICT    PAPER                       ACCEPTED                          "
               "MEASURED                    EFFECT             NOTE\n"
               "both   direction  1.25; best 2.00, same 1.00  1.00 to 2.00                      "
               "1.10; best 4.00, same 1.01  0.427; best 2.00\n"
               "alone  direction  1.25                        1.00 to 2.00                      "
               "1.00                        0\n"
               "sweep  fails      MM 2.00, NW 4.00            within 25.0 %, effect 0.5 to 1.5  "
               "MM 4.00, NW 2.00            MM 2.00, NW 0.500\n"));
  CHECK_THAT(text, Contains("1 not run\nEffect (1: as published, 0: none): mean 0.213, median "
                            "0.213, of 2 ratios\n"));
  const std::string table = study_markdown(example_with_effects(), "tessera study s");
  CHECK_THAT(table,
             Contains("| measured | effect | verdict |") &&
                 Contains("| 1.10; best 4.00, same 1.01 | 0.427; best 2.00 | direction |") &&
                 Contains("| MM 4.00, NW 2.00 | MM 2.00, NW 0.500 | **fails** |") &&
                 Contains("\nEffect (1: as published, 0: none): mean 0.213, median 0.213, of "
                          "2 ratios.\n"));
  // A study without such ratios has no line about them.
  CHECK_THAT(study_text(example()), !Contains("Effect ("));
}

TEST_CASE("errors are beside the claims of halves, and their median and worst below") {
  const std::string line =
      "Error against published figures: fitted median 25.0 %, worst 25.0 % (latency); test median "
      "100 %, worst 100 % (rate); correlation 0.988";
  const std::string text = study_text(example_with_errors());
  CHECK_THAT(text, Contains("f3: Model and chip\n"
                            "  measured\n"
                            "claim    half    published  measured  unit      error\n"
                            "latency  fitted        200       150  cycles  -25.0 %\n"
                            "rate     test        0.500      1.00            100 %\n"
                            "lost     test         4.00         -  cycles        -\n" +
                            line + "\n"));
  CHECK_THAT(text, Contains("EFFECT    ERROR  NOTE\n"));
  CHECK_THAT(text, Contains("1 not run\n" + line + "\nJudged on"));
  CHECK_THAT(text, Contains("latency  holds      200 "));
  const std::string table = study_markdown(example_with_errors(), "tessera study s");
  CHECK_THAT(table, Contains("| measured | effect | error | verdict | note |\n") &&
                        Contains("| 150 | - | -25.0 % | holds |  |\n") &&
                        Contains("| 1.50 | - | - | direction |  |\n") &&
                        Contains("1 not run.\n\n" + line + ".\n\nJudged on"));
  CHECK_THAT(table, Contains("### f3: Model and chip\n\nmeasured\n\n"
                             "| claim | half | published | measured | unit | error |\n") &&
                        Contains("| rate | test | 0.500 | 1.00 |  | 100 % |\n") &&
                        Contains("| lost | test | 4.00 | - | cycles | - |\n\n" + line + ".\n"));
}

TEST_CASE("the error line omits what is undefined, and a study without halves has none") {
  ordered_json d = example_with_errors();
  for (const char* half : {"test", "all"}) d["summary"]["error"][half]["correlation"] = nullptr;
  d["summary"]["error"]["fitted"] = {
      {"figures", 0}, {"median", nullptr}, {"mean", nullptr}, {"worst", nullptr}};
  CHECK_THAT(study_text(d), Contains("\nError against published figures: test median 100 %, worst "
                                     "100 % (rate)\n"));
  d["summary"]["error"]["test"] = d["summary"]["error"]["fitted"];
  CHECK_THAT(study_text(d), Contains("ERROR") && Contains("1 not run\nJudged on"));
  CHECK_THAT(study_text(example()), !Contains("ERROR") && !Contains("Error against"));
  CHECK_THAT(study_markdown(example(), "x"), !Contains("error") && !Contains("Error"));
}

TEST_CASE("the Markdown table names its command and escapes what would break it") {
  const std::string text = study_markdown(example(), "tessera study s");
  CHECK_THAT(text, Contains("`tessera study s --scale medium --seed 3 --values functional`\n"));
  CHECK_THAT(
      text, Contains("| one | a\\|b | Fig. 1 | 1.25 | 1.00 to 2.00 | 1.50 | - | direction |  |\n"));
  CHECK_THAT(text, Contains("| **fails** | n |\n"));
}

TEST_CASE("a study's report carries the document and loads nothing") {
  const std::string html = study_report(example());
  CHECK_THAT(html, Contains("\"A study\"") && Contains("default-src 'none'"));
  CHECK_THAT(html, !Contains("src=\"http"));
}

}  // namespace tessera::study_report_test
