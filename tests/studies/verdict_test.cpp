// SPDX-License-Identifier: Apache-2.0
#include "studies/verdict.h"

#include <catch2/catch.hpp>

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

Comparison number(double published, std::optional<double> measured_value, double tolerance) {
  return {"x", published, measured_value,
          measured_value && within(*measured_value, published, tolerance)};
}

}  // namespace

TEST_CASE("a range with its ends decides; below it the minimum check is the direction") {
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

TEST_CASE("beside a range, further numbers and orderings are told but do not decide") {
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

TEST_CASE("a sweep holds by its numbers and its order; its order alone is the direction") {
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
  CHECK(within(1.25, 1, 0.25));
  CHECK_FALSE(within(1.2501, 1, 0.25));
  CHECK(within(-0.75, -1, 0.25));
  CHECK(within(0, 0, 0));
  CHECK_FALSE(within(1e-9, 0, 0.5));
}
