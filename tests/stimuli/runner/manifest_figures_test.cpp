// SPDX-License-Identifier: Apache-2.0
// Figures of a manifest: named numbers from arrays, sizes and the cycles of launches.
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "stimuli/runner/figure_expression.h"
#include "tests/stimuli/runner/manifest_folder.h"

namespace tessera::manifest_figures_test {

namespace {

using tessera::kernels::ArraySummary;
using tessera::kernels::evaluate_figure;
using tessera::kernels::FigureTerms;
using tessera::kernels::Sizes;
using tessera::test::ManifestFolder;
using tessera::test::ManifestRun;

const Sizes kSizes = {{"n", 4}, {"hops", 8}};

/// An array "a", a kernel "k" whose last launch took 90 cycles, launches of 30 and 90 cycles.
FigureTerms terms() {
  FigureTerms t;
  t.array = [](const std::string& name) -> std::optional<ArraySummary> {
    if (name == "unread") return std::nullopt;
    if (name != "a") throw InputError("no array " + name);
    return ArraySummary{2.5, 1, 4, 10};
  };
  t.last_cycles = [](const std::string& name) -> std::optional<double> {
    if (name != "k") throw InputError("no kernel " + name);
    return 90;
  };
  t.cycles = [](std::uint64_t launch) -> std::optional<double> {
    if (launch > 1) return std::nullopt;
    return launch == 0 ? 30 : 90;
  };
  return t;
}

std::optional<double> value(const std::string& text) {
  return evaluate_figure(text, kSizes, terms());
}

std::string error_of(const std::string& text) {
  try {
    value(text);
    return "no error";
  } catch (const InputError& e) {
    return e.what();
  }
}

/// A manifest with arrays a = 3, 1, 2, 6 and b (f32), a kernel k launched `times` times.
struct Run {
  ManifestFolder folder;
  ManifestRun run;
  explicit Run(const std::string& figures, const std::string& more = "")
      : run(write(figures, more)) {}
  std::string write(const std::string& figures, const std::string& more) const {
    folder.put("k.ptx",
               ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry _Z1kv()\n"
               "{\nret;\n}\n");
    return folder.put("m.json", R"({"name": "m", "ptx": "k.ptx",
"sizes": {"small": {"hops": 4}},
"arrays": [{"name": "a", "type": "u64", "count": 4, "init": [3, 1, 2, 6]},
  {"name": "b", "type": "f32", "count": 2, "init": [0.5, -1.5]},
  {"name": "large", "type": "u64", "count": 1, "init": [18446744073709551615]}],
"launches": [{"kernel": "k", "grid": 1, "block": 1, "arguments": []}],
"figures": [)" + figures + "]" + more +
                                    "}");
  }
  std::string error() const { return run.error; }
};

std::string figure(const std::string& value, const std::string& unit = "cycle") {
  return R"({"name": "f", "unit": ")" + unit + R"(", "value": ")" + value + R"("})";
}

std::optional<double> value_of(const std::string& text,
                               const std::vector<LaunchTime>* launches = nullptr) {
  const Run r(figure(text));
  REQUIRE(r.error().empty());
  const std::vector<WorkloadFigure> figures = r.run.workload->figures(launches);
  REQUIRE(figures.size() == 1);
  return figures[0].value;
}

}  // namespace

TEST_CASE("a figure's arithmetic is that of real numbers") {
  CHECK(value("n / hops") == 0.5);
  CHECK(value("7 / 2 * 2") == 7);
  CHECK(value("-n + 1") == -3);
  CHECK(value("7 % n") == 3);
  CHECK(value("ceil_div(n + 1, 4)") == 2);
  CHECK(value("min(n, hops) + max(n, hops)") == 12);
}

TEST_CASE("a figure reads arrays and the cycles of launches") {
  CHECK(value("mean(a)") == 2.5);
  CHECK(value("min(a) + max( a )") == 5);
  CHECK(value("sum(a) / n") == 2.5);
  CHECK(value("cycles(k) / hops") == 11.25);
  CHECK(value("cycles(0) + cycles(1)") == 120);
  CHECK(value("min(max(a), sum(a))") == 4);
}

TEST_CASE("a figure without what it needs has no value") {
  CHECK_FALSE(value("mean(unread) + 1"));
  CHECK_FALSE(value("max(mean(unread), 1)"));
  CHECK_FALSE(value("-cycles(2)"));
  CHECK_FALSE(value("n / (hops - 8)"));
  CHECK_FALSE(value("n % 0"));
  CHECK_FALSE(value("ceil_div(n, 0)"));
}

TEST_CASE("garbled figures are refused with their column") {
  CHECK(error_of("average(a)") == "in \"average(a)\": unknown function 'average'");
  CHECK(error_of("mena(a)") == "in \"mena(a)\": unknown function 'mena'; did you mean 'mean'?");
  CHECK(error_of("mean(1)") ==
        "in \"mean(1)\", column 6: expected the name of an array, found '1'");
  CHECK(error_of("mean(a + 1)") == "in \"mean(a + 1)\", column 8: expected ')', found '+'");
  CHECK(error_of("cycles(-1)") ==
        "in \"cycles(-1)\", column 8: expected the name of a kernel, "
        "or the number of a launch, found '-'");
  CHECK(error_of("hop") == "in \"hop\": unknown name 'hop'; did you mean 'hops'?");
  CHECK(error_of("mean(b)") == "no array b");
}

TEST_CASE("figures are computed from the arrays after the run") {
  CHECK(value_of("mean(a)") == 3);
  CHECK(value_of("(max(a) - min(a)) / hops") == 1.25);
  CHECK(value_of("sum(b)") == -1);
  CHECK(value_of("max(large)") == 0x1p64);
}

TEST_CASE("figures of cycles need a run with time") {
  // The launches have the names of their symbols.
  const std::vector<LaunchTime> launches = {{"_Z1kv", 30}, {"_Z1kv", 90}};
  CHECK(value_of("cycles(k) / hops", &launches) == 22.5);
  CHECK(value_of("cycles(0)", &launches) == 30);
  CHECK_FALSE(value_of("cycles(2)", &launches));
  CHECK_FALSE(value_of("cycles(k) / hops"));
  CHECK_FALSE(value_of("cycles(0)"));
}

TEST_CASE("figures have a unit and a description, and a workload can do without figures") {
  const Run r(R"j({"name": "latency", "unit": "cycle/hop", "description": "of a load",
                  "value": "hops"},
                 {"name": "share", "unit": "", "value": "mean(a)"})j");
  REQUIRE(r.error().empty());
  const std::vector<WorkloadFigure> figures = r.run.workload->figures(nullptr);
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].name == "latency");
  CHECK(figures[0].unit == "cycle/hop");
  CHECK(figures[0].description == "of a load");
  CHECK(figures[0].value == 4);
  CHECK(figures[1].unit.empty());
  CHECK(make_workload("vecadd")->figures(nullptr).empty());
}

TEST_CASE("mistakes in figures are refused with their place") {
  CHECK_THAT(Run(figure("mean(aa)")).error(),
             Catch::Contains("/figures/0/value: unknown array 'aa'; did you mean 'a'?"));
  CHECK_THAT(Run(figure("cycles(kk)")).error(),
             Catch::Contains("/figures/0/value: no launch of a kernel 'kk'; did you mean 'k'?"));
  CHECK_THAT(Run(figure("hop")).error(), Catch::Contains("/figures/0/value: in \"hop\": unknown "
                                                         "name 'hop'; did you mean 'hops'?"));
  CHECK_THAT(Run(figure("hops", "cycles")).error(),
             Catch::Contains("/figures/0/unit: unknown unit \"cycles\"; did you mean 'cycle'?"));
  CHECK_THAT(Run(figure("hops", "byte/cycles")).error(),
             Catch::Contains("unknown unit \"cycles\""));
  CHECK_THAT(Run(figure("hops", "byte/cycle/hop")).error(),
             Catch::Contains("unknown unit \"cycle/hop\""));
  CHECK_THAT(Run(figure("hops") + "," + figure("1")).error(),
             Catch::Contains("/figures/1/name: \"f\" is listed already"));
  CHECK_THAT(Run(R"({"name": "a b", "unit": "", "value": 1})").error(),
             Catch::Contains("/figures/0/name: expected a name of letters, digits and '_'"));
  CHECK_THAT(Run(R"({"name": "f", "value": 1})").error(), Catch::Contains("\"unit\""));
  CHECK_THAT(Run(R"({"name": "f", "unit": "", "value": 1.5})").error(),
             Catch::Contains("/figures/0/value: expected an integer or an expression"));
  CHECK_THAT(Run(R"({"name": "f", "unit": "", "value": 1, "scale": 2})").error(),
             Catch::Contains("scale"));
}

}  // namespace tessera::manifest_figures_test
