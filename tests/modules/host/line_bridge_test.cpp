// SPDX-License-Identifier: Apache-2.0
#include "modules/host/line_bridge.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "modules/protocol/protocol_checker.h"
#include "tests/support/cache_rig.h"
#include "tests/support/expect_report.h"

namespace tessera::line_bridge_test {

using namespace tessera::test;

namespace {

/// A master (whose payloads' extension the bridge must not need), the bridge and a memory.
struct Rig final : CacheRig {
  LineBridge bridge;

  explicit Rig(const LineBridgeConfig& config = {}, LineBridgeSite site = {},
               RequestStyle style = RequestStyle::kEarlyEndReq)
      : CacheRig(config.clock_hz, {1, 1, style}), bridge("bridge", config, pool, std::move(site)) {
    block = &bridge;
    join(sm.socket(), bridge.in);
    join(bridge.memory, memory.socket());
  }

  std::size_t read(std::uint64_t cycle, std::uint64_t address, unsigned bytes) {
    ScriptedRequest r = request(cycle, address);
    r.bytes = bytes;
    r.mask = ByteMask::first(bytes);
    return sm.add(std::move(r));
  }
  std::size_t write(std::uint64_t cycle, std::uint64_t address, unsigned bytes, ByteMask mask,
                    unsigned char value) {
    ScriptedRequest r = request(cycle, address);
    r.command = tlm::TLM_WRITE_COMMAND;
    r.bytes = bytes;
    r.mask = mask & ByteMask::first(bytes);
    r.data.assign(bytes, value);
    return sm.add(std::move(r));
  }
  bool has_initial(std::size_t i, std::uint64_t address, unsigned bytes) const {
    for (unsigned b = 0; b < bytes; ++b) {
      if (byte(i, b) != initial(address + b)) return false;
    }
    return true;
  }
};

/// A plain payload: no extension, no pool.
struct Plain {
  tlm::tlm_generic_payload payload;
  std::vector<unsigned char> data;
  std::vector<unsigned char> enables;

  Plain(tlm::tlm_command command, std::uint64_t address, unsigned bytes) : data(bytes) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  void enable(std::vector<unsigned char> pattern) {
    enables = std::move(pattern);
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
  }
};

}  // namespace

TEST_CASE("a lone read of a line takes two cycles more than memory") {
  Rig rig;
  const auto i = rig.read(10, 0x1000, 128);
  rig.run();
  CHECK(rig.responded_at(i) == 10 + 1 + kMemory + 1);
  CHECK(rig.has_initial(i, 0x1000, 128));
  CHECK(rig.bridge.stats().reads == 1);
  CHECK(rig.bridge.stats().lines == 1);
  CHECK(rig.bridge.stats().latency.max() == kMemory + 2);
}

TEST_CASE("an access across lines becomes a request for each, one a cycle") {
  Rig rig;
  const auto i = rig.read(10, 0x1000 + 100, 100);
  rig.run();
  const auto& arrivals = rig.memory.arrivals();
  REQUIRE(arrivals.size() == 2);
  CHECK(arrivals[0].address == 0x1000);
  CHECK(arrivals[1].address == 0x1080);
  CHECK(arrivals[1].at == arrivals[0].at + rig.edge(1));
  CHECK(arrivals[0].request.useful_bytes == 28);
  CHECK(arrivals[0].request.word_mask == 0xfe000000U);
  CHECK(arrivals[1].request.useful_bytes == 72);
  CHECK(arrivals[0].request.requester == RequesterId(RequesterKind::kBridge, 0));
  CHECK(rig.responded_at(i) == 10 + 1 + kMemory + 2);
  CHECK(rig.has_initial(i, 0x1064, 100));
}

TEST_CASE("a write sends the bytes that are enabled, and no line without one") {
  Rig rig;
  // The first 28 bytes are in line 0x1000: of them, none; of the rest, bytes 40 and 41.
  rig.write(10, 0x1064, 100, ByteMask::range(40, 2), 0xaa);
  rig.run();
  const auto& arrivals = rig.memory.arrivals();
  REQUIRE(arrivals.size() == 1);
  CHECK(arrivals[0].address == 0x1080);
  CHECK(arrivals[0].mask == ByteMask::range(12, 2));
  CHECK(rig.memory.byte(0x108b) == initial(0x108b));
  CHECK(rig.memory.byte(0x108c) == 0xaa);
  CHECK(rig.memory.byte(0x108d) == 0xaa);
  CHECK(rig.memory.byte(0x108e) == initial(0x108e));
}

TEST_CASE("responses come in the order of requests, whichever line comes first") {
  Rig rig;
  rig.memory.config().random_latency = rig.edge(300);
  std::vector<std::size_t> all;
  for (unsigned n = 0; n < 12; ++n) all.push_back(rig.read(10 + n, 0x1000 + 300 * n, 128));
  rig.run();
  CHECK(rig.sm.order() == all);
}

TEST_CASE("no more lines are under way than are configured") {
  LineBridgeConfig c;
  c.outstanding_lines = 2;
  Rig rig(c);
  const auto i = rig.read(10, 0x1040, 128);
  const auto j = rig.read(11, 0x2040, 128);
  rig.run();
  const auto& arrivals = rig.memory.arrivals();
  REQUIRE(arrivals.size() == 4);
  // The third line leaves at the edge at which the first has come back.
  CHECK(arrivals[2].at == arrivals[0].at + rig.edge(kMemory + 1));
  CHECK(rig.responded_at(i) == 10 + 1 + kMemory + 2);
  CHECK(rig.responded_at(j) == 10 + 2 * (kMemory + 1) + 2);
  CHECK(rig.bridge.stats().outstanding.max() == 2);
}

TEST_CASE("a full bridge withholds END_REQ") {
  LineBridgeConfig c;
  c.input_depth = 1;
  Rig rig(c);
  const auto i = rig.read(10, 0x1000, 128);
  const auto j = rig.read(11, 0x2000, 128);
  rig.run();
  CHECK(rig.sm.result(i).end_req == rig.edge(10 + 1 + kMemory));
  CHECK(rig.responded_at(j) > rig.responded_at(i) + kMemory);
}

TEST_CASE("a transaction has the status of its failed line with the lowest address") {
  Rig rig;
  rig.memory.status_of = [](std::uint64_t address) {
    return address == 0x1080   ? tlm::TLM_COMMAND_ERROR_RESPONSE
           : address == 0x1100 ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                               : tlm::TLM_OK_RESPONSE;
  };
  const auto good = rig.read(10, 0x1000, 64);
  const auto first = rig.read(300, 0x1070, 100);
  const auto second = rig.read(600, 0x10f0, 100);
  rig.run_to(us(5));
  CHECK(rig.sm.result(good).status == tlm::TLM_OK_RESPONSE);
  CHECK(rig.sm.result(first).status == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(rig.sm.result(second).status == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(rig.bridge.stats().errors == 2);
}

TEST_CASE("addresses are translated line by line, and one that is not mapped is an error") {
  LineBridgeSite site;
  site.requester = RequesterId(RequesterKind::kCpuCore, 3);
  site.translate = [](std::uint64_t a) -> std::optional<std::uint64_t> {
    if (a >= 0x3000) return {};
    return a < 0x2000 ? a + 0x7000 : a - 0x1000;
  };
  Rig rig({}, site);
  const auto i = rig.read(10, 0x1fc0, 128);
  const auto bad = rig.read(300, 0x2fc0, 128);
  rig.run_to(us(5));
  const auto& arrivals = rig.memory.arrivals();
  REQUIRE(arrivals.size() == 3);
  CHECK(arrivals[0].address == 0x8f80);
  CHECK(arrivals[1].address == 0x1000);
  CHECK(arrivals[1].request.requester == RequesterId(RequesterKind::kCpuCore, 3));
  CHECK(rig.sm.result(i).status == tlm::TLM_OK_RESPONSE);
  CHECK(rig.byte(i, 0) == initial(0x8fc0));
  CHECK(rig.byte(i, 64) == initial(0x1000));
  CHECK(rig.sm.result(bad).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("a request knows its line's home where the bridge has an address map") {
  const PlainMap map;
  LineBridgeSite site;
  site.map = &map;
  Rig rig({}, site);
  rig.read(10, kOtherHome + 64, 8);
  const auto beyond = rig.read(300, map.geometry().total_bytes(), 8);
  rig.run_to(us(5));
  REQUIRE(rig.memory.arrivals().size() == 1);
  const MemoryRequest& r = rig.memory.arrivals()[0].request;
  CHECK(r.home_known(kOtherHome));
  CHECK(r.home().slice == SliceId(1));
  CHECK(rig.sm.result(beyond).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("b_transport and transport_dbg of plain payloads cross lines, with byte enables") {
  Rig rig;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Plain write(tlm::TLM_WRITE_COMMAND, 0x10f0, 300);
  for (unsigned i = 0; i < 300; ++i) write.data[i] = static_cast<unsigned char>(i * 7 + 1);
  write.enable({0xff, 0x00, 0xff});
  sc_core::sc_time delay;
  rig.sm.socket(0)->b_transport(write.payload, delay);
  CHECK(write.payload.get_response_status() == tlm::TLM_OK_RESPONSE);
  CHECK(delay > sc_core::SC_ZERO_TIME);
  const auto expected = [&](unsigned i) {
    return i % 3 == 1 ? initial(0x10f0 + i) : static_cast<unsigned char>(i * 7 + 1);
  };
  Plain read(tlm::TLM_READ_COMMAND, 0x10f0, 300);
  rig.sm.socket(0)->b_transport(read.payload, delay);
  Plain look(tlm::TLM_READ_COMMAND, 0x10f0, 300);
  CHECK(rig.sm.socket(0)->transport_dbg(look.payload) == 300);
  unsigned wrong = 0;
  for (unsigned i = 0; i < 300; ++i) {
    if (read.data[i] != expected(i) || look.data[i] != expected(i)) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(rig.pool.live() == 0);
}

TEST_CASE("malformed payloads receive an error response, and one without bytes does not") {
  Rig rig;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto status = [&](Plain& p) {
    sc_core::sc_time delay;
    rig.sm.socket(0)->b_transport(p.payload, delay);
    return p.payload.get_response_status();
  };
  Plain nothing(tlm::TLM_IGNORE_COMMAND, 0, 8);
  CHECK(status(nothing) == tlm::TLM_OK_RESPONSE);
  ExpectReport reports("/tessera/core/bad_payload", 2);
  Plain stream(tlm::TLM_READ_COMMAND, 0, 8);
  stream.payload.set_streaming_width(4);
  CHECK(status(stream) == tlm::TLM_BURST_ERROR_RESPONSE);
  Plain wraps(tlm::TLM_READ_COMMAND, ~std::uint64_t{0} - 3, 8);
  CHECK(status(wraps) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.bridge.stats().errors == 2);
}

TEST_CASE("a bridge's configuration says what is wrong with it") {
  LineBridgeConfig c;
  CHECK(c.validate().empty());
  c.line_bytes = 96;
  c.outstanding_lines = 0;
  c.input_depth = 0;
  CHECK(c.validate().size() == 3);
}

namespace {

void random_accesses(RequestStyle style, std::uint64_t seed) {
  LineBridgeConfig c;
  c.outstanding_lines = 3;
  c.input_depth = 2;
  Rig rig(c, {}, style);
  rig.memory.config().stall_probability = 0.3;
  rig.memory.config().random_stall = rig.edge(40);
  rig.memory.config().random_latency = rig.edge(60);
  rig.sm.config().style = ResponseStyle::kRandom;
  rig.sm.config().random_stall = rig.edge(20);
  constexpr std::uint64_t kBase = 0x4000;
  constexpr unsigned kBytes = 8 * 128;
  std::vector<unsigned char> flat(kBytes);
  for (unsigned i = 0; i < kBytes; ++i) flat[i] = initial(kBase + i);
  std::mt19937_64 random(seed);
  std::vector<std::pair<std::size_t, std::vector<unsigned char>>> reads;
  for (unsigned n = 0; n < 600; ++n) {
    const unsigned bytes = 1 + static_cast<unsigned>(random() % 128);
    const unsigned at = static_cast<unsigned>(random() % (kBytes - bytes + 1));
    ScriptedRequest r = rig.request(0, kBase + at);
    r.bytes = bytes;
    r.mask = ByteMask::first(bytes);
    if (random() % 2 == 0) {
      reads.emplace_back(rig.sm.add(std::move(r)),
                         std::vector<unsigned char>(&flat[at], &flat[at] + bytes));
      continue;
    }
    r.command = tlm::TLM_WRITE_COMMAND;
    if (random() % 2 == 0) r.mask = ByteMask{random(), random()} & r.mask;
    r.data.resize(bytes);
    for (unsigned i = 0; i < bytes; ++i) {
      r.data[i] = static_cast<unsigned char>(random());
      if (r.mask.test(i)) flat[at + i] = r.data[i];
    }
    rig.sm.add(std::move(r));
  }
  rig.run();
  unsigned wrong = 0;
  for (const auto& [index, bytes] : reads) {
    if (rig.sm.result(index).data != bytes) ++wrong;
  }
  CHECK(wrong == 0);
  for (unsigned i = 0; i < kBytes; ++i) {
    if (rig.memory.byte(kBase + i) != flat[i]) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(rig.sm.done());
  CHECK(rig.bridge.idle());
  CHECK(rig.pool.live() == 0);
}

}  // namespace

TEST_CASE("random accesses see a flat memory's bytes, under stalls") {
  random_accesses(RequestStyle::kEarlyEndReq, 1);
}

TEST_CASE("random accesses see a flat memory's bytes, whatever phases the memory uses") {
  random_accesses(RequestStyle::kRandom, 2);
}

TEST_CASE("a line bridge conforms") {
  LineBridgeConfig c;
  c.outstanding_lines = 4;
  Rig rig(c, {}, RequestStyle::kRandom);
  ConformanceTraffic traffic;
  traffic.base = 0x1000;
  traffic.adjust = [](ScriptedRequest& r, std::mt19937_64& random) {
    r.address += random() % 128;
    r.bytes = 1 + static_cast<unsigned>(random() % 128);
    r.mask = r.mask & ByteMask::first(r.bytes);
    if (!r.data.empty()) r.data.resize(r.bytes);
  };
  run_conformance(rig.conformance(), traffic);
}

}  // namespace tessera::line_bridge_test
