// SPDX-License-Identifier: Apache-2.0
#include "studies/verdict.h"

#include <catch2/catch.hpp>

#include "studies/effect.h"

namespace tessera::verdict_test {

using namespace tessera::studies;

namespace {

Claim claim_with_range() {
  Claim c;
  c.value = 1.2;
  c.accept_range.emplace(1.1, 1.3);
  c.minimum_check = parse_bound("ratio > 1");
  return c;
}

Outcome measured(double v) {
  Outcome o;
  o.measured = v;
  return o;
}

Comparison number(double published, std::optional<double> measured_value, double tolerance,
                  const char* kind = "") {
  Claim c;
  c.value_kind = kind;
  c.tolerance = tolerance;
  return compare_number(c, {"x", published}, measured_value);
}

/// A ratio of 1.21, whose effect is half at 1.1, with the range and floor of the rule.
Claim ratio_claim() {
  Claim c = claim_with_range();
  c.value_kind = "ratio";
  c.value = 1.21;
  c.accept_range = accepted_range(1.21, 0.15, true);
  c.effect_floor = effect_floor_of(1.21);
  return c;
}

}  // namespace

TEST_CASE("a range with its ends decides, and below it the minimum check is the direction") {
  const Claim c = claim_with_range();
  CHECK(judge(c, measured(1.1)) == Verdict::kHolds);
  CHECK(judge(c, measured(1.3)) == Verdict::kHolds);
  CHECK(judge(c, measured(1.0999)) == Verdict::kDirection);
  CHECK(judge(c, measured(1.3001)) == Verdict::kDirection);
  CHECK(judge(c, measured(1.0)) == Verdict::kFails);
}

TEST_CASE("outside the range without a minimum check is a failure") {
  Claim c = claim_with_range();
  c.minimum_check.reset();
  CHECK(judge(c, measured(1.05)) == Verdict::kFails);
}

TEST_CASE("beside a range, further numbers and orderings are reported but do not decide") {
  Outcome o = measured(1.2);
  o.parts = {number(2, 9, 0.1)};
  o.ordering = false;
  CHECK(judge(claim_with_range(), o) == Verdict::kHolds);
}

TEST_CASE("numbers of single workloads must all be within the tolerance") {
  Claim c;
  c.tolerance = 0.25;
  c.minimum_check = parse_bound("ratio < 1");
  Outcome o;
  o.parts = {number(0.8, 0.61, 0.25), number(0.8, 0.99, 0.25)};
  CHECK(judge(c, o) == Verdict::kHolds);
  o.parts[1] = number(0.8, 1.01, 0.25);
  CHECK(judge(c, o) == Verdict::kFails);
  o.parts[1] = number(0.8, 0.5, 0.25);
  CHECK(judge(c, o) == Verdict::kDirection);
  // A workload that is missing does not count against it, but something must be there.
  o.parts[1] = number(0.8, std::nullopt, 0.25);
  CHECK(judge(c, o) == Verdict::kHolds);
  o.parts[0] = number(0.8, std::nullopt, 0.25);
  CHECK(judge(c, o) == Verdict::kFails);
}

TEST_CASE("a sweep holds by its numbers and its order, and its order alone is the direction") {
  Claim c;
  c.tolerance = 0.1;
  Outcome o;
  o.points = {number(1.0, 1.05, 0.1), number(2.0, 2.1, 0.1)};
  o.ordering = true;
  CHECK(judge(c, o) == Verdict::kHolds);
  o.ordering = false;
  CHECK(judge(c, o) == Verdict::kFails);
  o.ordering = true;
  o.points[1] = number(2.0, 2.3, 0.1);
  CHECK(judge(c, o) == Verdict::kDirection);
  o.ordering.reset();
  CHECK(judge(c, o) == Verdict::kFails);
}

TEST_CASE("an ordering comes out or does not") {
  const Claim c;
  Outcome o;
  o.ordering = true;
  CHECK(judge(c, o) == Verdict::kHolds);
  o.ordering = false;
  CHECK(judge(c, o) == Verdict::kFails);
}

TEST_CASE("what did not run has no other verdict") {
  Outcome o = measured(1.2);
  o.not_run = "no workload yet: LBM";
  CHECK(judge(claim_with_range(), o) == Verdict::kNotRun);
}

TEST_CASE("a tolerance is relative to the published number, ends included") {
  CHECK(number(1, 1.25, 0.25).within);
  CHECK_FALSE(number(1, 1.2501, 0.25).within);
  CHECK(number(-1, -0.75, 0.25).within);
  CHECK(number(0, 0, 0).within);
  CHECK_FALSE(number(0, 1e-9, 0.5).within);
}

TEST_CASE("a ratio has the direction from its effect floor on") {
  const Claim c = ratio_claim();
  // The range: 1.1 to 1.331, and 1.21 * 0.85 to 1.21 * 1.15.
  CHECK(c.accept_range->first == Approx(1.1));
  CHECK(c.accept_range->second == Approx(1.331));
  CHECK(judge(c, measured(1.1001)) == Verdict::kHolds);
  CHECK(judge(c, measured(1.0999)) == Verdict::kDirection);
  // 1.21^0.2 = 1.038860
  CHECK(judge(c, measured(1.0389)) == Verdict::kDirection);
  CHECK(judge(c, measured(1.0388)) == Verdict::kFails);
  CHECK(judge(c, measured(2)) == Verdict::kDirection);
  // The minimum check applies as well.
  Claim strict = c;
  strict.minimum_check = parse_bound("ratio > 1.05");
  CHECK(judge(strict, measured(1.0499)) == Verdict::kFails);
  CHECK(judge(strict, measured(1.0501)) == Verdict::kDirection);
}

TEST_CASE("a ratio below 1 has its floor below 1") {
  Claim c;
  c.value_kind = "ratio";
  c.value = 0.64;
  c.accept_range = accepted_range(0.64, 0.3, true);
  c.effect_floor = effect_floor_of(0.64);  // 0.914610
  c.minimum_check = parse_bound("ratio < 1");
  CHECK(judge(c, measured(0.7999)) == Verdict::kHolds);
  CHECK(judge(c, measured(0.8001)) == Verdict::kDirection);
  CHECK(judge(c, measured(0.9146)) == Verdict::kDirection);
  CHECK(judge(c, measured(0.9147)) == Verdict::kFails);
}

TEST_CASE("a run without effect neither holds nor has the direction") {
  Claim c = ratio_claim();
  CHECK(judge(c, measured(1)) == Verdict::kFails);
  // Neither a wide range nor a check that 1 passes helps.
  c.accept_range.emplace(0.9, 1.5);
  c.minimum_check = parse_bound("ratio >= 1");
  CHECK(judge(c, measured(1)) == Verdict::kFails);
  CHECK(judge(c, measured(1.0388)) == Verdict::kFails);

  // 1 is within a tolerance of 30 % around 1.231, but it is not half of the effect.
  Claim sweep;
  sweep.value_kind = "ratio";
  sweep.tolerance = 0.3;
  Outcome o;
  o.points = {number(1.231, 1, 0.3, "ratio"), number(1.216, 1, 0.3, "ratio")};
  CHECK(judge(sweep, o) == Verdict::kFails);
  o.ordering = true;
  CHECK(judge(sweep, o) == Verdict::kFails);
  // One point without effect is enough.
  o.points[0] = number(1.231, 1.2, 0.3, "ratio");
  CHECK(judge(sweep, o) == Verdict::kFails);
  o.points[1] = number(1.216, 1.05, 0.3, "ratio");
  CHECK(judge(sweep, o) == Verdict::kDirection);
  o.points[1] = number(1.216, 1.11, 0.3, "ratio");
  CHECK(judge(sweep, o) == Verdict::kHolds);
}

TEST_CASE("a published ratio within 3 % of 1 is judged by its range alone") {
  Claim c;
  c.value_kind = "ratio";
  c.value = 1.01;
  c.accept_range.emplace(0.96, 1.06);
  CHECK(judge(c, measured(1)) == Verdict::kHolds);
  CHECK(effect_of(c, measured(1.005)) == std::nullopt);
  CHECK(number(0.98, 1, 0.05, "ratio").within);
  CHECK(number(0.98, 1, 0.05, "ratio").effect == std::nullopt);
}

TEST_CASE("a claim and its numbers have an effect if they are ratios") {
  CHECK(effect_of(ratio_claim(), measured(1.1)).value() == Approx(0.5));
  CHECK(effect_of(ratio_claim(), Outcome()) == std::nullopt);
  CHECK(effect_of(claim_with_range(), measured(1.1)) == std::nullopt);
  const Comparison half = number(1.21, 1.1, 0.3, "ratio");
  CHECK(half.effect.value() == Approx(0.5));
  CHECK_FALSE(half.misses_floor);
  CHECK(half.accept_range->first == Approx(1.1));
  CHECK(half.accept_range->second == Approx(1.331));
  CHECK(number(1.21, 1.1, 0.3).effect == std::nullopt);
  CHECK(number(1.21, 1.1, 0.3).accept_range->second == Approx(1.573));
  CHECK(number(1.21, std::nullopt, 0.3, "ratio").effect == std::nullopt);
}

}  // namespace tessera::verdict_test
