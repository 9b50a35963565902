// SPDX-License-Identifier: Apache-2.0
#include "modules/core/wake_event.h"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "tests/support/expect_report.h"
#include "tests/support/scripted_initiator.h"

using namespace tessera;
using tessera::test::check_asserts;
using tessera::test::ns;

namespace {

struct Sleeper : sc_core::sc_module {
  explicit Sleeper(sc_core::sc_module_name name) : sc_module(name) {
    wake.drives([this] { work(); });
  }
  void work() {
    wake.fired();
    woken.push_back(now());
    if (on_wake) on_wake();
  }
  WakeEvent wake;
  std::vector<Tick> woken;
  std::function<void()> on_wake;
};

void run_to(Tick t) { sc_core::sc_start(to_sc_time(t - now())); }

}  // namespace

TEST_CASE("of several wishes the earliest wakes the process, once") {
  Sleeper s("s");
  s.wake.at(ns(30));
  s.wake.at(ns(10));
  s.wake.at(ns(20));
  s.wake.at(kNever);
  CHECK(s.wake.armed() == ns(10));
  run_to(ns(100));
  CHECK(s.woken == std::vector<Tick>{ns(10)});
  CHECK(s.wake.armed() == kNever);
}

TEST_CASE("a woken process arms itself again") {
  Sleeper s("s");
  s.on_wake = [&] {
    if (now() < ns(40)) s.wake.at(now() + ns(10));
  };
  s.wake.at(ns(10));
  run_to(ns(100));
  CHECK(s.woken == std::vector<Tick>{ns(10), ns(20), ns(30), ns(40)});
}

TEST_CASE("a wish for now wakes in the same instant") {
  Sleeper s("s");
  run_to(ns(5));
  s.wake.at(ns(5));
  run_to(ns(6));
  CHECK(s.woken == std::vector<Tick>{ns(5)});
}

TEST_CASE("a cancelled wish does not wake, and the next one does") {
  Sleeper s("s");
  s.wake.at(ns(10));
  s.wake.cancel();
  CHECK(s.wake.armed() == kNever);
  run_to(ns(20));
  CHECK(s.woken.empty());
  s.wake.at(ns(30));
  run_to(ns(40));
  CHECK(s.woken == std::vector<Tick>{ns(30)});
}

TEST_CASE("a wish for the past is a bug of the caller") {
  Sleeper s("s");
  run_to(ns(10));
  check_asserts([&] { s.wake.at(ns(9)); });
}
