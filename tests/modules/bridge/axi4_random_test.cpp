// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "modules/kernel/domain.h"
#include "tests/modules/bridge/axi4_random_rig.h"
#include "tests/support/expect_report.h"

namespace tessera::axi4_random_test {

namespace {

using namespace tessera::axi4_random;  // NOLINT
using tessera::test::ExpectReport;

constexpr Tick kNs = 1'000'000;

RigConfig config_of(unsigned data_bytes, std::uint64_t seed) {
  RigConfig config;
  config.seed = seed;
  config.manager.shape = config.subordinate.shape = {data_bytes, 4, 32};
  return config;
}

/// `total` requests, with a reset each 3 us on average if `with_resets`.
void run_random(Rig& rig, std::uint64_t total, bool with_resets) {
  Random random(99);
  rig.traffic.total = total;
  rig.traffic.start();
  while (!rig.idle()) {
    const std::uint64_t before = rig.traffic.responses;
    rig.run(kNs * (with_resets ? 1 + random() % 6'000 : 20'000));
    if (with_resets) {
      if (rig.traffic.sent != total) {
        ++rig.traffic.resets;
        rig.clock.set_reset(true);
        rig.run(kNs * (4 + random() % 20));
        rig.clock.set_reset(false);
      }
    } else if (rig.traffic.responses == before && !rig.idle()) {
      std::vector<Waiting> waiting;
      rig.manager.describe_waiting(waiting);
      rig.subordinate.describe_waiting(waiting);
      std::string text;
      for (const Waiting& w : waiting) text += w.queue + " waits for " + w.waits_for + "\n";
      FAIL("no progress:\n" << text);
    }
  }
  CHECK(rig.traffic.responses == total);
  CHECK(rig.traffic.mismatches == 0);
  CHECK(rig.traffic.errors > total / 200);
  CHECK((rig.traffic.reset_errors > rig.traffic.resets) == with_resets);
  CHECK(rig.memory.bytes == rig.traffic.reference);
  CHECK(rig.pool.live() == 0);
  CHECK(rig.upper.outstanding() + rig.lower.outstanding() == 0);
  rig.up_check.finish(now());
  rig.down_check.finish(now());
  CHECK(rig.up_check.violations() + rig.down_check.violations() == 0);
}

/// Requests through a slice with a fault. Returns the number of violations of pins and mismatches
/// of data.
struct Found {
  std::uint64_t violations = 0;
  std::uint64_t mismatches = 0;
};

Found run_with(Fault fault, std::size_t reports) {
  Rig rig(config_of(16, 5));
  Found found;
  const auto count = [&found](const Axi4Violation&) { ++found.violations; };
  rig.up_check.set_handler(count);
  rig.down_check.set_handler(count);
  rig.slice.fault = fault;
  // A single byte can be in a line that refuses it, or be overwritten before it is read.
  rig.slice.times = fault == Fault::kWriteByte ? 10 : 1;
  rig.traffic.total = 200;
  rig.traffic.start();
  {
    ExpectReport guard("/tessera/bridge/axi4", reports);
    rig.run(kNs * 100'000);
    found.mismatches = rig.traffic.mismatches;
    if (rig.memory.bytes != rig.traffic.reference) ++found.mismatches;
  }
  CHECK(rig.slice.fault == Fault::kNone);  // inserted
  return found;
}

}  // namespace

TEST_CASE("20 000 random AXI4 requests with errors and resets agree with a flat memory") {
  Rig rig(config_of(16, 1));
  run_random(rig, 20'000, true);
}

TEST_CASE("random AXI4 requests on a narrow bus with WRAP bursts and interleaving") {
  RigConfig config = config_of(8, 2);
  config.manager.beat_bytes = 4;
  config.manager.wrap_reads = true;
  config.subordinate.interleave = true;
  config.subordinate.entries = 2;
  Rig rig(config);
  run_random(rig, 3'000, false);
}

TEST_CASE("random AXI4 requests on the widest bus, in parts of lines") {
  RigConfig config = config_of(128, 3);
  config.manager.ids = 16;
  config.manager.entries = 1;
  config.manager.wrap_reads = true;
  config.subordinate.whole_lines = false;
  config.subordinate.writes = 1;
  Rig rig(config);
  run_random(rig, 5'000, true);
}

TEST_CASE("AXI4 transactors do not depend on the order of processes") {
  Rig forward(config_of(16, 6), "f_");
  Rig reverse(config_of(16, 6), "r_");
  const Tick length = kNs * 400'000;
  forward.traffic.total = reverse.traffic.total = 2'000;
  forward.traffic.start();
  forward.run(length);
  DomainRunner::instance().run_in_reverse(true);
  reverse.traffic.start();
  reverse.run(length);
  REQUIRE(forward.idle());
  REQUIRE(reverse.idle());
  CHECK(forward.traffic.last_response + length == reverse.traffic.last_response);
  CHECK(forward.memory.bytes == reverse.memory.bytes);
  CHECK(forward.clock.cycles() == reverse.clock.cycles());
  CHECK(forward.traffic.mismatches + reverse.traffic.mismatches == 0);
}

TEST_CASE("a million random AXI4 requests agree with a flat memory") {
  Rig rig(config_of(32, 4));
  run_random(rig, 1'000'000, true);
}

TEST_CASE("a changed byte of AXI4 read data is found") {
  CHECK(run_with(Fault::kReadByte, 0).mismatches > 0);
}

TEST_CASE("a changed byte of AXI4 write data is found") {
  CHECK(run_with(Fault::kWriteByte, 0).mismatches > 0);
}

TEST_CASE("a changed RID is found") { CHECK(run_with(Fault::kReadId, 1).violations > 0); }

TEST_CASE("a changed BID is found") { CHECK(run_with(Fault::kWriteId, 1).violations > 0); }

TEST_CASE("a lost beat of AXI4 read data is found") {
  CHECK(run_with(Fault::kReadBeat, 0).violations > 0);
}

TEST_CASE("a lost beat of AXI4 write data is found") {
  CHECK(run_with(Fault::kWriteBeat, 0).violations > 0);
}

}  // namespace tessera::axi4_random_test
