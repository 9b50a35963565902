// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/crossbar.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "common/json.h"
#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "tests/modules/noc/noc_rig.h"
#include "tests/support/expect_report.h"

namespace tessera::crossbar_test {

namespace {

using namespace tessera::test;  // NOLINT

constexpr unsigned kReadFlits = 1;  // 8 B
constexpr unsigned kLineFlits = 9;  // 136 B over 16 B

/// A lone read and its response, cycle by cycle.
void check_lone_read(unsigned ports, unsigned stages) {
  CrossbarRig rig(ports, ports);
  const auto i = rig.send(1'000, 0, ports - 1);
  rig.run_for(3'000);
  REQUIRE(rig.slice.arrivals().size() == 1);
  const auto& arrival = rig.slice.arrivals()[0];
  CHECK(arrival.port == ports - 1);
  CHECK(arrival.at == rig.clock.time_of(1'000 + stages * 4 + kReadFlits));
  // Tail of the 8-byte packet in: one cycle.
  CHECK(rig.sm.result(i).end_req == rig.clock.time_of(1'000 + kReadFlits));

  const Tick response = arrival.at + rig.slice.config().latency + rig.slice.config().response_delay;
  const Cycle head = rig.clock.cycle_from(response);
  CHECK(rig.sm.result(i).begin_resp == rig.clock.time_of(head + stages * 4 + kLineFlits));
  CHECK(rig.sm.result(i).request.route_depth() == 0);
  check_drained(rig.conformance());

  CHECK(rig.dut.zero_load_latency(136) == rig.clock.time_of(stages * 4 + kLineFlits));
  CHECK(rig.dut.requests().packets == 1);
  CHECK(rig.dut.requests().bytes == 8);
  CHECK(rig.dut.requests().egress_bytes[ports - 1] == 8);
  CHECK(rig.dut.requests().latency.sum() == stages * 4 + kReadFlits);
  CHECK(rig.dut.responses().bytes == 136);
  CHECK(rig.dut.responses().flits == kLineFlits);
  CHECK(rig.dut.responses().egress_busy_cycles[0] == kLineFlits);
  CHECK(rig.dut.responses().latency.sum() == stages * 4 + kLineFlits);
  CHECK(rig.dut.responses().series.total() == 136);
}

/// Sends stores of a whole line from each entry, one behind the other without a gap, as an L1 or
/// a slice with a one-cycle output does.
class FullSpeed final : public sc_core::sc_module {
 public:
  FullSpeed(sc_core::sc_module_name name, Crossbar& dut, TransactionPool& pool,
            std::function<unsigned(unsigned)> exit_of, Cycle until)
      : sc_module(name), pool_(pool), exit_of_(std::move(exit_of)), until_(until) {
    for (unsigned i = 0; i < dut.in.size(); ++i) {
      ports_.push_back(std::make_unique<Port>(*this, i));
      sockets_.push_back(
          std::make_unique<tlm::tlm_initiator_socket<>>(("out" + std::to_string(i)).c_str()));
      sockets_.back()->bind(*ports_.back());
      sockets_.back()->bind(dut.in[i]);
    }
    wake_.bind<&FullSpeed::work>(*this);
    wake_.at(0);
  }
  std::uint64_t sent = 0;
  std::uint64_t responded_at = 0;

 private:
  struct Port final : tlm::tlm_bw_transport_if<> {
    Port(FullSpeed& o, unsigned i) : owner(o), index(i) {}
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
      const Tick at = now() + delay.value();
      sender.end_request(payload, at);
      owner.wake_.at(owner.clock_.after(at, 0));
      if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
      ++owner.responded_at;
      payload.release();
      return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    FullSpeed& owner;
    unsigned index;
    RequestSender sender;
  };

  void end_of_elaboration() override {
    for (auto& p : ports_) p->sender.bind(sockets_[p->index]->operator->());
  }
  void work() {
    const Tick t = now();
    if (clock_.cycle_at(t) >= until_) return;
    const Tick delay = clock_.after(t, 1) - t;
    for (auto& p : ports_) {
      if (p->sender.free(t + delay)) {
        Transaction& x = pool_.acquire();
        const unsigned exit = exit_of_(p->index);
        x.set_line(tlm::TLM_WRITE_COMMAND, std::uint64_t{exit} * kLine, kLine);
        x.request().kind = RequestKind::kStore;
        x.request().useful_bytes = kLine;
        x.request().set_home(Home(SliceId(exit)), x.get_address());
        ++sent;
        p->sender.send(x, delay);
      }
      // One cycle before the channel is free, the next may be on its way.
      const Tick free = p->sender.free_at();
      if (free != kNever)
        wake_.at(std::max(clock_.time_of(clock_.cycle_from(free) - 1), clock_.after(t, 1)));
    }
  }

  TransactionPool& pool_;
  std::function<unsigned(unsigned)> exit_of_;
  Cycle until_;
  ClockDomain clock_{NocConfig{}.clock_hz};
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<std::unique_ptr<tlm::tlm_initiator_socket<>>> sockets_;
  ProcessTimer wake_;
};

ScriptedTargetConfig fast_target(unsigned ports) {
  ScriptedTargetConfig c;
  c.ports = ports;
  c.latency = 1'000'000;
  c.capacity = 64;
  return c;
}

void check_full_speed(unsigned ports, const std::function<unsigned(unsigned)>& exit_of,
                      double bound_in_links) {
  TransactionPool pool;
  Crossbar dut("xbar", {}, ports, ports, interleaved(ports));
  ScriptedTarget slice("slice", fast_target(ports));
  for (unsigned i = 0; i < ports; ++i) dut.out[i].bind(slice.socket(i));
  FullSpeed sm("sm", dut, pool, exit_of, 8'000);
  const ClockDomain clock(NocConfig{}.clock_hz);
  sc_core::sc_start(to_sc_time(clock.time_of(2'000)));
  const std::uint64_t before = dut.requests().bytes;
  sc_core::sc_start(to_sc_time(clock.time_of(5'000)));
  const auto bytes = static_cast<double>(dut.requests().bytes - before);
  // A packet of 136 bytes takes nine cycles of 16.
  const double bound = bound_in_links * 5'000 * 136 / kLineFlits;
  CHECK(bytes >= 0.9 * bound);
  CHECK(bytes <= bound + bound_in_links * 136);
  for (const Counter busy : dut.requests().egress_busy_cycles) CHECK(busy <= 7'000 + kLineFlits);
  sc_core::sc_start(to_sc_time(clock.time_of(60'000)));
  CHECK(sm.responded_at == sm.sent);
  CHECK(dut.idle());
  CHECK(pool.live() == 0);
}

/// A target that stalls: everything on the way fills exactly, then END_REQ stays out.
void check_back_pressure(unsigned ports, unsigned stages) {
  CrossbarRig rig(ports, ports);
  rig.slice.config().capacity = 1;
  rig.slice.stall_until(rig.clock.time_of(3'000));
  const unsigned sent = 40;
  for (unsigned n = 0; n < sent; ++n) rig.send(10, 0, ports - 1, true, n);
  rig.run_for(2'000);
  // The first is at the target, which withholds its END_REQ; then two packets of nine flits in
  // each buffer of 18 (a switch's input each, and the exit's); two stand at the entry, one of them
  // with its END_REQ withheld.
  const unsigned begun = 1 + 2 * (stages + 1) + 2;
  REQUIRE(rig.slice.arrivals().size() == 1);
  for (unsigned n = 0; n < sent; ++n) {
    CAPTURE(n);
    CHECK((rig.sm.result(n).begin_req != kNever) == (n < begun));
    CHECK((rig.sm.result(n).end_req != kNever) == (n + 1 < begun));
  }
  std::vector<Waiting> waiting;
  rig.dut.describe_waiting(waiting);
  REQUIRE(waiting.size() == stages + 2);
  CHECK(waiting[0].queue == "xbar.request.ingress0");
  CHECK(waiting[0].items == 2);
  CHECK(waiting[1].queue == "xbar.request.stage0.switch0.in0");
  CHECK(waiting[1].items == 2);
  CHECK(waiting.back().queue == "xbar.request.egress" + std::to_string(ports - 1));

  REQUIRE(run_until_done(rig.conformance(), ns(1'000'000)));
  REQUIRE(rig.slice.arrivals().size() == sent);
  for (unsigned n = 0; n < sent; ++n) {
    CHECK(rig.slice.arrivals()[n].address == (std::uint64_t{n} * ports + ports - 1) * kLine);
  }
  check_each_completed_once(rig.conformance(), tlm::TLM_OK_RESPONSE);
  check_drained(rig.conformance());
}

/// Switches of radix 4, with a speedup and virtual output queues.
NocConfig fast_switches() {
  NocConfig noc;
  noc.radix = 4;
  noc.internal_speedup = 3;
  noc.input_queues = InputQueues::kVirtualOutput;
  noc.arbitration_iterations = 2;
  return noc;
}

NocConfig small_switches() {
  NocConfig noc;
  noc.radix = 4;
  return noc;
}

void check_senders(const NocConfig& noc) {
  // The same traffic in two crossbars; in the second, the SMs are other modules, made in reverse.
  constexpr unsigned kPorts = 9;
  TransactionPool pool;
  Crossbar a("a", noc, kPorts, kPorts, interleaved(kPorts));
  Crossbar b("b", noc, kPorts, kPorts, interleaved(kPorts));
  ScriptedTargetConfig tc;
  tc.ports = kPorts;
  // Slow by its occupancy, not by its capacity: the scripted target says END_REQ an instant sooner
  // or later when BEGIN_REQ meets the freeing of an entry.
  tc.capacity = 1'000;
  tc.occupancy = ns(8);
  ScriptedTarget ta("ta", tc), tb("tb", tc);
  std::vector<std::unique_ptr<ScriptedInitiator>> sa(kPorts), sb(kPorts);
  for (unsigned i = 0; i < kPorts; ++i) {
    sa[i] = std::make_unique<ScriptedInitiator>(("sa" + std::to_string(i)).c_str(), pool);
  }
  for (unsigned i = kPorts; i-- > 0;) {
    sb[i] = std::make_unique<ScriptedInitiator>(("sb" + std::to_string(i)).c_str(), pool);
  }
  for (unsigned i = 0; i < kPorts; ++i) {
    sa[i]->socket(0).bind(a.in[i]);
    sb[i]->socket(0).bind(b.in[i]);
    a.out[i].bind(ta.socket(i));
    b.out[i].bind(tb.socket(i));
    for (unsigned n = 0; n < 200; ++n) {
      ScriptedRequest r;
      r.at = ns(10 + n);
      r.address = (n * 7 + i * n % 5) % 31 * kLine;
      r.command = (n + i) % 3 == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
      if (r.command == tlm::TLM_WRITE_COMMAND) r.data.assign(kLine, 1);
      r.prepare = [](Transaction& x) { set_home(x, kPorts); };
      sa[i]->add(r);
      sb[i]->add(r);
    }
  }
  sc_core::sc_start(to_sc_time(us(100)));
  for (unsigned i = 0; i < kPorts; ++i) {
    REQUIRE(sa[i]->outstanding() == 0);
    for (unsigned n = 0; n < 200; ++n) {
      CAPTURE(i, n);
      CHECK(sa[i]->result(n).begin_req == sb[i]->result(n).begin_req);
      CHECK(sa[i]->result(n).end_req == sb[i]->result(n).end_req);
      CHECK(sa[i]->result(n).begin_resp == sb[i]->result(n).begin_resp);
    }
  }
  // Every arrival at every slice, to the instant.
  const auto times = [](const ScriptedTarget& t) {
    std::vector<std::vector<Tick>> by_port(kPorts);
    for (const auto& x : t.arrivals()) by_port[x.port].push_back(x.at);
    return by_port;
  };
  for (unsigned i = 0; i < kPorts; ++i) {
    CAPTURE(i);
    const auto pa = times(ta)[i], pb = times(tb)[i];
    for (std::size_t n = 0; n < pa.size(); ++n) {
      CAPTURE(n);
      CHECK(pa[n] == pb[n]);
    }
  }
  StatisticsRegistry ra, rb;
  a.register_statistics(ra);
  b.register_statistics(rb);
  const auto ja = ra.to_json()["a"], jb = rb.to_json()["b"];
  for (const auto& [key, value] : ja.items()) {
    CAPTURE(key);
    CHECK(value == jb[key]);
  }
}

}  // namespace

TEST_CASE("a lone read through one switch takes the sum of its parts") { check_lone_read(8, 1); }

TEST_CASE("a lone read through two stages of eight switches takes the sum of its parts") {
  check_lone_read(64, 2);
}

TEST_CASE("a store's packet grows with its bytes and is acknowledged by a header") {
  CrossbarRig rig(64, 64);
  const auto i = rig.send(500, 5, 6, true);
  rig.run_for(3'000);
  CHECK(rig.sm.result(i).end_req == rig.clock.time_of(500 + kLineFlits));
  REQUIRE(rig.slice.arrivals().size() == 1);
  const Tick at = rig.slice.arrivals()[0].at;
  CHECK(at == rig.clock.time_of(500 + 8 + kLineFlits));
  const Cycle head = rig.clock.cycle_from(at + rig.slice.config().latency + 1);
  CHECK(rig.sm.result(i).begin_resp == rig.clock.time_of(head + 8 + 1));
}

TEST_CASE("of two stores to one slice the second arrives later by its serialisation") {
  CrossbarRig rig(64, 64);
  rig.send(500, 9, 6, true);
  rig.send(500, 3, 6, true);
  rig.run_for(3'000);
  REQUIRE(rig.slice.arrivals().size() == 2);
  CHECK(rig.slice.arrivals()[0].at == rig.clock.time_of(500 + 8 + kLineFlits));
  CHECK(rig.slice.arrivals()[1].at == rig.clock.time_of(500 + 8 + 2 * kLineFlits));
}

TEST_CASE("an arrival between two clock edges counts from the next edge") {
  CrossbarRig rig(8, 8);
  ScriptedRequest r;
  r.at = rig.clock.time_of(500);
  r.prepare = [](Transaction& x) { set_home(x, 8); };
  rig.sm.add(r);  // arrives 1 fs after the edge
  rig.run_for(2'000);
  REQUIRE(rig.slice.arrivals().size() == 1);
  CHECK(rig.slice.arrivals()[0].at == rig.clock.time_of(501 + 4 + 1));
}

TEST_CASE("a stalled slice fills one stage's buffers and holds back the sender") {
  check_back_pressure(8, 1);
}

TEST_CASE("a stalled slice fills two stages' buffers and holds back the sender") {
  check_back_pressure(64, 2);
}

TEST_CASE("an SM that accepts no responses holds back the slices, and nothing is lost") {
  CrossbarRig rig(8, 8);
  rig.sm.stall_responses_until(us(3));
  for (unsigned n = 0; n < 64; ++n) rig.send(10, 0, n % 4, false, n);
  for (unsigned n = 0; n < 16; ++n) rig.send(10, 1, 5, false, n);
  rig.run_for(3'000);
  for (unsigned n = 64; n < 80; ++n) CHECK(rig.sm.result(n).request.route_depth() == 0);
  REQUIRE(run_until_done(rig.conformance(), us(1'000)));
  check_each_completed_once(rig.conformance(), tlm::TLM_OK_RESPONSE);
  check_drained(rig.conformance());
}

TEST_CASE("responses that come early and find no room hold back their slice's requests") {
  ScriptedTargetConfig target;
  target.style = RequestStyle::kComplete;
  target.latency = 1;
  CrossbarRig rig(8, 8, {}, target);
  rig.sm.stall_responses_until(us(3));
  for (unsigned n = 0; n < 20; ++n) rig.send(10, 0, 3, false, n);
  rig.run_for(3'000);
  // One response is at the SM, two are in the egress port's buffer, two at the switch, one waits.
  CHECK(rig.slice.arrivals().size() == 6);
  REQUIRE(run_until_done(rig.conformance(), us(1'000)));
  check_each_completed_once(rig.conformance(), tlm::TLM_OK_RESPONSE);
  check_drained(rig.conformance());
}

TEST_CASE("a permutation through one switch keeps every link full") {
  check_full_speed(
      8, [](unsigned e) { return (e + 3) % 8; }, 8);
}

TEST_CASE("a permutation without conflicts keeps every link of two stages full") {
  check_full_speed(
      64, [](unsigned e) { return e % 8 * 8 + e / 8; }, 64);
}

TEST_CASE("streams from every entry to one slice keep its link full") {
  check_full_speed(
      64, [](unsigned) { return 40U; }, 1);
}

TEST_CASE("one switch conforms under random traffic, stalls and styles") {
  check_conformance<CrossbarRig>(6, 4, {});
}

TEST_CASE("two stages conform under random traffic, stalls and styles") {
  NocConfig noc;
  noc.radix = 4;
  noc.input_buffer_flits = 9;
  check_conformance<CrossbarRig>(9, 11, noc);
}

TEST_CASE("one switch with speedup and virtual queues conforms under random traffic and stalls") {
  NocConfig noc = fast_switches();
  noc.radix = 8;
  check_conformance<CrossbarRig>(6, 4, noc);
}

TEST_CASE("two stages with speedup and virtual queues conform under random traffic and stalls") {
  NocConfig noc = fast_switches();
  noc.input_buffer_flits = 9;
  check_conformance<CrossbarRig>(9, 11, noc);
}

TEST_CASE("requests of one entry to one slice stay in order under random stalls") {
  check_order_under_stalls<CrossbarRig>(12, small_switches(), 3'000);
}

TEST_CASE("with speedup and virtual queues, requests to one slice stay in order under stalls") {
  check_order_under_stalls<CrossbarRig>(12, fast_switches(), 3'000);
}

TEST_CASE("results do not depend on which sender runs first") { check_senders(small_switches()); }

TEST_CASE("with speedup and virtual queues, results do not depend on which sender runs first") {
  check_senders(fast_switches());
}

TEST_CASE("blocking and debug accesses find their exit, and direct access is denied") {
  CrossbarRig rig(64, 64);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Transaction& x = rig.pool.acquire();
  x.set_line(tlm::TLM_READ_COMMAND, 70 * kLine, kLine);
  x.request().set_home(Home(SliceId(6)), 70 * kLine);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  rig.sm.socket(3)->b_transport(x, delay);
  CHECK(x.get_response_status() == tlm::TLM_OK_RESPONSE);
  CHECK(delay.value() ==
        rig.clock.time_of(8 + 1) + rig.slice.config().latency + rig.clock.time_of(8 + kLineFlits));
  CHECK(x.data()[5] == ScriptedTarget::initial_byte(70 * kLine + 5));
  CHECK(x.request().route_depth() == 0);

  rig.slice.set_byte(70 * kLine, 42);
  CHECK(rig.sm.socket(3)->transport_dbg(x) == kLine);
  CHECK(x.data()[0] == 42);
  tlm::tlm_dmi dmi;
  CHECK_FALSE(rig.sm.socket(3)->get_direct_mem_ptr(x, dmi));
  CHECK(rig.dut.idle());
  CHECK(rig.dut.requests().packets == 0);
  x.release();

  // A foreign payload, without the extension, is routed by its address.
  tlm::tlm_generic_payload plain;
  std::vector<unsigned char> bytes(kLine);
  plain.set_command(tlm::TLM_READ_COMMAND);
  plain.set_address(70 * kLine);
  plain.set_data_ptr(bytes.data());
  plain.set_data_length(kLine);
  plain.set_streaming_width(kLine);
  plain.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  delay = sc_core::SC_ZERO_TIME;
  rig.sm.socket(3)->b_transport(plain, delay);
  CHECK(plain.get_response_status() == tlm::TLM_OK_RESPONSE);
  CHECK(bytes[0] == 42);
}

TEST_CASE("a request that is routed nowhere gets an address error") {
  TransactionPool pool;
  Crossbar dut("xbar", {}, 1, 1, {[](const MemoryRequest&) { return 1U; }, {}});
  ScriptedInitiator sm("sm", pool);
  ScriptedTarget slice("slice");
  sm.socket(0).bind(dut.in[0]);
  dut.out[0].bind(slice.socket(0));
  const auto i = sm.load(ns(5), 0);
  const ExpectReport refused(report::kBadPayload);
  sc_core::sc_start(to_sc_time(ns(100)));
  CHECK(sm.result(i).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(slice.arrivals().empty());
  CHECK(dut.idle());
  CHECK(pool.live() == 0);
}

TEST_CASE("a configuration with faults is refused with all of them") {
  NocConfig noc;
  noc.stage_latency = 0;
  CHECK_THROWS_WITH(Crossbar("xbar", noc, 65, 1, interleaved(1)),
                    Catch::Contains("stage_latency") && Catch::Contains("65 ingress ports"));
}

}  // namespace tessera::crossbar_test
