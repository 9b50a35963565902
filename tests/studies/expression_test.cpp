// SPDX-License-Identifier: Apache-2.0
#include "studies/expression.h"

#include <catch2/catch.hpp>
#include <map>

#include "common/error.h"
#include "studies/evaluator.h"

namespace tessera::expression_test {

using namespace tessera::studies;
using Catch::Matchers::Contains;

namespace {

const Vocabulary& vocabulary() {
  static const Vocabulary v{{"nuba", "uba-mem"},
                            {"2MM", "MM", "NW"},
                            {{"all", {0, 1, 2}}, {"high-sharing", {0, 1}}, {"low-sharing", {2}}},
                            {}};
  return v;
}

/// cycles: nuba 100, 50, 200; uba-mem 200, 200, 100. derived.page_sharing.2-10: 0.25 everywhere.
double read(const Reading& r) {
  if (r.path == "derived.page_sharing.2-10") return 0.25;
  static const std::map<std::pair<std::size_t, std::size_t>, double> kCycles = {
      {{0, 0}, 100}, {{0, 1}, 50}, {{0, 2}, 200}, {{1, 0}, 200}, {{1, 1}, 200}, {{1, 2}, 100}};
  return kCycles.at({r.platform, r.workload});
}

std::optional<double> value(const std::string& text,
                            const std::set<std::size_t>& usable = {0, 1, 2},
                            const std::string& each = {}) {
  const Expression e = each.empty() ? Expression{} : parse_expression(each, vocabulary());
  return Evaluator(read, {0, 1, 2}, usable).value(parse_expression(text, vocabulary(), e));
}

std::string error_of(const std::string& text) {
  try {
    parse_expression(text, vocabulary());
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a statistic that nobody measures is refused with the nearest name") {
  Vocabulary v;
  v.platforms = {"nuba"};
  v.groups = {{"all", {}}};
  v.statistics = {"cycles", "derived.page_balance", "derived.peak_gb_per_s.*"};
  const auto parse = [&v](const std::string& text) { parse_expression(text, v); };
  CHECK_NOTHROW(parse("max(derived.page_balance[nuba])"));
  CHECK_NOTHROW(parse("max(derived.peak_gb_per_s.llc[nuba])"));
  CHECK_THROWS_WITH(parse("max(derived.page_balanse[nuba])"),
                    Contains("column 5") && Contains("did you mean 'derived.page_balance'?"));
  CHECK_THROWS_WITH(parse("max(cycles[nuba]) / 0"), Contains("division by zero"));
  CHECK_NOTHROW(parse("max(cycles[nuba]) / 0.5"));
}

TEST_CASE("arithmetic has the usual precedence") {
  CHECK(value("1 + 2 * 3 - 8 / 4") == 5.0);
  CHECK(value("(1 + 2) * 3") == 9.0);
  CHECK(value("10 - 4 - 3") == 3.0);
  CHECK(value("1.5e2 - .5") == 149.5);
  CHECK(value("abs(2 - 5)") == 3.0);
  CHECK(value("larger(2, 5) - smaller(2, 5)") == 3.0);
}

TEST_CASE("means of speedups are those of the book") {
  // Speedups 2, 4 and 0.5.
  const std::string s = "speedup(nuba, uba-mem)";
  CHECK(value("hmean(" + s + ")").value() == Approx(3 / (0.5 + 0.25 + 2)));
  CHECK(value("mean(" + s + ")").value() == Approx(6.5 / 3));
  CHECK(value("gmean(" + s + ")").value() == Approx(1.587401051968199));  // cube root of 4
  CHECK(value("max(" + s + ")") == 4.0);
  CHECK(value("min(" + s + ")") == 0.5);
  CHECK(value("sum(" + s + ")") == 6.5);
}

TEST_CASE("an aggregate goes over the class or the workloads that it names") {
  CHECK(value("hmean(speedup(nuba, uba-mem), high-sharing)").value() == Approx(2 / 0.75));
  CHECK(value("max(cycles[nuba], low-sharing, MM)") == 200.0);
  CHECK(value("at(cycles[nuba], 2MM)") == 100.0);
  CHECK(value("mean(derived.page_sharing.2-10[nuba])") == 0.25);
}

TEST_CASE("workloads that cannot be used are left out everywhere") {
  CHECK(value("max(speedup(nuba, uba-mem))", {0, 2}) == 2.0);
  CHECK(value("at(cycles[nuba], MM)", {0, 2}) == std::nullopt);
  CHECK(value("mean(cycles[nuba], MM)", {0, 2}) == std::nullopt);
  // An empty set is no zero.
  CHECK(value("sum(cycles[nuba])", {}) == std::nullopt);
}

TEST_CASE("the word each stands for the claim's values") {
  CHECK(value("max(each) - 1", {0, 1, 2}, "speedup(nuba, uba-mem)") == 3.0);
  CHECK_THAT(error_of("max(each)"), Contains("there is no \"each\""));
}

TEST_CASE("a chain of comparisons holds when every link does") {
  CHECK(value("3 > 2 > 1") == 1.0);
  CHECK(value("3 > 2 > 2") == 0.0);
  CHECK(value("3 > 2 >= 2") == 1.0);
  CHECK(value("1 > 2 > 0") == 0.0);
  CHECK(value("1 < 2") == 1.0);
  CHECK(value("2 <= 1") == 0.0);
}

TEST_CASE("all and any look at every workload") {
  CHECK(value("all(cycles[nuba] < 201)") == 1.0);
  CHECK(value("all(cycles[nuba] < 200)") == 0.0);
  CHECK(value("any(cycles[nuba] < 51)") == 1.0);
  CHECK(value("any(cycles[nuba] < 50)") == 0.0);
}

TEST_CASE("count gives the number of workloads for which a comparison is so") {
  CHECK(value("count(cycles[nuba] < 200)") == 2.0);
  CHECK(value("count(cycles[nuba] < 50)") == 0.0);
  CHECK(value("count(cycles[nuba] < 201) * 2") == 6.0);
  CHECK(value("count(cycles[nuba] > 49, high-sharing) > 1") == 1.0);
  CHECK_THAT(error_of("count(cycles[nuba])"), Contains("expected a comparison"));
}

TEST_CASE("rank correlation is one for the same order and has ties") {
  // nuba: ranks 2 1 3; its square in another unit: the same.
  CHECK(value("spearman(cycles[nuba], cycles[nuba] * cycles[nuba])").value() == Approx(1));
  CHECK(value("spearman(cycles[nuba], 0 - cycles[nuba])").value() == Approx(-1));
  // uba-mem: ranks 2.5 2.5 1; deviations (0 -1 1) and (.5 .5 -1): -1.5 / sqrt(2 * 1.5).
  CHECK(value("spearman(cycles[nuba], cycles[uba-mem])").value() == Approx(-0.8660254));
  // Not defined: two pairs, or equal values.
  CHECK(value("spearman(cycles[nuba], cycles[uba-mem], high-sharing)") == std::nullopt);
  CHECK(value("spearman(cycles[nuba], cycles[nuba] * 0)") == std::nullopt);
}

TEST_CASE("what is not defined has no value") {
  CHECK(value("1 / (1 - 1)") == std::nullopt);
  CHECK(value("mean(cycles[nuba] / (1 - 1))") == std::nullopt);
  CHECK(value("hmean(cycles[nuba] * 0)") == std::nullopt);
  CHECK(value("gmean(cycles[nuba] - 100)") == std::nullopt);
}

TEST_CASE("what an expression needs is known before anything runs") {
  const auto needs = [](const std::string& text) {
    std::set<Reading> all;
    collect_readings(parse_expression(text, vocabulary()), {0, 2}, all);
    std::string out;
    for (const Reading& r : all) {
      out += r.path + std::to_string(r.platform) + std::to_string(r.workload) + " ";
    }
    return out;
  };
  CHECK(needs("mean(ipc[nuba])") == "ipc00 ipc02 ");
  CHECK(needs("ipc[nuba] + 1") == "ipc00 ipc02 ");
  CHECK(needs("mean(ipc[nuba], MM) + at(speedup(nuba, uba-mem), NW)") ==
        "ipc01 cycles02 cycles12 ");
  CHECK(needs("mean(ipc[nuba] / max(cycles[uba-mem]), MM)") == "cycles10 ipc01 cycles12 ");
}

TEST_CASE("mistakes are reported with their column and the nearest name") {
  CHECK(
      error_of("hmaen(cycles[nuba])") ==
      "\"hmaen(cycles[nuba])\", column 1: unknown function 'hmaen'; did you mean 'hmean'? "
      "(known: hmean, mean, gmean, max, min, sum, all, any, count, larger, smaller, abs, spearman, "
      "speedup, at)");
  CHECK_THAT(error_of("max(cycles[nuab])"),
             Contains("column 11") && Contains("did you mean 'nuba'?"));
  CHECK_THAT(error_of("max(speedup(nuba, uba-men))"), Contains("did you mean 'uba-mem'?"));
  CHECK_THAT(error_of("max(cycles[nuba], high-sharin)"),
             Contains("column 19") && Contains("did you mean 'high-sharing'?"));
  CHECK_THAT(error_of("1 +"), Contains("column 4") && Contains("expected a number"));
  CHECK_THAT(error_of("1 2"), Contains("column 3") && Contains("expected the end"));
  CHECK_THAT(error_of("1 $ 2"), Contains("unexpected '$'"));
  CHECK_THAT(error_of("max(cycles[nuba)"), Contains("the '[' is never closed"));
  CHECK_THAT(error_of("cycles"), Contains("NAME[PLATFORM]"));
  CHECK_THAT(error_of("1.2.3"), Contains("'1.2.3' is not a number"));
  CHECK_THAT(error_of(""), Contains("expected a number"));
  CHECK_THAT(error_of("at(cycles[nuba])"), Contains("'at' needs one workload"));
  CHECK_THAT(error_of("at(cycles[nuba], all)"), Contains("'at' needs one workload"));
  CHECK_THAT(error_of(std::string(1000, '(')), Contains("nested too deeply"));
}

TEST_CASE("values, means and conditions are not mixed up") {
  CHECK_THAT(error_of("max(1)"), Contains("needs a value for each workload"));
  CHECK_THAT(error_of("max(max(cycles[nuba]))"), Contains("needs a value for each workload"));
  CHECK_THAT(error_of("all(cycles[nuba])"), Contains("expected a comparison"));
  CHECK_THAT(error_of("max(cycles[nuba] > 1)"), Contains("a comparison is not a number"));
  CHECK_THAT(error_of("(1 > 2) + 1"), Contains("a comparison is not a number"));
}

TEST_CASE("a bound is a name, an operator and a number") {
  CHECK(parse_bound("ratio > 1").allows(1.01));
  CHECK_FALSE(parse_bound("ratio > 1").allows(1));
  CHECK(parse_bound("fraction >= 0.8").allows(0.8));
  CHECK(parse_bound("value<1").allows(0.99));
  CHECK_FALSE(parse_bound("ratio <= 1").allows(1.01));
  CHECK_THROWS_WITH(parse_bound("ration > 1"), Contains("did you mean 'ratio'?"));
  CHECK_THROWS_AS(parse_bound("lasp slower than ronce"), InputError);
  CHECK_THROWS_AS(parse_bound("ratio > 1; rm -rf"), InputError);
  CHECK_THROWS_AS(parse_bound("ratio > 1.2.3"), InputError);
}

}  // namespace tessera::expression_test
