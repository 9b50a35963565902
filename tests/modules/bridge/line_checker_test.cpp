// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/line_checker.h"

#include <array>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/expect_report.h"

namespace tessera::line_checker_test {

namespace {

using Rule = LineRule;

/// A checker at pins that a script drives.
struct Bench {
  explicit Bench(const LineCheckerConfig& config = {})
      : checker("lines", clock, request, response, config) {
    checker.set_handler([this](const LineViolation& v) { found.push_back(v); });
  }
  void edge() { checker.sample(clock.time_of(cycle++)); }
  void read(std::uint32_t id, std::uint64_t address = 256) {
    request.write = false;
    send(id, address);
  }
  void write(std::uint32_t id, const ByteMask& mask = ByteMask::first(4)) {
    request.write = true;
    request.mask = mask;
    send(id, 256);
  }
  void send(std::uint32_t id, std::uint64_t address) {
    request.id = id;
    request.address = address;
    request.data = bytes.data();
    request.valid = request.ready = true;
    edge();
    request.valid = request.ready = false;
  }
  void respond(std::uint32_t id, bool write = false) {
    response.id = id;
    response.write = write;
    response.data = bytes.data();
    response.valid = response.ready = true;
    edge();
    response.valid = response.ready = false;
  }
  std::vector<Rule> rules() const {
    std::vector<Rule> all;
    for (const LineViolation& v : found) all.push_back(v.rule);
    return all;
  }

  std::array<unsigned char, kMaxLineBytes> bytes{};
  LineRequestPins request;
  LineResponsePins response;
  ClockDomain clock{1'000'000'000};
  LineChecker checker;
  std::vector<LineViolation> found;
  std::uint64_t cycle = 100;
};

using Rules = std::vector<Rule>;

}  // namespace

TEST_CASE("line checker: reads and writes in any order of responses break no rule") {
  Bench x;
  x.read(1);
  x.write(2);
  x.read(3);
  CHECK(x.checker.outstanding() == 3);
  x.respond(3);
  x.respond(2, true);
  x.respond(1);
  x.checker.finish(x.clock.time_of(x.cycle));
  CHECK(x.found.empty());
  CHECK(x.checker.outstanding() == 0);
}

TEST_CASE("line checker: a request that waits breaks no rule while it stays") {
  Bench x;
  x.request.valid = true;
  x.request.write = true;
  x.request.mask = ByteMask::first(1);
  x.request.data = x.bytes.data();
  x.edge();
  x.bytes[1] = 7;  // not in the mask
  x.edge();
  x.request.ready = true;
  x.edge();
  CHECK(x.found.empty());
}

TEST_CASE("line checker: VALID that drops is a violation, on both channels") {
  Bench x;
  x.request.valid = true;
  x.edge();
  x.request.valid = false;
  x.edge();
  CHECK(x.rules() == Rules{Rule::kValidHeld});
  CHECK(x.found[0].channel == std::string("request"));
  x.found.clear();
  x.response.valid = true;
  x.edge();
  x.response.valid = false;
  x.edge();
  CHECK(x.rules() == Rules{Rule::kValidHeld});
  CHECK(x.found[0].channel == std::string("response"));
}

TEST_CASE("line checker: a payload that changes while it waits is a violation") {
  Bench x;
  SECTION("address") {
    x.request.valid = true;
    x.edge();
    x.request.address = 128;
  }
  SECTION("a byte of the mask") {
    x.request.valid = x.request.write = true;
    x.request.mask = ByteMask::first(1);
    x.request.data = x.bytes.data();
    x.edge();
    x.bytes[0] = 1;
  }
  SECTION("data of a read") {
    x.read(4);
    x.response.valid = true;
    x.response.id = 4;
    x.response.data = x.bytes.data();
    x.edge();
    x.bytes[127] = 1;
  }
  x.edge();
  CHECK(x.rules() == Rules{Rule::kPayloadStable});
}

TEST_CASE("line checker: rules of addresses and masks") {
  Bench x;
  x.read(1, 260);
  CHECK(x.rules() == Rules{Rule::kLineAligned});
  x.found.clear();
  x.write(2, {});
  CHECK(x.rules() == Rules{Rule::kMaskEmpty});
  LineCheckerConfig narrow;
  narrow.line_bytes = 64;
  Bench y(narrow);
  y.write(1, ByteMask::range(60, 8));
  CHECK(y.rules() == Rules{Rule::kMaskOfLine});
}

TEST_CASE("line checker: rules of ids") {
  Bench x;
  x.read(1);
  x.read(1);
  CHECK(x.rules() == Rules{Rule::kIdInUse});
  x.found.clear();
  x.respond(2);
  CHECK(x.rules() == Rules{Rule::kUnknownId});
  x.found.clear();
  x.respond(1, true);
  CHECK(x.rules() == Rules{Rule::kResponseKind});
}

TEST_CASE("line checker: a response at the edge of its request is a violation") {
  Bench x;
  x.response.valid = x.response.ready = true;
  x.response.id = 5;
  x.read(5);
  CHECK(x.rules() == Rules{Rule::kUnknownId});
}

TEST_CASE("line checker: writes without ids are counted") {
  LineCheckerConfig c;
  c.writes_have_ids = false;
  Bench x(c);
  x.write(0);
  x.write(0);
  x.respond(0, true);
  x.respond(0, true);
  CHECK(x.found.empty());
  x.respond(0, true);
  CHECK(x.rules() == Rules{Rule::kUnknownId});
}

TEST_CASE("line checker: limits, each reported once") {
  LineCheckerConfig c;
  c.handshake_limit = 3;
  c.response_limit = 6;
  Bench x(c);
  x.read(1);
  x.request.valid = true;
  x.request.id = 2;
  for (unsigned i = 0; i < 3; ++i) x.edge();
  CHECK(x.found.empty());
  x.edge();
  CHECK(x.rules() == Rules{Rule::kHandshakeLimit});
  for (unsigned i = 0; i < 5; ++i) x.edge();
  CHECK(x.rules() == Rules{Rule::kHandshakeLimit, Rule::kResponseLimit});
}

TEST_CASE("line checker: VALID in reset is a violation from the second edge on") {
  Bench x;
  x.request.valid = true;
  x.checker.on_reset(true);
  x.edge();
  CHECK(x.found.empty());
  x.edge();
  CHECK(x.rules() == Rules{Rule::kValidInReset});
  x.request.valid = false;
  x.checker.on_reset(false);
  x.edge();
  CHECK(x.found.size() == 1);
}

TEST_CASE("line checker: what is outstanding at the end is a violation") {
  Bench x;
  x.read(9);
  x.checker.finish(x.clock.time_of(x.cycle));
  CHECK(x.rules() == Rules{Rule::kOutstandingAtEnd});
  CHECK(x.found[0].text() ==
        "lines: the response breaks LINE_OUTSTANDING_AT_END (each request has its response at the "
        "end of the run) at cycle 101, 101000 ps: read, id 9, address 0x100");
}

TEST_CASE("line checker: without a handler a violation is an error") {
  LineRequestPins request;
  LineResponsePins response;
  LineChecker checker("lines", ClockDomain(1'000'000'000), request, response, {});
  response.valid = response.ready = true;
  CHECK_THROWS_WITH(checker.sample(0), Catch::Contains("LINE_UNKNOWN_ID"));
}

TEST_CASE("line checker: each rule has a name of its own, in the order of the rules") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < line_rules().size(); ++i) {
    CHECK(line_rules()[i].rule == static_cast<LineRule>(i));
    names.insert(line_rules()[i].name);
  }
  CHECK(names.size() == line_rules().size());
}

}  // namespace tessera::line_checker_test
