// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_checker.h"

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/expect_report.h"

namespace tessera::axi4_checker_test {

namespace {

using namespace tessera::test;  // NOLINT

using Channel = Axi4Channel;
using Rule = Axi4Rule;

constexpr std::uint64_t kHertz = 1'000'000'000;

/// A checker at pins that a script drives: each transfer takes one edge.
struct Bench {
  explicit Bench(const Axi4CheckerConfig& config) : checker("axi", clock, pins, config) {
    checker.set_handler([this](const Axi4Violation& v) { found.push_back(v); });
  }
  void edge() { checker.sample(clock.time_of(cycle++)); }
  void edges(unsigned n) {
    for (unsigned i = 0; i < n; ++i) edge();
  }
  template <class Pins>
  void transfer(Pins& p) {
    p.valid = p.ready = true;
    edge();
    p.valid = p.ready = false;
  }
  void aw(const Axi4Address& a) {
    static_cast<Axi4Address&>(pins.aw) = a;
    transfer(pins.aw);
  }
  void ar(const Axi4Address& a) {
    static_cast<Axi4Address&>(pins.ar) = a;
    transfer(pins.ar);
  }
  void w(bool last, ByteMask strobe = ByteMask::first(8)) {
    pins.w.last = last;
    pins.w.strobe = strobe;
    transfer(pins.w);
  }
  void b(std::uint32_t id, Axi4Response resp = Axi4Response::kOkay) {
    pins.b.id = id;
    pins.b.resp = resp;
    transfer(pins.b);
  }
  void r(std::uint32_t id, bool last, Axi4Response resp = Axi4Response::kOkay) {
    pins.r.id = id;
    pins.r.last = last;
    pins.r.resp = resp;
    transfer(pins.r);
  }
  /// A whole transaction.
  void write(const Axi4Address& a) {
    aw(a);
    for (unsigned i = 0; i < a.beats(); ++i) w(i == a.len, a.lanes(i, 8));
    b(a.id);
  }
  void read(const Axi4Address& a) {
    ar(a);
    for (unsigned i = 0; i < a.beats(); ++i) r(a.id, i == a.len);
  }

  Axi4Pins pins;
  ClockDomain clock{kHertz};
  Axi4Checker checker;
  std::vector<Axi4Violation> found;
  std::uint64_t cycle = 100;
};

Axi4CheckerConfig base_config() {
  Axi4CheckerConfig config;
  config.shape = {8, 4, 32};
  return config;
}

/// A burst of 8-byte beats.
Axi4Address burst(std::uint32_t id, std::uint8_t len, std::uint64_t addr = 0x1000,
                  Axi4BurstType type = Axi4BurstType::kIncr) {
  Axi4Address a;
  a.id = id;
  a.addr = addr;
  a.len = len;
  a.size = 3;
  a.burst = type;
  return a;
}

Axi4Address exclusive(std::uint32_t id, std::uint8_t len, std::uint64_t addr = 0x1000) {
  Axi4Address a = burst(id, len, addr);
  a.lock = true;
  return a;
}

/// A sequence that is legal, and breaks one rule if `broken`.
using Script = std::function<void(Bench&, bool broken)>;

struct Case {
  Rule rule;
  Channel channel;
  Script script;
  Axi4CheckerConfig config = base_config();
};

template <class Pins>
Script valid_held(Pins Axi4Pins::*channel, std::function<void(Bench&)> before,
                  std::function<void(Bench&)> after) {
  return [=](Bench& x, bool broken) {
    before(x);
    Pins& p = x.pins.*channel;
    p.valid = true;
    x.edge();
    p.valid = !broken;
    x.edge();
    p.valid = true;
    x.transfer(p);
    after(x);
  };
}

template <class Pins>
Script stable(Pins Axi4Pins::*channel, std::function<void(Bench&)> before,
              std::function<void(Bench&)> after) {
  return [=](Bench& x, bool broken) {
    before(x);
    Pins& p = x.pins.*channel;
    p.valid = true;
    x.edge();
    if (broken) ++p.user;
    x.edge();
    x.transfer(p);
    after(x);
  };
}

template <class Pins>
Script low_in_reset(Pins Axi4Pins::*channel) {
  return [=](Bench& x, bool broken) {
    x.checker.on_reset(true);
    x.edge();
    (x.pins.*channel).valid = broken;
    x.edge();
    (x.pins.*channel).valid = false;
    x.checker.on_reset(false);
    x.edges(2);
  };
}

template <class Pins>
Script waits(Pins Axi4Pins::*channel, std::function<void(Bench&)> before,
             std::function<void(Bench&)> after) {
  return [=](Bench& x, bool broken) {
    before(x);
    Pins& p = x.pins.*channel;
    p.valid = true;
    x.edges(broken ? 11 : 10);
    x.transfer(p);
    after(x);
  };
}

void set_aw(Bench& x) { static_cast<Axi4Address&>(x.pins.aw) = burst(1, 0); }
void set_ar(Bench& x) { static_cast<Axi4Address&>(x.pins.ar) = burst(1, 0); }
void set_w(Bench& x) {
  x.aw(burst(1, 0));
  x.pins.w.last = true;
  x.pins.w.strobe = ByteMask::first(8);
}
void set_b(Bench& x) {
  x.aw(burst(1, 0));
  x.w(true);
  x.pins.b.id = 1;
}
void set_r(Bench& x) {
  x.ar(burst(1, 0));
  x.pins.r.id = 1;
  x.pins.r.last = true;
}
void after_aw(Bench& x) {
  x.w(true);
  x.b(1);
}
void after_w(Bench& x) { x.b(1); }
void after_ar(Bench& x) { x.r(1, true); }
void nothing(Bench& /*x*/) {}

void add_handshakes(std::vector<Case>& all) {
  Axi4CheckerConfig limited = base_config();
  limited.handshake_limit.fill(10);
  const auto add = [&](Channel channel, auto pins, auto before, auto after) {
    all.push_back({Rule::kValidHeld, channel, valid_held(pins, before, after)});
    all.push_back({Rule::kPayloadStable, channel, stable(pins, before, after)});
    all.push_back({Rule::kValidInReset, channel, low_in_reset(pins)});
    all.push_back({Rule::kHandshakeLimit, channel, waits(pins, before, after), limited});
  };
  add(Channel::kAw, &Axi4Pins::aw, set_aw, after_aw);
  add(Channel::kW, &Axi4Pins::w, set_w, after_w);
  add(Channel::kB, &Axi4Pins::b, set_b, nothing);
  add(Channel::kAr, &Axi4Pins::ar, set_ar, after_ar);
  add(Channel::kR, &Axi4Pins::r, set_r, nothing);
}

/// An address rule, on both address channels.
void add_address(std::vector<Case>& all, Rule rule, const Axi4Address& good,
                 const Axi4Address& bad) {
  all.push_back({rule, Channel::kAw, [=](Bench& x, bool broken) { x.write(broken ? bad : good); }});
  all.push_back({rule, Channel::kAr, [=](Bench& x, bool broken) { x.read(broken ? bad : good); }});
}

void add_addresses(std::vector<Case>& all) {
  constexpr auto kWrap = Axi4BurstType::kWrap;
  constexpr auto kFixed = Axi4BurstType::kFixed;
  const auto with = [](Axi4Address a, auto change) {
    change(a);
    return a;
  };
  add_address(all, Rule::kBurstReserved, burst(2, 3),
              burst(2, 3, 0x1000, Axi4BurstType::kReserved));
  add_address(all, Rule::kSizeOfBus, burst(2, 3), with(burst(2, 3), [](auto& a) { a.size = 4; }));
  add_address(all, Rule::kPageCrossed, burst(2, 3, 0x1fe4), burst(2, 3, 0x1fec));
  add_address(all, Rule::kWrapLength, burst(2, 7, 0x1010, kWrap), burst(2, 5, 0x1010, kWrap));
  add_address(all, Rule::kWrapAligned, burst(2, 7, 0x1010, kWrap), burst(2, 7, 0x1011, kWrap));
  add_address(all, Rule::kFixedLength, burst(2, 15, 0x1003, kFixed), burst(2, 16, 0x1003, kFixed));
  add_address(all, Rule::kCacheReserved, with(burst(2, 0), [](auto& a) { a.cache = 0xe; }),
              with(burst(2, 0), [](auto& a) { a.cache = 0xd; }));
  add_address(all, Rule::kIdWidth, burst(15, 0), burst(16, 0));
  add_address(all, Rule::kAddressWidth, burst(2, 0, 0xffff'fff8), burst(2, 0, 0x1'0000'0000));
  add_address(all, Rule::kExclusiveBytes, exclusive(2, 3), exclusive(2, 2));
  add_address(all, Rule::kExclusiveAligned, exclusive(2, 3, 0x1020), exclusive(2, 3, 0x1008));
  const auto bytes = [&](std::uint8_t len) {
    return with(exclusive(2, len), [](auto& a) { a.size = 0; });
  };
  add_address(all, Rule::kExclusiveLength, bytes(15), bytes(31));
}

void add_writes(std::vector<Case>& all) {
  Axi4CheckerConfig no_gaps = base_config();
  no_gaps.allow_strobe_gaps = false;
  Axi4CheckerConfig errors = base_config();
  errors.report_error_responses = true;
  const auto add = [&](Rule rule, Channel channel, const Script& script,
                       const Axi4CheckerConfig& config = base_config()) {
    all.push_back({rule, channel, script, config});
  };
  add(Rule::kWriteLastEarly, Channel::kW, [](Bench& x, bool broken) {
    x.aw(burst(3, 2));
    x.w(false);
    x.w(broken);
    if (!broken) x.w(true);
    x.b(3);
  });
  add(Rule::kWriteLastMissing, Channel::kW, [](Bench& x, bool broken) {
    x.aw(burst(3, 1));
    x.w(false);
    x.w(!broken);
    x.b(3);
  });
  add(Rule::kWriteLastMissing, Channel::kW, [](Bench& x, bool broken) {  // data before address
    x.w(false);
    x.w(!broken);
    x.aw(burst(3, 1));
    x.b(3);
  });
  // The lanes of an unaligned first beat, and of a narrow transfer.
  add(Rule::kStrobeLanes, Channel::kW, [](Bench& x, bool broken) {
    x.aw(burst(3, 1, 0x1003));
    x.w(false, ByteMask::range(broken ? 2 : 3, 4));
    x.w(true);
    x.b(3);
  });
  add(Rule::kStrobeLanes, Channel::kW, [](Bench& x, bool broken) {
    Axi4Address a = burst(3, 1, 0x1002);
    a.size = 1;
    x.aw(a);
    x.w(false, ByteMask::range(2, 2));
    x.w(true, ByteMask::range(4, broken ? 3 : 2));
    x.b(3);
  });
  add(
      Rule::kStrobeGaps, Channel::kW,
      [](Bench& x, bool broken) {
        x.aw(burst(3, 0));
        x.w(true, broken ? ByteMask{5, 0} : ByteMask{6, 0});
        x.b(3);
      },
      no_gaps);
  add(Rule::kResponseWithoutWrite, Channel::kB, [](Bench& x, bool broken) {
    x.write(burst(3, 0));
    if (broken) x.b(3);
  });
  // BVALID at the edge of the last data transfer is too early, too.
  add(Rule::kResponseBeforeData, Channel::kB, [](Bench& x, bool broken) {
    x.aw(burst(3, 0));
    if (broken) {
      x.pins.b.id = 3;
      x.pins.b.valid = x.pins.b.ready = true;
    }
    x.w(true);
    x.pins.b.valid = x.pins.b.ready = false;
    if (!broken) x.b(3);
  });
  add(Rule::kResponseId, Channel::kB, [](Bench& x, bool broken) {
    x.aw(burst(3, 0));
    x.w(true);
    if (broken) x.b(4);
    x.b(3);
  });
  add(Rule::kResponseExOkay, Channel::kB, [](Bench& x, bool broken) {
    x.aw(broken ? burst(3, 0) : exclusive(3, 0));
    x.w(true);
    x.b(3, Axi4Response::kExOkay);
  });
  add(Rule::kResponseOrder, Channel::kB, [](Bench& x, bool broken) {
    x.aw(burst(3, 0));
    x.w(true);
    x.aw(exclusive(3, 0, 0x2000));
    x.w(true);
    x.b(3, broken ? Axi4Response::kExOkay : Axi4Response::kOkay);
    x.b(3, broken ? Axi4Response::kOkay : Axi4Response::kExOkay);
  });
  add(
      Rule::kResponseError, Channel::kB,
      [](Bench& x, bool broken) {
        x.aw(burst(3, 0));
        x.w(true);
        x.b(3, broken ? Axi4Response::kSlvErr : Axi4Response::kOkay);
      },
      errors);
  add(
      Rule::kReadError, Channel::kR,
      [](Bench& x, bool broken) {
        x.ar(burst(3, 0));
        x.r(3, true, broken ? Axi4Response::kDecErr : Axi4Response::kOkay);
      },
      errors);
}

void add_reads(std::vector<Case>& all) {
  const auto add = [&](Rule rule, const Script& script) {
    all.push_back({rule, Channel::kR, script});
  };
  add(Rule::kReadWithoutRequest, [](Bench& x, bool broken) {
    x.read(burst(3, 1));
    if (broken) x.r(3, true);
  });
  add(Rule::kReadId, [](Bench& x, bool broken) {
    x.ar(burst(3, 0));
    if (broken) x.r(4, true);
    x.r(3, true);
  });
  // Bursts of two IDs interleave.
  add(Rule::kReadLastEarly, [](Bench& x, bool broken) {
    x.ar(burst(3, 2));
    x.ar(burst(5, 1));
    x.r(3, false);
    x.r(5, false);
    x.r(3, broken);
    x.r(5, true);
    if (!broken) x.r(3, true);
  });
  add(Rule::kReadLastMissing, [](Bench& x, bool broken) {
    x.ar(burst(3, 1));
    x.r(3, false);
    x.r(3, !broken);
  });
  add(Rule::kReadOrder, [](Bench& x, bool broken) {
    x.ar(burst(3, 3));
    x.ar(burst(3, 0));
    if (broken) x.r(3, true);
    for (unsigned i = 0; i < 4; ++i) x.r(3, i == 3);
    if (!broken) x.r(3, true);
  });
  add(Rule::kReadOrder, [](Bench& x, bool broken) {
    x.ar(burst(3, 0));
    x.ar(burst(3, 3));
    if (!broken) x.r(3, true);
    for (unsigned i = 0; i < 4; ++i) x.r(3, i == 3);
    if (broken) x.r(3, true);
  });
  add(Rule::kReadExOkay, [](Bench& x, bool broken) {
    x.ar(broken ? burst(3, 0) : exclusive(3, 0));
    x.r(3, true, Axi4Response::kExOkay);
  });
}

void add_limits(std::vector<Case>& all) {
  Axi4CheckerConfig limited = base_config();
  limited.response_limit = 20;
  const auto add = [&](Rule rule, Channel channel, const Script& script) {
    all.push_back({rule, channel, script, limited});
  };
  add(Rule::kWriteDataLimit, Channel::kW, [](Bench& x, bool broken) {
    x.aw(burst(3, 0));
    x.edges(broken ? 21 : 19);
    x.w(true);
    x.b(3);
  });
  add(Rule::kWriteAddressLimit, Channel::kAw, [](Bench& x, bool broken) {
    x.w(true);
    x.edges(broken ? 21 : 19);
    x.aw(burst(3, 0));
    x.b(3);
  });
  add(Rule::kResponseLimit, Channel::kB, [](Bench& x, bool broken) {
    x.aw(burst(3, 0));
    x.w(true);
    x.edges(broken ? 21 : 19);
    x.b(3);
  });
  add(Rule::kReadLimit, Channel::kR, [](Bench& x, bool broken) {
    x.ar(burst(3, 1));
    x.edges(19);
    x.r(3, false);
    x.edges(broken ? 21 : 19);
    x.r(3, true);
  });
  add(Rule::kOutstandingAtEnd, Channel::kAw, [](Bench& x, bool broken) {
    x.aw(burst(3, 0));
    x.w(true);
    if (!broken) x.b(3);
    x.checker.finish(x.clock.time_of(x.cycle));
  });
  add(Rule::kOutstandingAtEnd, Channel::kW, [](Bench& x, bool broken) {
    if (broken) x.w(true);
    x.checker.finish(x.clock.time_of(x.cycle));
  });
  add(Rule::kOutstandingAtEnd, Channel::kAr, [](Bench& x, bool broken) {
    x.ar(burst(3, 1));
    x.r(3, false);
    if (!broken) x.r(3, true);
    x.checker.finish(x.clock.time_of(x.cycle));
  });
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  add_handshakes(all);
  add_addresses(all);
  add_writes(all);
  add_reads(all);
  add_limits(all);
  return all;
}

}  // namespace

TEST_CASE("each AXI4 rule passes a legal sequence and finds its fault alone") {
  for (const Case& c : all_cases()) {
    INFO(info_of(c.rule).name << " on " << name_of(c.channel));
    Bench clean(c.config);
    c.script(clean, false);
    for (const Axi4Violation& v : clean.found) FAIL_CHECK("clean: " << v.text());
    Bench broken(c.config);
    c.script(broken, true);
    for (const Axi4Violation& v : broken.found) {
      if (v.rule != c.rule) FAIL_CHECK("broken: " << v.text());
    }
    REQUIRE(broken.found.size() == 1);
    CHECK(broken.found[0].rule == c.rule);
    CHECK(broken.found[0].channel == c.channel);
    CHECK(broken.found[0].instance == "axi");
    CHECK(broken.found[0].time == broken.clock.time_of(broken.found[0].cycle));
    CHECK_FALSE(broken.found[0].payload.empty());
  }
}

TEST_CASE("each AXI4 rule has a case and a line in the table") {
  std::set<Rule> covered;
  for (const Case& c : all_cases()) covered.insert(c.rule);
  CHECK(covered.size() == axi4_rules().size());
  std::set<std::string> names;
  for (std::size_t i = 0; i < axi4_rules().size(); ++i) {
    CHECK(static_cast<std::size_t>(axi4_rules()[i].rule) == i);
    names.insert(axi4_rules()[i].name);
  }
  CHECK(names.size() == axi4_rules().size());
  std::ostringstream table;
  print_axi4_rules(table);
  CHECK(table.str().find("valid_held              A3.2.1  VALID stays set until READY\n") == 0);
}

TEST_CASE("an AXI4 violation is an SC_ERROR that names rule, cycle and payload") {
  Axi4Pins pins;
  ClockDomain clock(kHertz);
  Axi4Checker checker("system.port", clock, pins, base_config());
  ExpectReport guard("/tessera/bridge/axi4", 1);
  static_cast<Axi4Address&>(pins.ar) = burst(2, 3, 0x1fec);
  pins.ar.valid = true;
  checker.sample(clock.time_of(7));
  CHECK(guard.message() ==
        "system.port: AR breaks page_crossed (a burst does not cross a 4 KB boundary; IHI 0022 "
        "A3.4.1) at cycle 7, 7000 ps: id 2, address 0x1fec, 4 beats of 8 bytes, INCR, cache 0x0");
  CHECK(checker.violations() == 1);
}

TEST_CASE("VALID at the first edge after reset is found, at the second one it is legal") {
  for (const bool early : {false, true}) {
    Bench x(base_config());
    x.checker.on_reset(true);
    x.edges(2);
    x.checker.on_reset(false);
    if (!early) x.edge();
    x.read(burst(1, 0));
    REQUIRE(x.found.size() == (early ? 1U : 0U));
    if (early) CHECK(x.found[0].rule == Rule::kValidInReset);
    CHECK(x.checker.outstanding_reads() == 0);
  }
}

TEST_CASE("a reset forgets outstanding AXI4 transactions") {
  Bench x(base_config());
  x.aw(burst(1, 3));
  x.ar(burst(1, 3));
  x.w(false);
  x.checker.on_reset(true);
  x.edges(2);
  x.checker.on_reset(false);
  x.edge();
  x.write(burst(1, 0));
  x.checker.finish(x.clock.time_of(x.cycle));
  CHECK(x.found.empty());
  CHECK(x.checker.transfers(Channel::kW) == 2);
}

TEST_CASE("inactive byte lanes of W and R can change while VALID waits") {
  Bench x(base_config());
  Axi4Address narrow = burst(1, 0);
  narrow.size = 2;
  x.aw(narrow);
  x.pins.w.last = x.pins.w.valid = true;
  x.pins.w.strobe = ByteMask::first(2);
  x.edge();
  x.pins.w.data[2] = 9;
  x.transfer(x.pins.w);
  x.b(1);
  x.ar(narrow);
  x.pins.r.id = 1;
  x.pins.r.last = x.pins.r.valid = true;
  x.edge();
  x.pins.r.data[4] = 9;
  x.edge();
  CHECK(x.found.empty());
  x.pins.r.data[3] = 9;
  x.transfer(x.pins.r);
  REQUIRE(x.found.size() == 1);
  CHECK(x.found[0].rule == Rule::kPayloadStable);
}

TEST_CASE("an AXI4 shape that no bus has is refused") {
  CHECK(Axi4Shape{24, 33, 0}.validate().size() == 3);
  CHECK(Axi4Shape{128, 0, 64}.validate().empty());
  CHECK(Axi4Shape{8, 4, 32}.max_id() == 15);
  CHECK(Axi4Shape{8, 4, 32}.max_address() == 0xffff'ffff);
}

}  // namespace tessera::axi4_checker_test
