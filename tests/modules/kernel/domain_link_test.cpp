// SPDX-License-Identifier: Apache-2.0
// Messages between domains, and domains that run ahead of SystemC's time.
#include "modules/kernel/domain_link.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "common/error.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/timed_queue.h"
#include "tests/support/scripted_initiator.h"

namespace tessera::domain_link_test {

using tessera::test::ns;

namespace {

constexpr unsigned kNodes = 5;

/// (time, sender, value)
using Event = std::tuple<Tick, unsigned, std::uint64_t>;

/// Sends each value that it gets on, to a node and after a time that the value decides.
class Node {
 public:
  explicit Node(unsigned self) : self_(self) { wake_.bind<&Node::process>(*this); }
  void enqueue(Tick at, unsigned from, std::uint64_t value) {
    inbox_.push(at, from, value);
    wake_.at(at);
  }

  std::vector<std::unique_ptr<DomainLink<std::uint64_t>>> to;  ///< null: itself
  std::vector<Event> events;

 private:
  void process() {
    while (inbox_.due(now())) {
      const unsigned from = inbox_.front_port();
      const std::uint64_t value = inbox_.pop();
      events.emplace_back(now(), from, value);
      if (events.size() > 400) continue;
      std::mt19937_64 random(value);
      const std::uint64_t next = random();
      const unsigned where = random() % kNodes;
      const Tick wait = ns(1) * (random() % 40) + random() % 3;
      if (to[where]) {
        to[where]->send(now() + to[where]->latency() + wait, next);
      } else {
        enqueue(now() + 1 + wait, self_, next);
      }
    }
    wake_.at(inbox_.next_due());
  }

  const unsigned self_;
  TimedQueue<std::uint64_t> inbox_;
  ProcessTimer wake_;
};

/// Nodes of a domain each, except that the last one follows SystemC's time.
struct Net {
  static constexpr Tick kLatency = 30'000'000;  // 30 ns
  std::vector<std::unique_ptr<Domain>> domains;
  std::vector<std::unique_ptr<Node>> nodes;

  Net() {
    for (unsigned i = 0; i < kNodes; ++i) {
      domains.push_back(std::make_unique<Domain>("d" + std::to_string(i)));
      const Domain::Construction in(*domains.back());
      nodes.push_back(std::make_unique<Node>(i));
    }
    for (unsigned i = 0; i < kNodes; ++i) {
      for (unsigned k = 0; k < kNodes; ++k) {
        nodes[i]->to.push_back(i == k ? nullptr : link(i, k));
      }
    }
  }
  std::unique_ptr<DomainLink<std::uint64_t>> link(unsigned i, unsigned k) {
    return std::make_unique<DomainLink<std::uint64_t>>(
        "node" + std::to_string(i), *domains[i], "node" + std::to_string(k), *domains[k],
        kLatency + ns(1) * k, [node = nodes[k].get(), i](Tick at, std::uint64_t&& value) {
          node->enqueue(at, i, value);
        });
  }
  std::vector<Domain*> ahead() {
    std::vector<Domain*> all;
    for (unsigned i = 0; i + 1 < kNodes; ++i) all.push_back(domains[i].get());
    return all;
  }
  /// Events with times from the start on.
  std::vector<std::vector<Event>> run() {
    const Tick begun = now();
    for (unsigned i = 0; i < kNodes; ++i) {
      for (unsigned m = 0; m < 8; ++m) nodes[i]->enqueue(begun + ns(1 + m % 3), i, 100 * i + m);
    }
    sc_core::sc_start(to_sc_time(ns(1'000'000)));
    std::vector<std::vector<Event>> all;
    for (auto& node : nodes) {
      for (auto& [at, from, value] : node->events) at -= begun;
      all.push_back(node->events);
    }
    return all;
  }
};

void run_ahead(Net& net, Tick window, unsigned threads) {
  DomainWindows windows;
  windows.window = window;
  windows.threads = threads;
  DomainRunner::instance().run_ahead(net.ahead(), windows);
}

struct Two {
  Domain first{"first"};
  Domain second{"second"};
  DomainLink<int> link{"a.out", first, "b.in", second, ns(10), [](Tick, int&&) {}};
};

struct Sender {
  explicit Sender(DomainLink<int>& to, Tick after) : to_(to), after_(after) {
    wake.bind<&Sender::work>(*this);
    wake.at(ns(5));
  }
  void work() { to_.send(now() + after_, 1); }
  ProcessTimer wake;
  DomainLink<int>& to_;
  Tick after_;
};

}  // namespace

TEST_CASE("a message that arrives before its link's latency is refused with both ends") {
  Two d;
  const Domain::Construction in(d.first);
  Sender sender(d.link, ns(10) - 1);
  CHECK_THROWS_WITH(sc_core::sc_start(to_sc_time(ns(6))),
                    Catch::Contains("a message from a.out to b.in at 5000 ps arrives after 9999 "
                                    "ps, earlier than the latency of their link, 10000 ps"));
}

TEST_CASE("a message that arrives with its link's latency is delivered") {
  Domain first("first");
  Domain second("second");
  std::vector<Tick> arrived;
  DomainLink<int> link("a", first, "b", second, ns(10),
                       [&arrived](Tick at, int&&) { arrived.push_back(at); });
  const Domain::Construction in(first);
  Sender sender(link, ns(10));
  sc_core::sc_start(to_sc_time(ns(6)));
  CHECK(arrived == std::vector<Tick>{ns(15)});
}

TEST_CASE("a window that is longer than a link's latency is refused with the link") {
  Two d;
  DomainLink<int> at_once("c", d.second, "d", d.first, 0, [](Tick, int&&) {});
  DomainRunner& runner = DomainRunner::instance();
  CHECK(runner.lookahead() == 0);
  CHECK_THROWS_WITH(runner.run_ahead({&d.first}, {}), Catch::Contains("c to d take 0 ps only"));
  CHECK_THROWS_AS(runner.run_ahead({&d.first}, {ns(10) + 1, 1}), InputError);
}

TEST_CASE("links within a domain count for no window") {
  Domain one("one");
  DomainLink<int> link("a", one, "b", one, 0, [](Tick, int&&) {});
  CHECK(DomainRunner::instance().lookahead() == kNever);
}

TEST_CASE("a domain that runs ahead runs alone until its window's end") {
  struct Logs {
    Logs(const char* n, std::vector<std::string>& l) : name(n), log(l) {
      wake.bind<&Logs::work>(*this);
      wake.at(ns(10));
    }
    void work() {
      log.push_back(name + "@" + std::to_string(now() / ns(1)));
      if (now() < ns(16)) wake.at(now() + ns(2));
    }
    std::string name;
    std::vector<std::string>& log;
    ProcessTimer wake;
  };
  Two d;
  std::vector<std::string> log;
  const auto make = [&log](Domain& domain, const char* name) {
    const Domain::Construction in(domain);
    return std::make_unique<Logs>(name, log);
  };
  const auto a = make(d.first, "a");
  const auto b = make(d.second, "b");
  DomainRunner::instance().run_ahead({&d.first, &d.second}, {ns(5), 1});
  sc_core::sc_start(to_sc_time(ns(40)));
  CHECK(log ==
        std::vector<std::string>{"a@10", "a@12", "a@14", "b@10", "b@12", "b@14", "a@16", "b@16"});
  CHECK(DomainRunner::instance().windows() == 2);
}

TEST_CASE("results depend on no window, order or number of threads") {
  std::vector<std::vector<Event>> expected;
  {
    Net net;
    CHECK(DomainRunner::instance().lookahead() == Net::kLatency);
    expected = net.run();
  }
  std::size_t events = 0;
  for (const auto& node : expected) events += node.size();
  CHECK(events > 1500);
  for (const bool reverse : {false, true}) {
    for (const Tick window : {Tick{0}, Net::kLatency / 3, ns(1), Tick{1}}) {
      for (const unsigned threads : {1U, 2U, 3U}) {
        DomainRunner::instance().run_in_reverse(reverse);
        Net net;
        run_ahead(net, window, threads);
        CAPTURE(reverse, window, threads);
        CHECK(net.run() == expected);
      }
    }
  }
  DomainRunner::instance().run_in_reverse(false);
}

TEST_CASE("what a process throws on another thread ends the run, the first domain's first") {
  struct Throws {
    explicit Throws(const char* w) : what(w) {
      wake.bind<&Throws::work>(*this);
      wake.at(ns(10));
    }
    void work() { throw RunError(what); }
    const char* what;
    ProcessTimer wake;
  };
  Two d;
  const auto make = [](Domain& domain, const char* what) {
    const Domain::Construction in(domain);
    return std::make_unique<Throws>(what);
  };
  const auto a = make(d.first, "of the first");
  const auto b = make(d.second, "of the second");
  DomainRunner::instance().run_ahead({&d.first, &d.second}, {ns(5), 2});
  CHECK_THROWS_WITH(sc_core::sc_start(to_sc_time(ns(20))), Catch::Contains("of the first"));
}

}  // namespace tessera::domain_link_test
