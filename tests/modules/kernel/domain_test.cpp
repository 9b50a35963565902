// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/domain.h"

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"
#include "tests/support/scripted_initiator.h"

namespace tessera::domain_test {

using tessera::test::ns;

namespace {

struct Entry : sc_core::sc_module {
  Entry(const char* name, std::vector<std::string>& log)
      : sc_module(sc_core::sc_module_name(name)), log_(log) {
    wake.bind<&Entry::work>(*this);
  }
  void work() {
    log_.push_back(std::string(name()) + "@" + std::to_string(now() / ns(1)));
    if (on_wake) on_wake();
  }
  ProcessTimer wake;
  std::function<void()> on_wake;
  std::vector<std::string>& log_;
};

struct Two {
  Domain first{"first"};
  Domain second{"second"};
  std::vector<std::string> log;
  std::vector<std::unique_ptr<Entry>> entries;
  Entry& make(Domain& domain, const char* name) {
    const Domain::Construction in(domain);
    return *entries.emplace_back(std::make_unique<Entry>(name, log));
  }
};

using Log = std::vector<std::string>;

void run_to(Tick t) { sc_core::sc_start(to_sc_time(t - now())); }

}  // namespace

TEST_CASE("at one instant, domains run one after the other") {
  Two d;
  Entry& a = d.make(d.first, "a");
  Entry& b = d.make(d.second, "b");
  Entry& c = d.make(d.first, "c");
  for (Entry* e : {&c, &b, &a}) e->wake.at(ns(10));
  b.wake.at(ns(5));
  run_to(ns(11));
  CHECK(d.log == Log{"b@5", "a@10", "c@10"});
}

TEST_CASE("on demand, domains and their processes run in the opposite order") {
  Two d;
  Entry& a = d.make(d.first, "a");
  Entry& b = d.make(d.second, "b");
  Entry& c = d.make(d.first, "c");
  DomainRunner::instance().run_in_reverse(true);
  for (Entry* e : {&a, &b, &c}) e->wake.at(ns(10));
  run_to(ns(11));
  DomainRunner::instance().run_in_reverse(false);
  CHECK(d.log == Log{"b@10", "c@10", "a@10"});
}

TEST_CASE("a process schedules one of another domain for the present and for later") {
  Two d;
  Entry& a = d.make(d.first, "a");
  Entry& b = d.make(d.second, "b");
  b.on_wake = [&] {
    if (now() > ns(10)) return;
    a.wake.at(ns(10));
    a.on_wake = [&] { b.wake.at(ns(12)); };
  };
  b.wake.at(ns(10));
  run_to(ns(20));
  CHECK(d.log == Log{"b@10", "a@10", "b@12"});
}

TEST_CASE("a process cancels one of another domain at the present instant") {
  Two d;
  Entry& a = d.make(d.first, "a");
  Entry& b = d.make(d.second, "b");
  a.on_wake = [&] { b.wake.cancel(); };
  a.wake.at(ns(10));
  b.wake.at(ns(10));
  run_to(ns(20));
  CHECK(d.log == Log{"a@10"});
  b.wake.at(ns(30));
  run_to(ns(40));
  CHECK(d.log == Log{"a@10", "b@30"});
}

TEST_CASE("the time of a domain that is gone leaves the schedule of the one left as it is") {
  std::vector<std::string> log;
  Domain stays("stays");
  auto goes = std::make_unique<Domain>("goes");
  const auto make = [&log](Domain& domain, const char* name) {
    const Domain::Construction in(domain);
    return std::make_unique<Entry>(name, log);
  };
  const auto left = make(stays, "left");
  auto gone = make(*goes, "gone");
  gone->wake.at(ns(10));
  left->wake.at(ns(20));
  gone.reset();
  goes.reset();
  run_to(ns(15));
  CHECK(log.empty());
  left->wake.at(ns(17));
  run_to(ns(30));
  CHECK(log == Log{"left@17"});
}

TEST_CASE("construction scopes nest, and without one blocks join the default domain") {
  Domain outer("outer");
  Domain inner("inner");
  Domain& by_default = Domain::under_construction();
  {
    const Domain::Construction in_outer(outer);
    CHECK(&Domain::under_construction() == &outer);
    {
      const Domain::Construction in_inner(inner);
      CHECK(&Domain::under_construction() == &inner);
    }
    CHECK(&Domain::under_construction() == &outer);
  }
  CHECK(&Domain::under_construction() == &by_default);
}

TEST_CASE("clocks of two domains agree, wherever their domains are") {
  Two d;
  const auto clock = [](Domain& domain, std::uint64_t hertz) {
    const Domain::Construction in(domain);
    return ClockDomain(hertz);
  };
  const ClockDomain first = clock(d.first, 1'400'000'000);
  const ClockDomain second = clock(d.second, 1'400'000'000);
  CHECK_THROWS_AS(clock(d.first, 0), std::invalid_argument);
  // Only the first domain's clocks move.
  Entry& a = d.make(d.first, "a");
  Tick edge = 0;
  a.on_wake = [&] {
    for (Tick t = now(); t < now() + ns(4); t += 100'000) {
      REQUIRE(first.cycle_at(t) == second.cycle_at(t));
      REQUIRE(first.after(t, 3) == second.after(t, 3));
    }
    edge = first.after(now(), 7);
    if (now() < ns(1000)) a.wake.at(edge);
  };
  a.wake.at(ns(1));
  run_to(ns(2000));
  CHECK(edge > ns(1000));
}

}  // namespace tessera::domain_test
