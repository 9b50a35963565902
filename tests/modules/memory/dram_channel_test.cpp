// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_channel.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <numeric>
#include <random>

#include "common/json.h"
#include "modules/kernel/parameters.h"
#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/modules/memory/dram_timing_checker.h"
#include "tests/support/conformance.h"
#include "tests/support/expect_report.h"
#include "tests/support/policy_settings.h"

namespace tessera::dram_channel_test {

using namespace tessera::test;

namespace {

constexpr std::uint64_t kChannelBytes = 1 << 24;
constexpr std::uint64_t kRow = 2048;
constexpr std::uint64_t kBanks = 16;
constexpr std::uint64_t kLine = 128;
/// The channel under test is the second of two, so that its addresses are not its offsets.
constexpr std::uint64_t kBase = kChannelBytes;

/// Column, bank, row, channel, from the lowest bits up.
class PlainMap final : public AddressMap {
 public:
  PlainMap() {
    geometry_.channels = 2;
    geometry_.channel_bytes = kChannelBytes;
  }
  Location locate(std::uint64_t a) const override {
    Location l;
    l.channel = decode(a).channel;
    return l;
  }
  DramLocation decode(std::uint64_t a) const override {
    return {ChannelId(static_cast<std::uint32_t>(a / kChannelBytes)),
            Bank(static_cast<std::uint32_t>(a / kRow % kBanks)),
            static_cast<std::uint32_t>(a % kChannelBytes / (kRow * kBanks))};
  }
  std::uint64_t channel_address(std::uint64_t a) const override { return a % kChannelBytes; }
  bool page_has_one_home() const override { return true; }
  std::uint64_t page_address(ChannelId c, std::uint64_t i) const override {
    return c.value * kChannelBytes + i * geometry_.page_bytes;
  }
  const MemoryGeometry& geometry() const override { return geometry_; }
  MemoryGeometry& shape() { return geometry_; }

 private:
  MemoryGeometry geometry_;
};

std::uint64_t address(std::uint64_t bank, std::uint64_t row, std::uint64_t line = 0) {
  return kBase + (row * kBanks + bank) * kRow + line * kLine;
}

struct Rig {
  TransactionPool pool;
  PlainMap map;
  DramTimingChecker timing;
  DramChannel dram;
  ScriptedInitiator llc;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;

  explicit Rig(const DramConfig& config = {}, const ScriptedInitiatorConfig& initiator = {})
      : timing(config),
        dram("dram", config, map, ChannelId(1), initiator.ports),
        llc("llc", pool, initiator) {
    for (unsigned i = 0; i < initiator.ports; ++i) {
      checkers.push_back(
          std::make_unique<ProtocolChecker>(("checker" + std::to_string(i)).c_str()));
      llc.socket(i).bind(checkers[i]->target);
      checkers[i]->initiator.bind(dram.in[i]);
    }
    dram.observe(&timing);
  }

  Tick edge(std::uint64_t n) const { return dram.clock().time_of(n); }

  ScriptedRequest request(Tick at, std::uint64_t a, bool write = false, unsigned port = 0) const {
    ScriptedRequest r;
    r.at = at;
    r.port = port;
    r.address = a;
    r.command = write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
    r.prepare = prepare();
    return r;
  }
  std::function<void(Transaction&)> prepare() const {
    return [this](Transaction& x) { x.request().decode_home(map, x.get_address()); };
  }
  /// Arrives exactly at edge n.
  std::size_t at_edge(std::uint64_t n, std::uint64_t a, bool write = false) {
    return llc.add(request(edge(n) - llc.config().request_delay, a, write));
  }
  ConformanceRig conformance() {
    ConformanceRig rig;
    rig.block = &dram;
    rig.pool = &pool;
    rig.initiators = {&llc};
    for (auto& c : checkers) rig.checkers.push_back(c.get());
    return rig;
  }
  void run() {
    CHECK(run_until_done(conformance(), us(1000)));
    check_each_completed_once(conformance(), tlm::TLM_OK_RESPONSE);
    check_drained(conformance());
    CHECK(timing.violations() == std::vector<std::string>{});
    CHECK_FALSE(sc_core::sc_pending_activity());
  }
  /// Share of the data bus's peak from time 0 to the last response.
  double bus_share() const {
    Tick last = 0;
    for (std::size_t i = 0; i < llc.size(); ++i) last = std::max(last, llc.result(i).begin_resp);
    return static_cast<double>(llc.size() * kLine) / dram.peak_bytes(0, last);
  }
};

ScriptedInitiatorConfig ports(unsigned n) {
  ScriptedInitiatorConfig c;
  c.ports = n;
  return c;
}

}  // namespace

TEST_CASE("a lone read's response comes after ACT, RD and the last data") {
  Rig rig;
  const auto closed = rig.at_edge(10, address(3, 5));
  const auto open = rig.at_edge(100, address(3, 5, 1));
  const auto conflict = rig.at_edge(200, address(3, 6));
  rig.run();
  CHECK(rig.llc.result(closed).begin_resp == rig.edge(10 + 7 + 1 + 7 + 2));
  CHECK(rig.llc.result(open).begin_resp == rig.edge(100 + 1 + 7 + 2));
  CHECK(rig.llc.result(conflict).begin_resp == rig.edge(200 + 7 + 7 + 1 + 7 + 2));
  const DramStats& s = rig.dram.stats();
  CHECK(s.commands.reads == 3);
  CHECK(s.commands.row_hits == 1);
  CHECK(s.commands.row_misses == 1);
  CHECK(s.commands.row_conflicts == 1);
  CHECK(s.commands.activates == 2);
  CHECK(s.commands.precharges == 1);
  CHECK(s.commands.bus_busy_clocks == 6);
  CHECK(s.bytes_read == 3 * kLine);
  CHECK(s.bandwidth.total() == 3 * kLine);
  CHECK(s.read_latency.sum() == 17 + 10 + 24);
}

TEST_CASE("a lone write receives its response when its data has been transferred") {
  Rig rig;
  const auto w = rig.at_edge(10, address(3, 5), true);
  rig.run();
  CHECK(rig.llc.result(w).begin_resp == rig.edge(10 + 7 + 1 + 2 + 2));
  CHECK(rig.dram.stats().bytes_written == kLine);
  CHECK(rig.dram.stats().commands.writes == 1);
}

TEST_CASE("an arrival between edges waits for the next edge") {
  Rig rig;
  const auto r = rig.llc.add(rig.request(rig.edge(10), address(0, 0)));  // arrives 1 fs later
  rig.run();
  CHECK(rig.llc.result(r).begin_resp == rig.edge(11 + 7 + 1 + 7 + 2));
}

TEST_CASE("a pipeline delays each request and keeps the bandwidth") {
  DramConfig config;
  config.pipeline_clocks = 25;
  Rig rig(config, ports(2));
  const auto first = rig.llc.add(rig.request(rig.edge(10), kBase));  // arrives 1 fs after edge 10
  constexpr unsigned kReads = 4000;
  for (unsigned i = 1; i < kReads; ++i) {
    rig.llc.add(rig.request(rig.edge(10), kBase + i * kLine, false, i % 2));
  }
  rig.run();
  CHECK(rig.llc.result(first).begin_resp == rig.edge(11 + 25 + 7 + 1 + 7 + 2));
  CHECK(rig.bus_share() > 0.98);
}

TEST_CASE("a pipeline delays a blocking access") {
  DramConfig config;
  config.pipeline_clocks = 25;
  Rig rig(config);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Transaction& x = rig.pool.acquire();
  x.set_line(tlm::TLM_READ_COMMAND, address(2, 2), kLine);
  rig.prepare()(x);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  rig.llc.socket()->b_transport(x, delay);
  CHECK(delay.value() == rig.edge(25 + 7 + 1 + 7 + 2));
  x.release();
}

TEST_CASE("sequential reads fill the data bus and never exceed it") {
  Rig rig({}, ports(2));
  constexpr unsigned kReads = 8000;
  for (unsigned i = 0; i < kReads; ++i) {
    rig.llc.add(rig.request(0, kBase + i * kLine, false, i % 2));
  }
  rig.run();
  CHECK(rig.bus_share() <= 1.0);
  CHECK(rig.bus_share() > 0.995);
}

TEST_CASE("random reads run at the tFAW bound through the sockets") {
  Rig rig({}, ports(2));
  std::mt19937_64 random(7);
  for (unsigned i = 0; i < 8000; ++i) {
    rig.llc.add(rig.request(0, kBase + random() % (kChannelBytes / kLine) * kLine, false, i % 2));
  }
  rig.run();
  CHECK(rig.bus_share() == Approx(0.40).epsilon(0.01));
}

TEST_CASE("row conflicts in one bank run at the tRC bound through the sockets") {
  Rig rig;
  for (unsigned i = 0; i < 500; ++i) rig.llc.add(rig.request(0, address(5, i)));
  rig.run();
  CHECK(rig.bus_share() == Approx(2.0 / 24).epsilon(0.02));
  CHECK(rig.llc.result(499).begin_resp == rig.edge(1 + 499 * 24 + 7 + 1 + 7 + 2));
}

TEST_CASE("a full queue withholds END_REQ until an entry is free") {
  DramConfig c;
  c.queue_entries = 4;
  c.input_entries = 2;
  c.scheduler.settings = policy_settings<DramScheduler>(
      {{"fr-fcfs.write_drain_high", 2}, {"fr-fcfs.write_drain_low", 1}});
  Rig rig(c);
  const Tick stall = us(10) + 12345;
  rig.llc.stall_responses_until(stall);
  for (unsigned i = 0; i < 20; ++i) rig.llc.add(rig.request(0, address(0, 0, i % 16)));
  sc_core::sc_start(to_sc_time(us(10)));
  // One response has begun, four requests are in the queue, two in the input buffer, the second
  // of which has no END_REQ.
  CHECK(rig.dram.stats().queue.level() == 4);
  CHECK(rig.llc.result(6).begin_req < us(1));
  CHECK(rig.llc.result(5).end_req < us(1));
  CHECK(rig.llc.result(6).end_req == kNever);
  CHECK(rig.llc.result(7).begin_req == kNever);
  std::vector<Waiting> waiting;
  rig.dram.describe_waiting(waiting);
  REQUIRE(waiting.size() == 2);
  CHECK(waiting[0].queue == "dram.input");
  CHECK(waiting[0].items == 2);
  CHECK(waiting[0].waits_for == "a free queue entry");
  CHECK(waiting[1].queue == "dram.response0");
  CHECK(waiting[1].items == 4);
  CHECK(waiting[1].waits_for == "END_RESP from dram.in_0");
  CHECK_FALSE(rig.dram.idle());
  rig.run();
  CHECK(rig.llc.result(6).end_req == rig.dram.clock().after(stall, 0));
}

TEST_CASE("each response begins when the one before has ended") {
  ScriptedInitiatorConfig i;
  i.end_resp_after = ns(20);
  Rig rig({}, i);
  for (unsigned n = 0; n < 50; ++n) rig.llc.add(rig.request(0, address(0, 0, n % 16)));
  rig.run();
  for (std::size_t n = 1; n < rig.llc.size(); ++n) {
    CHECK(rig.llc.result(n).begin_resp == rig.llc.result(n - 1).end_resp);
  }
}

namespace {

void random_values(const DramConfig& config, std::uint64_t seed) {
  ScriptedInitiatorConfig i = ports(2);
  i.style = ResponseStyle::kRandom;
  i.random_stall = ns(30);
  Rig rig(config, i);
  ConformanceTraffic traffic;
  traffic.requests_per_port = 3000;
  traffic.base = kBase;
  traffic.lines = 48;
  traffic.stores = 0.5;
  traffic.largest_gap = ns(20);
  traffic.largest_stall = ns(30);
  traffic.prepare = rig.prepare();
  std::vector<ScriptedRequest> sent;
  traffic.adjust = [&](ScriptedRequest& r, std::mt19937_64& random) {
    // Few lines of few banks and rows, so that commands overtake each other.
    const std::uint64_t n = (r.address - kBase) / kLine;
    r.address = address(n % 3, n / 3 % 4, n / 12);
    if (r.command == tlm::TLM_READ_COMMAND) r.mask = ByteMask::first(kLine);
    (void)random;
    sent.push_back(r);
  };
  schedule_random_traffic(rig.conformance(), traffic, seed);
  rig.run();

  std::vector<std::size_t> order(sent.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::make_pair(rig.llc.result(a).begin_req, sent[a].port) <
           std::make_pair(rig.llc.result(b).begin_req, sent[b].port);
  });
  std::map<std::uint64_t, std::vector<unsigned char>> reference;
  std::size_t wrong = 0;
  for (const std::size_t n : order) {
    auto& line = reference.try_emplace(sent[n].address, kLine, 0).first->second;
    if (sent[n].command == tlm::TLM_WRITE_COMMAND) {
      copy_masked(line.data(), sent[n].data.data(), sent[n].mask, kLine);
    } else if (rig.llc.result(n).data != line) {
      ++wrong;
    }
  }
  CHECK(wrong == 0);
  // The traffic did reorder commands.
  CHECK_FALSE(std::is_sorted(rig.llc.order().begin(), rig.llc.order().end()));
}

}  // namespace

TEST_CASE("values follow the order of arrival, whatever the order of commands") {
  random_values({}, 11);
}

TEST_CASE("values follow the order of arrival in a small queue that drains and refreshes") {
  DramConfig c;
  c.queue_entries = 8;
  c.scheduler.settings = policy_settings<DramScheduler>({{"fr-fcfs.write_drain_high", 3},
                                                         {"fr-fcfs.write_drain_low", 1},
                                                         {"fr-fcfs.starvation_clocks", 50}});
  c.refresh = true;
  c.t_refi = 400;
  random_values(c, 12);
}

TEST_CASE("a masked write leaves the other bytes, and a read returns the whole line") {
  Rig rig;
  ScriptedRequest w = rig.request(ns(10), address(1, 1), true);
  w.data.assign(kLine, 0x5a);
  w.mask = ByteMask::range(7, 3) | ByteMask::range(120, 8);
  rig.llc.add(w);
  ScriptedRequest r = rig.request(ns(10), address(1, 1));
  r.mask = ByteMask::range(0, 4);
  const auto i = rig.llc.add(r);
  rig.run();
  REQUIRE(rig.llc.result(i).data.size() == kLine);
  for (unsigned b = 0; b < kLine; ++b) {
    INFO(b);
    CHECK(rig.llc.result(i).data[b] == (w.mask.test(b) ? 0x5a : 0));
  }
}

TEST_CASE("without values, time passes and bytes stay") {
  Rig rig;
  ScriptedRequest w = rig.request(ns(10), address(1, 1), true);
  w.data.assign(kLine, 0x5a);
  w.prepare = [&](Transaction& x) {
    rig.prepare()(x);
    x.request().carries_data = false;
  };
  rig.llc.add(w);
  const auto r = rig.llc.add(rig.request(us(1), address(1, 1)));
  rig.run();
  CHECK(rig.llc.result(r).data == std::vector<unsigned char>(kLine, 0));
}

TEST_CASE("debug accesses see and change bytes across lines, and no statistic") {
  Rig rig;
  const auto debug = [&](tlm::tlm_command command, std::uint64_t a, std::vector<unsigned char>& d) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(a);
    p.set_data_ptr(d.data());
    p.set_data_length(static_cast<unsigned>(d.size()));
    return rig.llc.socket()->transport_dbg(p);
  };
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::vector<unsigned char> text(300);
  std::iota(text.begin(), text.end(), static_cast<unsigned char>(0));
  CHECK(debug(tlm::TLM_WRITE_COMMAND, kBase + 100, text) == 300);
  std::vector<unsigned char> back(300);
  CHECK(debug(tlm::TLM_READ_COMMAND, kBase + 100, back) == 300);
  CHECK(back == text);
  const auto r = rig.llc.add(rig.request(ns(10), kBase + 128));
  // Beyond the channel's end nothing is reached.
  CHECK(debug(tlm::TLM_READ_COMMAND, kBase + kChannelBytes - 10, back) == 10);
  CHECK(debug(tlm::TLM_READ_COMMAND, 0, back) == 0);
  CHECK(rig.dram.stats().commands.reads == 0);
  rig.run();
  CHECK(rig.llc.result(r).data ==
        std::vector<unsigned char>(text.begin() + 28, text.begin() + 28 + kLine));
}

TEST_CASE("a blocking access moves bytes and adds RCD, CL, burst, and memory pointers are denied") {
  Rig rig;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto blocking = [&](tlm::tlm_command command, unsigned char fill) {
    Transaction& x = rig.pool.acquire();
    x.set_line(command, address(2, 2), kLine);
    x.request().kind =
        command == tlm::TLM_WRITE_COMMAND ? RequestKind::kWriteBack : RequestKind::kFill;
    x.request().carries_data = true;
    std::fill_n(x.data(), kLine, fill);
    rig.prepare()(x);
    sc_core::sc_time delay = to_sc_time(5);
    rig.llc.socket()->b_transport(x, delay);
    CHECK(x.is_response_ok());
    const unsigned char byte = x.data()[127];
    x.release();
    return std::make_pair(delay.value(), byte);
  };
  CHECK(blocking(tlm::TLM_WRITE_COMMAND, 0x77).first == 5 + rig.edge(7 + 1 + 2 + 2));
  const auto [delay, byte] = blocking(tlm::TLM_READ_COMMAND, 0);
  CHECK(delay == 5 + rig.edge(7 + 1 + 7 + 2));
  CHECK(byte == 0x77);
  tlm::tlm_generic_payload p;
  p.set_address(kBase);
  tlm::tlm_dmi dmi;
  CHECK_FALSE(rig.llc.socket()->get_direct_mem_ptr(p, dmi));
}

TEST_CASE("a request for another channel receives an address error") {
  Rig rig;
  const auto i = rig.llc.add(rig.request(ns(10), 0x1000));
  const ExpectReport refused(report::kBadPayload);
  sc_core::sc_start(to_sc_time(us(1)));
  CHECK(rig.llc.result(i).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.dram.stats().errors == 1);
  CHECK(rig.dram.idle());
  CHECK(rig.pool.live() == 0);
}

TEST_CASE("the channel stands random traffic, stalls and resets") {
  Rig rig({}, ports(2));
  ConformanceTraffic traffic;
  traffic.base = kBase;
  traffic.lines = 4096;
  traffic.prepare = rig.prepare();
  run_conformance(rig.conformance(), traffic);
}

TEST_CASE("a reset leaves no byte, no open row and no count") {
  Rig rig;
  ScriptedRequest w = rig.request(ns(10), address(1, 1), true);
  w.data.assign(kLine, 0x5a);
  rig.llc.add(w);
  rig.run();
  rig.dram.reset();
  rig.llc.reset();
  CHECK(rig.dram.stats().commands.writes == 0);
  const std::uint64_t n = rig.dram.clock().cycle_from(now()) + 10;
  const auto r = rig.at_edge(n, address(1, 1));
  CHECK(run_until_done(rig.conformance(), us(10)));
  CHECK(rig.llc.result(r).begin_resp == rig.edge(n + 7 + 1 + 7 + 2));
  CHECK(rig.llc.result(r).data == std::vector<unsigned char>(kLine, 0));
}

TEST_CASE("statistics can be read in a window of their own") {
  Rig rig;
  rig.at_edge(10, address(0, 0));
  rig.run();
  CHECK(rig.dram.stats().commands.reads == 1);
  StatisticsRegistry registry;
  rig.dram.register_statistics(registry);
  registry.begin_window();
  const auto json = registry.to_json();
  CHECK(json["dram"]["reads"] == 0);
  CHECK(json["dram"]["bus_utilisation"] == 0.0);
}

TEST_CASE("a configuration that does not fit its address map is refused, with every fault") {
  PlainMap map;
  map.shape().banks_per_channel = 8;
  DramConfig c;
  c.queue_entries = 0;
  CHECK_THROWS_WITH(DramChannel("dram", c, map, ChannelId(0), 1),
                    Catch::Contains("queue_entries") && Catch::Contains("address map's 8"));
}

TEST_CASE("every parameter is described, and its default is legal") {
  DramConfig c;
  ParameterLister lister;
  describe(lister, c);
  CHECK(lister.parameters().size() == 30);
  for (const ListedParameter& p : lister.parameters()) {
    INFO(p.info.name);
    CHECK_FALSE(p.info.description.empty());
    if (p.kind == "integer") {
      CHECK(p.value->get<double>() >= p.info.min);
      CHECK(p.value->get<double>() <= p.info.max);
    }
  }
  ParameterReader reader({setting_from_argument("row_policy=closed"),
                          setting_from_argument("t_wtr_l=9"),
                          setting_from_argument("refresh=true")});
  describe(reader, c);
  CHECK_NOTHROW(reader.throw_if_failed());
  CHECK(c.row_policy == RowPolicy::kClosed);
  CHECK(c.t_wtr_l == 9);
  CHECK(c.refresh);
}

}  // namespace tessera::dram_channel_test
