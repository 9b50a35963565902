// SPDX-License-Identifier: Apache-2.0
#include "policies/page_migration.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "policies/page_migration/griffin.h"
#include "tests/support/policy_settings.h"

namespace tessera::page_migration_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

using Settings = PolicySettings<PageMigrationPolicy>;

Settings ten() {
  return policy_settings<PageMigrationPolicy>(
      {{"access-counter.threshold", 10}, {"replication.threshold", 10}});
}

std::vector<PageMigration> moves(const char* policy, const PageUse& use) {
  std::vector<PageMigration> out;
  make_policy<PageMigrationPolicy>(policy, {}, ten())->decide(use, out);
  return out;
}

}  // namespace

TEST_CASE("access-counter: a page goes to the partition that uses it most") {
  const auto out = moves("access-counter", {7, ChannelId(0), false, {9, 3, 12, 11}});
  REQUIRE(out.size() == 1);
  CHECK(out[0].virtual_page == 7);
  CHECK(out[0].to == ChannelId(2));
  CHECK_FALSE(out[0].copy);
}

TEST_CASE("access-counter: a page stays below the threshold, and where its home uses it as much") {
  CHECK(moves("access-counter", {7, ChannelId(0), false, {0, 9}}).empty());
  CHECK(moves("access-counter", {7, ChannelId(0), false, {0, 10}}).size() == 1);
  CHECK(moves("access-counter", {7, ChannelId(0), false, {10, 10}}).empty());
  CHECK(moves("access-counter", {7, ChannelId(1), false, {10, 10}}).empty());
}

TEST_CASE("replication: a read-only page is copied to each partition that uses it enough") {
  const auto out = moves("replication", {7, ChannelId(1), true, {10, 50, 9, 11}});
  REQUIRE(out.size() == 2);
  CHECK(out[0].to == ChannelId(0));
  CHECK(out[1].to == ChannelId(3));
  CHECK(out[0].copy);
  CHECK(out[1].copy);
}

TEST_CASE("replication: a page that anything else touched is not copied") {
  CHECK(moves("replication", {7, ChannelId(1), false, {10, 50, 9, 11}}).empty());
}

TEST_CASE("no policy, and an unknown one") {
  CHECK(make_policy<PageMigrationPolicy>("none") == nullptr);
  CHECK_THROWS_WITH(make_policy<PageMigrationPolicy>("access-conter"),
                    Catch::Contains("did you mean 'access-counter'"));
}

namespace {

/// One policy over several intervals.
struct Course {
  std::unique_ptr<PageMigrationPolicy> policy;
  Course(const char* name, const Settings& settings = {})
      : policy(make_policy<PageMigrationPolicy>(name, {}, settings)) {}
  /// Page 7, at `home`; its moves are carried out. -1: it stays.
  int interval(std::uint32_t home, std::vector<std::uint32_t> accesses) {
    std::vector<PageMigration> out;
    if (!accesses.empty()) policy->decide({7, ChannelId(home), false, std::move(accesses)}, out);
    policy->end_interval();
    for (const PageMigration& m : out) policy->on_completed(m);
    return out.empty() ? -1 : static_cast<int>(out[0].to.value);
  }
  std::uint64_t count(const std::string& name) const {
    for (const PolicyCounter& c : policy->counters()) {
      if (c.name == name) return *c.value;
    }
    FAIL("no count " << name);
    return 0;
  }
};

Settings half() { return policy_settings<PageMigrationPolicy>({{"griffin.alpha", 0.5}}); }

GriffinClass class_of(std::vector<double> before, std::vector<double> now_, std::uint32_t home,
                      bool used = true) {
  return griffin_class({std::move(before), std::move(now_)}, ChannelId(home), used, {});
}

}  // namespace

TEST_CASE("first-touch-migration: a page goes to its first other toucher, once") {
  Course course("first-touch-migration");
  CHECK(course.interval(0, {9, 0, 0}) == -1);
  CHECK_FALSE(course.policy->stays(7));
  CHECK(course.interval(0, {9, 0, 1}) == 2);
  CHECK(course.policy->stays(7));
  CHECK(course.interval(2, {50, 50, 0}) == -1);
  course.policy->reset();
  CHECK(course.interval(2, {0, 1, 0}) == 1);
}

TEST_CASE("first-touch-migration: of several in one batch, the one with most, then the lowest") {
  CHECK(Course("first-touch-migration").interval(0, {0, 3, 4, 4}) == 2);
}

TEST_CASE("first-touch-migration: a touch at home pins a page where that is asked for") {
  const Settings o =
      policy_settings<PageMigrationPolicy>({{"first-touch-migration.home_touch_pins", 1}});
  Course course("first-touch-migration", o);
  CHECK(course.interval(0, {1, 9}) == -1);
  CHECK(course.interval(0, {0, 9}) == -1);
  CHECK(course.policy->stays(7));
  CHECK(course.count("home_pins") == 1);
  CHECK(Course("first-touch-migration", o).interval(0, {0, 9}) == 1);
}

TEST_CASE("griffin: rates are filtered") {
  GriffinRates r;
  r.add_period({8, 0}, 0.25);
  CHECK(r.now == std::vector<double>{2, 0});
  r.add_period({0, 4}, 0.25);
  CHECK(r.before == std::vector<double>{2, 0});
  CHECK(r.now == std::vector<double>{1.5, 1});
  r.add_period({}, 0.25);
  CHECK(r.now == std::vector<double>{1.125, 0.75});
  CHECK(r.leader() == ChannelId(0));
}

TEST_CASE("griffin: the class of a page") {
  // Idle below 0.5; dedicated from twice the second's rate on.
  CHECK(class_of({0, 0}, {0.25, 0.24}, 0) == GriffinClass::kOutOfInterest);
  CHECK(class_of({0, 0}, {0.25, 0.25}, 0) == GriffinClass::kShared);
  CHECK(class_of({8, 0}, {4, 0}, 0, false) == GriffinClass::kStreaming);
  CHECK(class_of({0, 0, 0}, {1, 4, 2}, 0) == GriffinClass::kDedicated);
  CHECK(class_of({0, 0, 0}, {1, 4, 2.5}, 0) == GriffinClass::kShared);
  CHECK(class_of({4, 0}, {3, 3.5}, 0) == GriffinClass::kOwnerShifting);
  CHECK(class_of({3, 0}, {3, 3.5}, 0) == GriffinClass::kShared);
  CHECK(class_of({4, 4}, {3, 3.5}, 0) == GriffinClass::kShared);
  CHECK(class_of({4, 0}, {3, 3}, 0) == GriffinClass::kShared);  // the home still leads
}

TEST_CASE("griffin: a page nobody used at home moves from its second touch on") {
  Course course("griffin", half());
  CHECK(course.interval(0, {0, 0, 1}) == -1);
  CHECK(course.count("delayed_touches") == 1);
  // Touches add up over periods. Rates: 0.25 and 0.5.
  CHECK(course.interval(0, {0, 1, 0}) == 1);
  CHECK(course.count("delayed_touches") == 1);
}

TEST_CASE("griffin: a page of its home follows its use, and a shared one stays") {
  Course course("griffin", half());
  CHECK(course.interval(0, {8, 0}) == -1);  // rates 4, 0: dedicated
  CHECK(course.interval(0, {8, 6}) == -1);  // 6, 3: dedicated
  CHECK(course.interval(0, {2, 8}) == 1);   // 4, 5.5: shifting
  CHECK(course.interval(1, {8, 8}) == -1);  // 6, 6.75: shared
  CHECK(course.interval(1, {8, 6}) == 0);   // 7, 6.375: shifting back
  CHECK(course.count("class_dedicated") == 2);
  CHECK(course.count("class_owner_shifting") == 2);
  CHECK(course.count("class_shared") == 1);
}

TEST_CASE("griffin: a page that is no longer used streams, then loses interest and its counts") {
  Course course("griffin", half());
  CHECK(course.interval(0, {4, 0}) == -1);  // 2
  course.interval(0, {});                   // 1
  course.interval(0, {});                   // 0.5
  CHECK(course.count("class_streaming") == 2);
  CHECK(course.count("class_out_of_interest") == 0);
  course.interval(0, {});  // 0.25: forgotten
  course.interval(0, {});
  CHECK(course.count("class_out_of_interest") == 1);
  // Counts begin anew: 0.5, no trace of the 0.125.
  CHECK(course.interval(0, {0, 1}) == 1);
  CHECK(course.count("class_dedicated") == 2);
}

}  // namespace tessera::page_migration_test
