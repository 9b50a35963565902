// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"
#include "tests/support/expect_report.h"
#include "tests/support/scripted_initiator.h"

namespace tessera::process_scheduler_test {

using tessera::test::check_asserts;
using tessera::test::ns;

namespace {

struct Entry : sc_core::sc_module {
  explicit Entry(sc_core::sc_module_name name) : sc_module(name) { wake.bind<&Entry::work>(*this); }
  void work() {
    woken.push_back(now());
    if (on_wake) on_wake();
  }
  ProcessTimer wake;
  std::vector<Tick> woken;
  std::function<void()> on_wake;
};

void run_to(Tick t) { sc_core::sc_start(to_sc_time(t - now())); }

}  // namespace

TEST_CASE("of several wishes the earliest wakes the process, once") {
  Entry s("s");
  s.wake.at(ns(30));
  s.wake.at(ns(10));
  s.wake.at(ns(20));
  s.wake.at(kNever);
  CHECK(s.wake.scheduled_at() == ns(10));
  run_to(ns(100));
  CHECK(s.woken == std::vector<Tick>{ns(10)});
  CHECK(s.wake.scheduled_at() == kNever);
}

TEST_CASE("a woken process arms itself again") {
  Entry s("s");
  s.on_wake = [&] {
    if (now() < ns(40)) s.wake.at(now() + ns(10));
  };
  s.wake.at(ns(10));
  run_to(ns(100));
  CHECK(s.woken == std::vector<Tick>{ns(10), ns(20), ns(30), ns(40)});
}

TEST_CASE("a wish for now wakes in the same instant") {
  Entry s("s");
  run_to(ns(5));
  s.wake.at(ns(5));
  run_to(ns(6));
  CHECK(s.woken == std::vector<Tick>{ns(5)});
}

TEST_CASE("a cancelled wish does not wake, and the next one does") {
  Entry s("s");
  s.wake.at(ns(10));
  s.wake.cancel();
  CHECK(s.wake.scheduled_at() == kNever);
  run_to(ns(20));
  CHECK(s.woken.empty());
  s.wake.at(ns(30));
  run_to(ns(40));
  CHECK(s.woken == std::vector<Tick>{ns(30)});
}

TEST_CASE("a wish for the past is a bug of the caller") {
  Entry s("s");
  run_to(ns(10));
  check_asserts([&] { s.wake.at(ns(9)); });
}

TEST_CASE("at one instant, processes run in the order in which they were built") {
  Entry first("first");
  Entry second("second");
  Entry third("third");
  std::vector<const Entry*> order;
  for (Entry* s : {&first, &second, &third}) {
    s->on_wake = [&order, s] { order.push_back(s); };
  }
  third.wake.at(ns(10));
  first.wake.at(ns(10));
  second.wake.at(ns(20));  // the earlier wish counts
  second.wake.at(ns(10));
  run_to(ns(11));
  CHECK(order == std::vector<const Entry*>{&first, &second, &third});
}

TEST_CASE("on demand, processes of an instant run in the opposite order") {
  // More than one word of the calendar's bits.
  std::vector<std::unique_ptr<Entry>> sleepers;
  std::vector<int> order;
  for (int i = 0; i < 70; ++i) {
    sleepers.push_back(std::make_unique<Entry>(sc_core::sc_gen_unique_name("sleeper")));
    sleepers.back()->on_wake = [&order, i] { order.push_back(i); };
  }
  DomainRunner::instance().run_in_reverse(true);
  for (const int i : {0, 69, 5, 63, 64}) sleepers[i]->wake.at(ns(10));
  // Its turn is still to come; that of the last is over.
  sleepers[63]->on_wake = [&] {
    order.push_back(63);
    if (order.size() > 3) return;
    sleepers[2]->wake.at(now());
    sleepers[63]->wake.at(now());
    sleepers[69]->wake.at(now());
  };
  run_to(ns(11));
  CHECK(order == std::vector<int>{69, 64, 63, 5, 2, 0, 69, 63});
  DomainRunner::instance().run_in_reverse(false);
  order.clear();
  for (const int i : {64, 0, 69}) sleepers[i]->wake.at(ns(20));
  run_to(ns(21));
  CHECK(order == std::vector<int>{0, 64, 69});
}

TEST_CASE("a process wakes later ones in the same pass, earlier ones and itself in another") {
  Entry first("first");
  Entry second("second");
  Entry third("third");
  std::vector<const Entry*> order;
  for (Entry* s : {&first, &third}) {
    s->on_wake = [&order, s] { order.push_back(s); };
  }
  second.on_wake = [&] {
    order.push_back(&second);
    if (order.size() > 1) return;
    for (Entry* s : {&third, &second, &first}) s->wake.at(now());
  };
  second.wake.at(ns(10));
  run_to(ns(11));
  CHECK(order == std::vector<const Entry*>{&second, &third, &first, &second});
  CHECK(second.woken == std::vector<Tick>{ns(10), ns(10)});
}

TEST_CASE(
    "instants of one slot of the calendar, and a round of the ring apart, are distinguished") {
  constexpr Tick kSlot = Tick{1} << 19;
  std::vector<std::unique_ptr<Entry>> sleepers;
  // More than a word of sleepers.
  for (unsigned i = 0; i < 70; ++i) {
    sleepers.push_back(std::make_unique<Entry>(("s" + std::to_string(i)).c_str()));
  }
  const std::vector<Tick> times = {5 * kSlot + 3, 5 * kSlot + 1, 5 * kSlot + 2, 517 * kSlot + 1,
                                   1029 * kSlot + 1};
  for (std::size_t i = 0; i < sleepers.size(); ++i) sleepers[i]->wake.at(times[i % times.size()]);
  // A wish is taken back, and another made earlier, on either side of the ring's reach.
  sleepers[0]->wake.cancel();
  sleepers[3]->wake.at(7 * kSlot);
  sleepers[4]->wake.at(517 * kSlot + 1);
  sleepers[65]->wake.cancel();
  sleepers[65]->wake.at(2000 * kSlot);
  run_to(3000 * kSlot);
  for (std::size_t i = 0; i < sleepers.size(); ++i) {
    std::vector<Tick> expected = {times[i % times.size()]};
    if (i == 0) expected.clear();
    if (i == 3) expected = {7 * kSlot};
    if (i == 4) expected = {517 * kSlot + 1};
    if (i == 65) expected = {2000 * kSlot};
    CHECK(sleepers[i]->woken == expected);
  }
}

TEST_CASE("what a block that is gone wished for wakes nobody") {
  auto gone = std::make_unique<Entry>("gone");
  gone->wake.at(ns(10));
  gone = std::make_unique<Entry>("next");
  Entry far("far");
  far.wake.at(ns(100'000));
  run_to(ns(20));
  CHECK(gone->woken.empty());
  gone->wake.at(ns(30));
  run_to(ns(200'000));
  CHECK(gone->woken == std::vector<Tick>{ns(30)});
  CHECK(far.woken == std::vector<Tick>{ns(100'000)});
}

}  // namespace tessera::process_scheduler_test
