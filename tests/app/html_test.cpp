// SPDX-License-Identifier: Apache-2.0
#include "app/report/html.h"

#include <catch2/catch.hpp>

#include "app/report/catalogue.h"
#include "app/report/comparison.h"
#include "common/json.h"

namespace tessera::html_test {

using namespace tessera::app;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

/// The JSON that a report carries.
ordered_json embedded(const std::string& html) {
  const std::string open = "id=\"data\">";
  const std::size_t begin = html.find(open) + open.size();
  return ordered_json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("names that look like markup cannot leave the data of a report") {
  const std::string nasty = "</script><script>alert(1)</script><!--";
  const ordered_json stats = {
      {"platform", nasty}, {"workload", "w"}, {"modules", {{nasty, {{"x", 1}}}}}};
  const std::string html = run_report(stats, ordered_json::array(), nasty, "");
  CHECK_THAT(html, !Contains("<script>alert"));
  CHECK(embedded(html)["stats"]["platform"] == nasty);
  // Data, D3, our scripts: nothing else runs.
  CHECK(count(html, "<script") == 3);
}

TEST_CASE("a report asks for nothing outside itself") {
  const std::string html = run_report({{"platform", "p"}}, ordered_json::array(), "", "");
  CHECK_THAT(html, Contains("default-src 'none'"));
  CHECK_THAT(html, !Contains("src=\"http"));
  CHECK_THAT(html, !Contains("href=\"http"));
}

TEST_CASE("a report has units and descriptions of its statistics, each text once") {
  const ordered_json catalogue = {
      {{"module", "a0"}, {"name", "hits"}, {"unit", "access"}, {"description", "found"}},
      {{"module", "a1"}, {"name", "hits"}, {"unit", "access"}, {"description", "found"}}};
  const ordered_json data = embedded(run_report({{"platform", "p"}}, catalogue, "", ""));
  CHECK(data["texts"].dump() == R"([["access","found"]])");
  CHECK(data["about"]["a1"]["hits"] == 0);
}

TEST_CASE("a sweep's report has its designs as arrays, and its names cannot leave the data") {
  const std::string nasty = "</script><script>alert(1)</script><!--";
  const ordered_json runs = {{{"workload", nasty}, {"objectives", {{nasty, 3}, {"o", nullptr}}}}};
  const ordered_json document = {
      {"title", nasty},
      {"platforms", {"p", nasty}},
      {"parameters", {{{"name", "llc.sets"}}, {{"name", nasty}}}},
      {"objectives", {{{"name", "o"}}, {{"name", nasty}}}},
      {"base", {{"platform", "p"}, {"objectives", {{nasty, 2}, {"o", 1}}}, {"runs", runs}}},
      {"designs",
       {{{"id", 0},
         {"platform", nasty},
         {"settings", {{nasty, nasty}}},
         {"objectives", {{nasty, 1.5}, {"o", nullptr}}},
         {"front", false},
         {"runs", runs}}}},
      {"front", ordered_json::array()}};
  const std::string html = sweep_report(document);
  CHECK_THAT(html, !Contains("<script>alert"));
  CHECK(count(html, "<script") == 3);
  const ordered_json data = embedded(html);
  CHECK(data["title"] == nasty);
  CHECK(data["base"].dump() == "[1,2]");
  const ordered_json wanted = {{1, {nullptr, nasty}, {nullptr, 1.5}, {{nullptr, 3}}}};
  CHECK(data["designs"] == wanted);
}

TEST_CASE("a stored document gives the catalogue of its statistics") {
  const ordered_json hits = {{"unit", "access"}, {"kind", "counter"}, {"description", "found"}};
  const ordered_json stats = {
      {"platform", "p"},
      {"modules",
       {{"system.gpu0.l1_12", {{"hits", 1}, {"unknown", 2}}}, {"system.gpu1.llc3", {{"x", 1}}}}},
      {"dictionary", {{"modules", {{"system.gpu*.l1_*", {{"hits", hits}, {"other", hits}}}}}}}};
  ordered_json wanted = {{"module", "system.gpu0.l1_12"}, {"name", "hits"}};
  wanted.update(hits);
  CHECK(catalogue_from(stats) == ordered_json::array({wanted}));
  CHECK(embedded(run_report(stats, catalogue_from(stats), "", ""))["texts"].dump() ==
        R"([["access","found"]])");
  CHECK(catalogue_from({{"platform", "p"}}).empty());
}

TEST_CASE("a comparison's points have their energy, hops, waits and reports") {
  const ordered_json stats = {{"cycles", 10},
                              {"energy", {{"dram", {{"total_j", 3.0}}}, {"total_j", 4.0}}}};
  const ordered_json document =
      comparison_document({{"p", "w", stats, ""}, {"q", "w", nullptr, "it broke"}}, {});
  const ordered_json details =
      embedded(comparison_report(document, {"points/p-w.html", ""}))["details"];
  REQUIRE(details.size() == 2);
  CHECK(details[0]["report"] == "points/p-w.html");
  CHECK(details[0]["energy"][0]["part"] == 3.0);
  CHECK(details[0]["waits"].empty());
  CHECK(details[1]["report"].get<std::string>().empty());
  CHECK(details[1]["energy"].empty());
}

TEST_CASE("a report of a comparison with nothing but failures is still a report") {
  const ordered_json document = comparison_document({{"p", "w", nullptr, "it broke"}}, {});
  CHECK(embedded(comparison_report(document))["summary"]["failed"] == 1);
}

}  // namespace tessera::html_test
