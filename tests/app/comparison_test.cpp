// SPDX-License-Identifier: Apache-2.0
#include "app/report/comparison.h"

#include <catch2/catch.hpp>

#include "common/json.h"

namespace tessera::comparison_test {

using namespace tessera::app;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

ordered_json stats(std::uint64_t cycles) {
  return {{"cycles", cycles}, {"derived", {{"ipc", 2.0}}}, {"verified", true}};
}

ordered_json example() {
  return comparison_document({{"base", "a", stats(100), ""},
                              {"fast", "a", stats(50), ""},
                              {"base", "b", stats(100), ""},
                              {"fast", "b", stats(200), ""},
                              {"base", "c", stats(100), ""},
                              {"fast", "c", nullptr, "killed, twice"}},
                             {{"scale", "small"}, {"seed", 3}, {"settings", {{"l1.sets", 4}}}});
}

}  // namespace

TEST_CASE("speedups are over the first platform and their mean is harmonic") {
  const ordered_json summary = example()["summary"];
  CHECK(summary["baseline"] == "base");
  CHECK(summary["rows"][1]["speedup"] == 2.0);
  CHECK(summary["rows"][3]["speedup"] == 0.5);
  // 2 / (1/2 + 1/0.5): the workload that failed does not count.
  CHECK(summary["speedup_harmonic_mean"]["fast"].get<double>() == Approx(0.8));
  CHECK(summary["speedup_harmonic_mean"]["base"] == 1.0);
}

TEST_CASE("a failed point has its reason and no speedup") {
  const ordered_json document = example();
  CHECK(document["summary"]["failed"] == 1);
  CHECK(document["summary"]["rows"][5]["speedup"].is_null());
  CHECK(document["points"][5]["error"] == "killed, twice");
  CHECK(document["points"][5]["platform"] == "fast");
  CHECK_THAT(comparison_csv(document),
             Contains("fast,c,,,,,,,,\"killed, twice\",small,3,,,,l1.sets=4\r\n"));
  CHECK_THAT(comparison_table(document),
             Catch::StartsWith("scale small, seed 3; settings l1.sets=4\n\nWORKLOAD") &&
                 Contains("failed"));
}

TEST_CASE("a point with wrong values keeps its statistics but gives no speedup") {
  ordered_json wrong = stats(10);
  wrong["verified"] = false;
  const ordered_json summary = comparison_document(
      {{"base", "a", stats(100), ""}, {"fast", "a", wrong, "wrong values"}}, {})["summary"];
  CHECK(summary["rows"][1]["cycles"] == 10);
  CHECK(summary["rows"][1]["speedup"].is_null());
}

}  // namespace tessera::comparison_test
