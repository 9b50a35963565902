// SPDX-License-Identifier: Apache-2.0
// A session on a board whose cores only count instructions.
#include "platforms/vp_session.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/json.h"
#include "modules/kernel/sc_time.h"

namespace tessera::vp_session_test {

namespace {

using nlohmann::ordered_json;

/// Executes instructions of 4 bytes in a row; or waits for an interrupt for ever.
class CountingIss final : public Iss {
 public:
  void map_memory(std::uint64_t, std::uint64_t, unsigned char*, bool) override {}
  void map_device(std::uint64_t, std::uint64_t) override {}
  void unmap(std::uint64_t, std::uint64_t) override {}
  void reset(std::uint64_t pc, std::uint64_t) override { first_ = pc; }
  IssStop run(std::uint64_t quantum) override {
    if (waits) return IssStop::kWaits;
    executed_ += quantum;
    return IssStop::kQuantum;
  }
  void stop() override {}
  void set_pending(std::uint64_t) override {}
  std::uint64_t instructions() const override { return executed_; }
  std::uint64_t fences() const override { return 0; }
  void set_on_fault(std::function<void(const IssFault&)>) override {}
  std::uint64_t pc() const override { return first_ + 4 * executed_; }

  bool waits = false;

 private:
  std::uint64_t first_ = 0;
  std::uint64_t executed_ = 0;
};

struct Rig {
  explicit Rig(bool paused = true) {
    set_time_resolution();
    BoardPlan plan;
    plan.ram_bytes = 1 << 20;
    RiscvCoreConfig core;
    core.quantum = 100;
    board = std::make_unique<Board>("board", plan, core, [this](std::uint32_t, IssBus&) {
      auto made = std::make_unique<CountingIss>();
      iss = made.get();
      return made;
    });
    options.session_paused = paused;
    // serve() returns when all requests that wait are answered.
    options.interrupted = [] { return true; };
    session = std::make_unique<VpSession>(
        channel, VpSessionSite{*board, programs, options, result, nullptr, [] { return false; },
                               [this] { return script; }, [this] { script = false; }});
  }

  /// The answer to a request, between SystemC's steps.
  SessionAnswer ask(bool post, const std::string& path, ordered_json body = nullptr,
                    std::map<std::string, std::string> query = {}) {
    SessionAnswer answer;
    answer.status = 0;
    channel.submit(request(post, path, std::move(body), std::move(query)),
                   [&answer](SessionAnswer a) { answer = std::move(a); });
    session->serve();
    return answer;
  }
  ordered_json get(const std::string& path, std::map<std::string, std::string> query = {}) {
    const SessionAnswer answer = ask(false, path, nullptr, std::move(query));
    REQUIRE(answer.status == 200);
    return *answer.body;
  }
  SessionRequest request(bool post, const std::string& path, ordered_json body,
                         std::map<std::string, std::string> query) {
    SessionRequest r;
    r.post = post;
    r.path = path;
    r.query = std::move(query);
    r.body = std::move(body);
    return r;
  }
  /// A step's answer, after the simulated time that it needs.
  ordered_json step(std::uint64_t ns) {
    ordered_json answered;
    channel.submit(request(true, "/step", {{"ns", ns}}, {}),
                   [&answered](const SessionAnswer& a) { answered = *a.body; });
    session->serve();
    CHECK(answered.is_null());
    for (int runs = 0; runs < 5 && answered.is_null(); ++runs) {
      run();  // a request pauses it, too
      session->serve();
    }
    return answered;
  }
  /// Until the session pauses it, or 1 s.
  void run() { sc_core::sc_start(to_sc_time(kTicksPerSecond)); }

  bool script = true;
  CountingIss* iss = nullptr;
  std::vector<Program> programs;
  VirtualPlatformOptions options;
  VirtualPlatformResult result;
  SessionChannel channel;
  std::unique_ptr<Board> board;
  std::unique_ptr<VpSession> session;
};

}  // namespace

TEST_CASE("a step ends exactly at its time") {
  Rig rig;
  std::uint64_t time = 0;
  for (const std::uint64_t ns : {1, 99, 100, 12345}) {
    time += ns;
    const ordered_json s = rig.step(ns);
    CHECK(now() == time * kTicksPerNs);
    CHECK(s["time_ns"] == time);
    CHECK(s["state"] == "paused");
    // Quanta of 100 instructions of 1 ns that have begun are executed.
    CHECK(s["instructions"] == (time / 100 + 1) * 100);
  }
}

TEST_CASE("a step of cores that wait ends exactly at its time") {
  Rig rig;
  rig.iss->waits = true;
  CHECK(rig.step(777)["time_ns"] == 777);
  CHECK(rig.get("/state")["cores"][0]["idle"] == true);
}

TEST_CASE("before simulated time begins, a core is at its reset vector") {
  Rig rig;
  const ordered_json s = rig.get("/state");
  CHECK(s["why"] == "the run begins");
  CHECK(s["cores"][0]["pc"] == "0x1000");
  CHECK(s["instructions"] == 0);
}

TEST_CASE("a request of another thread pauses SystemC") {
  Rig rig(false);
  rig.session->serve();
  SessionAnswer answer;
  bool answered = false;
  std::thread client([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    rig.channel.submit(rig.request(false, "/state", nullptr, {}), [&](SessionAnswer a) {
      answer = std::move(a);
      answered = true;
    });
  });
  const Tick end = 60 * kTicksPerSecond;  // minutes of host time
  sc_core::sc_start(to_sc_time(end));
  CHECK(now() < end);
  rig.session->serve();
  client.join();
  CHECK(answered);
  CHECK((*answer.body)["state"] == "running");
  // SystemC has paused after a quantum of the core, and the core goes on at its next one.
  CHECK(now() % (100 * kTicksPerNs) == 0);
  const Tick paused = now();
  sc_core::sc_start(to_sc_time(1000 * kTicksPerNs));
  CHECK(now() == paused + 1000 * kTicksPerNs);
  CHECK(rig.iss->instructions() == now() / kTicksPerNs);
}

TEST_CASE("a request before simulated time is answered at its begin") {
  Rig rig(false);
  rig.session->serve();
  bool answered = false;
  // SystemC has not begun: it would forget the pause.
  rig.channel.submit(rig.request(false, "/state", nullptr, {}),
                     [&](const SessionAnswer&) { answered = true; });
  rig.run();
  CHECK(now() == 0);
  rig.session->serve();
  CHECK(answered);
}

TEST_CASE("the run pauses when software has sent a text") {
  Rig rig;
  const auto send = [&](const std::string& text) {
    for (const char c : text) rig.board->uart.on_output(c);
  };
  send("abc");
  // What has been sent before does not count.
  const SessionAnswer set = rig.ask(true, "/breakpoint", {{"uart", "cd"}});
  REQUIRE(set.status == 200);
  CHECK((*set.body)["id"] == 1);
  send("d-cc");
  CHECK(rig.get("/state")["breakpoints"].size() == 1);
  send("d!");
  rig.session->serve();
  const ordered_json s = rig.get("/state");
  CHECK(s["why"] == "breakpoint 1: software has sent \"cd\"");
  CHECK(s["breakpoints"].empty());
  CHECK(rig.get("/uart")["text"] == "abcd-ccd!");
}

TEST_CASE("the UART's output has offsets, and keeps characters whole") {
  Rig rig;
  const std::string euro = "\xe2\x82\xac";
  const auto send = [&](const std::string& text) {
    for (const char c : text) rig.board->uart.on_output(c);
  };
  send("a" + euro.substr(0, 2));
  CHECK(rig.get("/uart") == ordered_json{{"from", 0}, {"next", 1}, {"text", "a"}});
  send(euro.substr(2) + "b");
  CHECK(rig.get("/uart", {{"from", "1"}}) ==
        ordered_json{{"from", 1}, {"next", 5}, {"text", euro + "b"}});
  // Of a long output the last part is kept.
  const std::string line(1 << 16, 'x');
  for (unsigned i = 0; i < 40; ++i) send(line);
  const ordered_json last = rig.get("/uart");
  CHECK(last["next"] == 5 + 40 * line.size());
  CHECK(last["text"].get<std::string>().size() ==
        last["next"].get<std::size_t>() - last["from"].get<std::size_t>());
  CHECK(last["text"].get<std::string>().size() >= std::size_t{1} << 20);
}

TEST_CASE("a core's clock and cycles change with its next quantum") {
  Rig rig;
  CHECK(rig.step(1000)["instructions"] == 1100);
  const SessionAnswer set =
      rig.ask(true, "/parameters",
              {{"board.core0.clock_hz", "500MHz"}, {"board.core0.cycles_per_instruction", 2}});
  INFO(set.body->dump());
  REQUIRE(set.status == 200);
  CHECK((*set.body)["board.core0.clock_hz"] == 500'000'000);
  // The quantum that has begun ends at 1100 ns. The later ones take 400 ns.
  CHECK(rig.step(4000)["instructions"] == 1100 + 10 * 100);
  REQUIRE(rig.ask(true, "/parameters", {{"board.core0.quantum", 7}}).status == 200);
  CHECK(rig.step(99)["instructions"] == 2100);
  CHECK(rig.step(1)["instructions"] == 2107);
  CHECK(rig.board->cores[0]->config().quantum == 100);
}

TEST_CASE("of several settings either all take effect or none") {
  Rig rig;
  const RiscvCoreConfig before = rig.board->cores[0]->timing();
  const SessionAnswer refused =
      rig.ask(true, "/parameters", {{"board.core0.quantum", 7}, {"board.ram_bytes", 7}});
  CHECK(refused.status == 409);
  CHECK(rig.board->cores[0]->timing().quantum == before.quantum);
  const SessionAnswer bad =
      rig.ask(true, "/parameters", {{"board.uart.script", false}, {"board.core0.quantum", 0}});
  CHECK(bad.status == 400);
  CHECK(rig.script);
  CHECK(rig.ask(true, "/parameters", {{"board.uart.script", false}}).status == 200);
  CHECK_FALSE(rig.script);
}

TEST_CASE("patterns of paths") {
  const auto matches = [](const char* pattern, const char* path) {
    return VpSessionViews::matches(pattern, path);
  };
  CHECK(matches("", "a.b"));
  CHECK(matches("a", "a.b"));
  CHECK(matches("a.b", "a.b"));
  CHECK_FALSE(matches("a", "ab.c"));
  CHECK_FALSE(matches("a.b.c", "a.b"));
  CHECK(matches("*", "a.b"));
  CHECK(matches("*.b", "a.b"));
  CHECK(matches("a*c*e", "abcde"));
  CHECK(matches("a*bc", "abbbc"));
  CHECK_FALSE(matches("a*bc", "abcb"));
  CHECK_FALSE(matches("*a", "ab"));
}

TEST_CASE("a session that ends answers a step that has not ended") {
  Rig rig;
  unsigned status = 0;
  rig.channel.submit(rig.request(true, "/step", {{"ns", 1000}}, {}),
                     [&](const SessionAnswer& a) { status = a.status; });
  rig.session->serve();
  CHECK(status == 0);
  rig.session.reset();
  CHECK(status == 503);
}

}  // namespace tessera::vp_session_test
