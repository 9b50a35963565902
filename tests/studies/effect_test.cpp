// SPDX-License-Identifier: Apache-2.0
#include "studies/effect.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "studies/study.h"

namespace tessera::effect_test {

using namespace tessera::studies;

TEST_CASE("an effect is the measured change's share of the published one, in logarithms") {
  CHECK(effect_of(1.21, 1.21) == 1.0);
  CHECK(effect_of(1.21, 1) == 0.0);
  CHECK(effect_of(1.21, 1.1).value() == Approx(0.5));
  CHECK(effect_of(1.1, 1.331).value() == Approx(3));
  CHECK(effect_of(0.25, 0.5).value() == Approx(0.5));
  CHECK_FALSE(std::signbit(effect_of(0.25, 1).value()));
  // The opposite: faster instead of slower.
  CHECK(effect_of(0.25, 2).value() == Approx(-0.5));
}

TEST_CASE("a ratio within 3 % of 1 has no effect, and neither has a measured ratio of 0") {
  for (const double none : {0.97, 0.971, 1.0, 1.03}) {
    INFO(none);
    CHECK_FALSE(has_effect(none));
    CHECK(effect_of(none, 2) == std::nullopt);
  }
  CHECK(has_effect(1.031));
  CHECK(has_effect(0.969));
  CHECK(effect_of(2, 0) == std::nullopt);
}

TEST_CASE("the floor is a fifth of the effect, on the published side of 1") {
  CHECK(effect_floor_of(1.231) == Approx(1.0424).margin(5e-5));
  CHECK(effect_floor_of(0.455) == Approx(0.8543).margin(5e-5));
  CHECK(effect_of(1.231, effect_floor_of(1.231)).value() == Approx(0.2));
  CHECK(reaches(1.05, 1.05));
  CHECK(reaches(3, 1.05));
  CHECK_FALSE(reaches(1.0499, 1.05));
  CHECK_FALSE(reaches(0.5, 1.05));
  CHECK(reaches(0.9, 0.9));
  CHECK(reaches(0.1, 0.9));
  CHECK_FALSE(reaches(0.9001, 0.9));
  CHECK_FALSE(reaches(1.1, 0.9));
}

TEST_CASE("a ratio's range is the narrower of its tolerance and 0.5 to 1.5 of its effect") {
  using Range = std::pair<double, double>;
  CHECK(accepted_range(4, 0.5, false) == Range(2, 6));
  CHECK(accepted_range(-4, 0.5, false) == Range(-6, -2));
  CHECK(accepted_range(1, 0.5, true) == Range(0.5, 1.5));
  // 4^0.5 to 4^1.5
  CHECK(accepted_range(4, 2, true) == Range(2, 8));
  CHECK(accepted_range(4, 0.25, true) == Range(3, 5));
  CHECK(accepted_range(4, 0.75, true) == Range(2, 7));
  // 0.25^1.5 to 0.25^0.5
  CHECK(accepted_range(0.25, 2, true) == Range(0.125, 0.5));
  CHECK(accepted_range(0.25, 0.25, true) == Range(0.1875, 0.3125));
}

TEST_CASE("effects have a mean and a median, and are not clamped") {
  CHECK(summary_of({}).claims == 0);
  CHECK(summary_of({}).mean == std::nullopt);
  CHECK(summary_of({}).median == std::nullopt);
  const EffectSummary odd = summary_of({4, -1, 0.75});
  CHECK(odd.claims == 3);
  CHECK(odd.mean == 1.25);
  CHECK(odd.median == 0.75);
  const EffectSummary even = summary_of({2, 0.5, 0.25, 0.25});
  CHECK(even.mean == 0.75);
  CHECK(even.median == 0.375);
}

TEST_CASE("the simulated ratios of the papers have the range and the floor of the rule") {
  for (const char* name : {"nuba", "dualopt"}) {
    const Study study = load_study(std::string(TESSERA_SOURCE_DIR) + "/studies/" + name);
    std::size_t ratios = 0;
    for (const Claim& c : study.claims) {
      if (c.scope != "sim" || !c.is_ratio() || !c.value || !has_effect(*c.value)) continue;
      INFO(c.id);
      ++ratios;
      REQUIRE(c.tolerance);
      const auto [low, high] = accepted_range(*c.value, *c.tolerance, true);
      CHECK(c.accept_range->first == Approx(low).margin(1e-4));
      CHECK(c.accept_range->second == Approx(high).margin(1e-4));
      CHECK(*c.effect_floor == Approx(effect_floor_of(*c.value)).margin(1e-4));
    }
    CHECK(ratios == (study.name == "nuba" ? 18 : 9));
  }
}

}  // namespace tessera::effect_test
