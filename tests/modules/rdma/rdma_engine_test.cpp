// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/rdma_engine.h"

#include <catch2/catch.hpp>

#include "modules/kernel/sc_time.h"
#include "tests/modules/rdma/rdma_rig.h"

namespace tessera::rdma_engine_test {

namespace {

using namespace tessera::test;  // NOLINT

constexpr RemoteAccessMode kFine{true, true, false, false};
constexpr RemoteAccessMode kCoalesced{true, true, true, false};

void run_until(Tick t) { sc_core::sc_start(to_sc_time(t - now())); }

RdmaRigConfig with(const RemoteAccessMode& transfer) {
  RdmaRigConfig c;
  c.transfer = transfer;
  return c;
}

}  // namespace

// The memory responds 10 ns and a femtosecond after a request's arrival: at the 11th edge after it.

TEST_CASE("RDMA: a lone load goes there and back in four passages, 12 bytes and 68") {
  RdmaRig rig;
  const auto i = rig.sm(0).add(load_at(ns(100), 0x1000));
  run_until(us(1));
  REQUIRE(rig.memory(1).arrivals().size() == 1);
  CHECK(rig.memory(1).arrivals()[0].at == ns(102));
  CHECK(rig.sm(0).result(i).begin_resp == ns(115));
  CHECK(rig.memory(0).arrivals().empty());
  for (unsigned b = 0; b < 64; ++b) {
    CHECK(rig.sm(0).result(i).data[b] == ScriptedTarget::initial_byte(0x1000 + b));
  }
  const RdmaStats& a = rig.rdma(0).stats();
  const RdmaStats& b = rig.rdma(1).stats();
  CHECK(a.requests_out == 1);
  CHECK(a.reads_out == 1);
  CHECK(b.requests_in == 1);
  CHECK(a.packets_out_request == 1);
  CHECK(b.packets_out_response == 1);
  CHECK(a.bytes_out_request == 12);
  CHECK(b.bytes_out_line == 68);
  CHECK(b.bytes_out_fine_grained + b.bytes_out_coalesced + b.bytes_out_ack == 0);
  rig.check_all_done();
}

TEST_CASE("RDMA: latency_cycles is paid at each of the four passages") {
  RdmaRigConfig config;
  config.rdma.latency_cycles = 3;
  RdmaRig rig(config);
  const auto i = rig.sm(0).add(load_at(ns(100), 0x1000));
  run_until(us(1));
  CHECK(rig.memory(1).arrivals()[0].at == ns(106));
  CHECK(rig.sm(0).result(i).begin_resp == ns(117 + 6));
}

TEST_CASE("RDMA: an arrival between edges counts from the next edge") {
  RdmaRig rig;
  const auto i = rig.sm(0).add(load_at(ns(100) + ps(1), 0x1000));
  run_until(us(1));
  CHECK(rig.memory(1).arrivals()[0].at == ns(103));
  CHECK(rig.sm(0).result(i).begin_resp == ns(116));
}

TEST_CASE("RDMA: stores, write-backs and atomics carry their bytes and get a header back") {
  RdmaRig rig;
  AtomicOperands operands;
  operands.type = AtomicType::kU32;
  operands.count = 5;
  rig.sm(0).add(write_at(ns(100), 0x1000, RequestKind::kStore, 4, 9));
  rig.sm(0).add(write_at(ns(200), 0x1040, RequestKind::kWriteBack, 37));
  ScriptedRequest atomic = write_at(ns(300), 0x1080, RequestKind::kAtomic, 64);
  atomic.prepare = [&](Transaction& x) {
    x.request().kind = RequestKind::kAtomic;
    x.request().atomics = &operands;
  };
  rig.sm(0).add(atomic);
  run_until(ns(190));
  CHECK(rig.rdma(0).stats().bytes_out_request == 12 + 4);
  CHECK(rig.rdma(1).stats().bytes_out_ack == 4);
  CHECK(rig.sm(0).result(0).begin_resp == ns(115));
  CHECK(rig.memory(1).byte(0x1003) == 9);
  CHECK(rig.memory(1).byte(0x1004) == ScriptedTarget::initial_byte(0x1004));
  run_until(ns(290));
  CHECK(rig.rdma(0).stats().bytes_out_request == 16 + 12 + 40);
  CHECK(rig.rdma(1).stats().bytes_out_ack == 8);
  run_until(us(1));
  CHECK(rig.rdma(0).stats().bytes_out_request == 68 + 12 + 20);
  CHECK(rig.rdma(1).stats().bytes_out_ack == 8 + 4 + 20);
  CHECK(rig.rdma(1).stats().bytes_out_line == 0);
  CHECK(rig.rdma(0).stats().writes_out == 2);
  CHECK(rig.rdma(0).stats().atomics_out == 1);
  CHECK(rig.rdma(0).stats().reads_out == 0);
  CHECK(rig.rdma(0).stats().remote_reads_served == 0);
  CHECK(rig.sm(0).result(2).begin_resp == ns(315));
  rig.check_all_done();
}

TEST_CASE("RDMA: a fine-grained response brings its pieces and nothing else") {
  RdmaRig rig(with(kFine));
  const auto i = rig.sm(0).add(fine_load_at(ns(100), 0x1000, 0x8002));
  run_until(us(1));
  CHECK(rig.sm(0).result(i).begin_resp == ns(115));
  CHECK(rig.rdma(1).stats().bytes_out_fine_grained == 4 + 8);
  CHECK(rig.rdma(1).stats().bytes_out_line == 0);
  for (unsigned b = 0; b < 64; ++b) {
    INFO(b);
    const bool came = (b >= 4 && b < 8) || b >= 60;
    CHECK(rig.sm(0).result(i).data[b] ==
          (came ? ScriptedTarget::initial_byte(0x1000 + b) : RdmaEngine::kPoison));
  }
}

TEST_CASE("RDMA: with granules of 16 bytes more travels, and no more may be used") {
  RdmaRigConfig config = with(kFine);
  config.rdma.transfer_bytes = 16;
  RdmaRig rig(config);
  const auto i = rig.sm(0).add(fine_load_at(ns(100), 0x1000, 0x0003));
  run_until(us(1));
  CHECK(rig.rdma(1).stats().bytes_out_fine_grained == 4 + 16);
  CHECK(rig.sm(0).result(i).data[7] == ScriptedTarget::initial_byte(0x1007));
  CHECK(rig.sm(0).result(i).data[8] == RdmaEngine::kPoison);
}

TEST_CASE("RDMA: where no values travel nothing is written into the payload") {
  RdmaRig rig(with(kFine));
  ScriptedRequest r = fine_load_at(ns(100), 0x1000, 1);
  r.prepare = [](Transaction& x) {
    x.request().fine_grained = true;
    x.request().word_mask = 1;
    x.request().carries_data = false;
  };
  const auto i = rig.sm(0).add(r);
  run_until(us(1));
  REQUIRE(rig.sm(0).result(i).responded_at());
  CHECK(rig.sm(0).result(i).data[63] != RdmaEngine::kPoison);
}

TEST_CASE("RDMA: a lone coalesced response waits exactly its 30 cycles") {
  RdmaRig rig(with(kCoalesced));
  const auto i = rig.sm(0).add(fine_load_at(ns(100), 0x1000, 0x0001));
  run_until(us(1));
  CHECK(rig.sm(0).result(i).begin_resp == ns(115 + 30));
  const RdmaStats& b = rig.rdma(1).stats();
  CHECK(b.timeouts == 1);
  CHECK(b.bytes_out_fine_grained == 8);  // alone, its id stands in the header
  CHECK(b.coalesced_packets == 0);
  CHECK(b.responses_per_packet.count() == 1);
  CHECK(b.responses_per_packet.sum() == 1);
  // Request: at 100 ready, at 101 there. Response: at 113 ready, at 144 there.
  CHECK(b.link_request_cycles == 1);
  CHECK(rig.rdma(0).stats().link_response_cycles == 31);
  CHECK(rig.rdma(0).stats().remote_reads_served == 1);
  rig.check_all_done();
}

TEST_CASE("RDMA: figure 9, ten responses of one piece share one packet of 64 bytes") {
  RdmaRig rig(with(kCoalesced));
  for (unsigned k = 0; k < 10; ++k) {
    ScriptedRequest r = fine_load_at(ns(100 + k), 0x1000 + 64 * k, 1U << k);
    const auto set = r.prepare;
    r.prepare = [set](Transaction& x) {
      set(x);
      x.request().stamps[static_cast<std::size_t>(Hop::kIssued)] = now() + 1 - ns(7);
    };
    rig.sm(0).add(r);
  }
  run_until(us(1));
  const RdmaStats& a = rig.rdma(0).stats();
  const RdmaStats& b = rig.rdma(1).stats();
  CHECK(b.packets_out_response == 1);
  CHECK(b.bytes_out_coalesced == 64);
  CHECK(b.bytes_out_fine_grained + b.bytes_out_line == 0);
  CHECK(b.coalesced_packets == 1);
  CHECK(b.coalesced_responses == 10);
  CHECK(b.timeouts == 0);
  // The last response is ready at 122, the packet is there at 123; one response a cycle is handed
  // over.
  for (unsigned k = 0; k < 10; ++k) {
    INFO(k);
    CHECK(rig.sm(0).result(k).begin_resp == ns(124 + k));
    CHECK(rig.sm(0).result(k).data[4 * k] == ScriptedTarget::initial_byte(0x1000 + 64 * k + 4 * k));
    CHECK(rig.sm(0).result(k).data[(4 * k + 4) % 64] == RdmaEngine::kPoison);
  }
  CHECK(a.link_response_cycles == 55);  // 10 + 9 + ... + 1
  CHECK(b.link_request_cycles == 10);
  CHECK(a.pre_link_cycles == 70);
  CHECK(a.remote_reads_served == 10);
  CHECK(a.remote_read_words.sum() == 10);
  CHECK(a.remote_read_words.bucket(1) == 10);
  rig.check_all_done();
}

TEST_CASE("RDMA: a response of more than ten pieces travels as a line, and does not wait") {
  RdmaRig rig(with(kCoalesced));
  const auto eleven = rig.sm(0).add(fine_load_at(ns(100), 0x1000, 0x07FF));
  const auto ten = rig.sm(0).add(fine_load_at(ns(200), 0x1040, 0x03FF));
  run_until(us(1));
  CHECK(rig.sm(0).result(eleven).begin_resp == ns(115));
  CHECK(rig.sm(0).result(ten).begin_resp == ns(215));  // fills a packet
  CHECK(rig.rdma(1).stats().bytes_out_line == 68);
  CHECK(rig.rdma(1).stats().bytes_out_fine_grained == 4 + 40);
  CHECK(rig.rdma(1).stats().timeouts == 0);
  CHECK(rig.sm(0).result(eleven).data[43] == ScriptedTarget::initial_byte(0x1000 + 43));
  CHECK(rig.sm(0).result(eleven).data[44] == RdmaEngine::kPoison);
}

TEST_CASE("RDMA: lines and acknowledgements pass responses that wait to be coalesced") {
  RdmaRig rig(with(kCoalesced));
  const auto fine = rig.sm(0).add(fine_load_at(ns(100), 0x1000, 1));
  const auto line = rig.sm(0).add(load_at(ns(101), 0x1040));
  const auto store = rig.sm(0).add(write_at(ns(102), 0x1080, RequestKind::kStore, 64));
  run_until(us(1));
  CHECK(rig.sm(0).result(line).begin_resp == ns(116));
  CHECK(rig.sm(0).result(store).begin_resp == ns(117));
  CHECK(rig.sm(0).result(fine).begin_resp == ns(145));
}

TEST_CASE("RDMA: a full staging buffer sends what it has") {
  RdmaRigConfig config = with(kCoalesced);
  config.rdma.staging_entries = 2;
  RdmaRig rig(config);
  for (unsigned k = 0; k < 4; ++k) rig.sm(0).add(fine_load_at(ns(100 + k), 64 * k, 1));
  run_until(us(1));
  CHECK(rig.sm(0).result(0).begin_resp == ns(116));
  CHECK(rig.sm(0).result(1).begin_resp == ns(117));
  CHECK(rig.sm(0).result(2).begin_resp == ns(118));
  CHECK(rig.sm(0).result(3).begin_resp == ns(119));
  CHECK(rig.rdma(1).stats().coalesced_packets == 2);
  CHECK(rig.rdma(1).stats().timeouts == 0);
  CHECK(rig.rdma(1).stats().bytes_out_coalesced == 2 * (4 + 12));
}

TEST_CASE("RDMA: of two packets that are due at once, one leaves its staging buffer a cycle") {
  RdmaRigConfig config = with(kCoalesced);
  config.gpus = 3;
  config.fabric = true;
  RdmaRig rig(config);
  // All loads go to GPU 1: from GPU 0, whose requests go there by themselves, and from GPU 2.
  const auto lone = rig.sm(0).add(load_at(ns(100), 0x1000));
  const auto timed_out = rig.sm(0).add(fine_load_at(ns(500), 0x1040, 1));
  ScriptedRequest r = fine_load_at(ns(530), 0x1080, 0x03FF);
  r.prepare = [set = std::move(r.prepare)](Transaction& x) {
    set(x);
    x.request().set_home(Home(SliceId(1), 0), x.get_address());
  };
  const auto full = rig.sm(2).add(r);
  const auto line = rig.sm(0).add(load_at(ns(531), 0x10C0));
  run_until(us(1));
  const Tick way = rig.sm(0).result(lone).begin_resp - ns(100);
  CHECK(rig.sm(0).result(timed_out).begin_resp == ns(500 + 30) + way);
  // The line's response comes in the next cycle and is taken before the second packet is made. The
  // test's fabric takes a packet every other cycle.
  CHECK(rig.sm(0).result(line).begin_resp == ns(530 + 2) + way);
  CHECK(rig.sm(2).result(full).begin_resp == ns(530 + 4) + way);
  rig.check_all_done();
}

TEST_CASE("RDMA: coalescing begins and ends when RemoteTransfer says so") {
  RdmaRig rig(with(kFine));
  for (unsigned k = 0; k < 3; ++k) rig.sm(0).add(fine_load_at(ns(100 + 100 * k), 64 * k, 1));
  run_until(ns(150));
  rig.transfer = kCoalesced;
  run_until(ns(214));
  // What waits when coalescing ends still leaves in time.
  rig.transfer = RemoteAccessMode{};
  rig.transfer.fine_grained = true;
  run_until(us(1));
  CHECK(rig.sm(0).result(0).begin_resp == ns(115));
  CHECK(rig.sm(0).result(1).begin_resp == ns(245));
  CHECK(rig.sm(0).result(2).begin_resp == ns(315));
}

TEST_CASE("RDMA: a response goes to the port that its request came by, one a cycle each") {
  RdmaRigConfig config = with(kCoalesced);
  config.ports = 2;
  RdmaRig rig(config);
  for (unsigned k = 0; k < 10; ++k) {
    rig.sm(0).add(fine_load_at(ns(100 + k), 64 * k, 1, k < 4 ? 0 : 1));
  }
  run_until(us(1));
  for (unsigned k = 0; k < 10; ++k) {
    INFO(k);
    CHECK(rig.sm(0).result(k).begin_resp == ns(124 + (k < 4 ? k : k - 4)));
  }
}

TEST_CASE("RDMA: requests of all ports share one packet a cycle, by age, then by port") {
  RdmaRigConfig config;
  config.ports = 3;
  RdmaRig rig(config);
  for (unsigned p = 3; p-- > 0;) rig.sm(0).add(load_at(ns(100), 64 * p, p));
  run_until(us(1));
  const auto& arrivals = rig.memory(1).arrivals();
  REQUIRE(arrivals.size() == 3);
  for (unsigned p = 0; p < 3; ++p) {
    CHECK(arrivals[p].at == ns(102 + p));
    CHECK(arrivals[p].address == 64 * p);
  }
  // The second waited one cycle for the link, the third two.
  CHECK(rig.rdma(1).stats().link_request_cycles == 1 + 2 + 3);
}

TEST_CASE("RDMA: room for one outgoing packet is enough for one a cycle, either way") {
  RdmaRigConfig config;
  config.ports = 3;
  config.rdma.outgoing_depth = 1;
  RdmaRig rig(config);
  for (unsigned p = 0; p < 3; ++p) rig.sm(0).add(load_at(ns(100), 64 * p, p));
  run_until(ns(102) + ps(500));
  // The second and the third response then come with the first.
  rig.memory(1).config().latency = ns(9);
  run_until(ns(103) + ps(500));
  rig.memory(1).config().latency = ns(8);
  run_until(us(1));
  for (unsigned p = 0; p < 3; ++p) {
    INFO(p);
    CHECK(rig.memory(1).arrivals().at(p).at == ns(102 + p));
    CHECK(rig.sm(0).result(p).begin_resp == ns(115 + p));
  }
  rig.check_all_done();
}

TEST_CASE("RDMA: a stuck home fills the buffers on the way, and responses still come") {
  RdmaRigConfig config;
  config.rdma.port_depth = 2;
  config.rdma.outgoing_depth = 2;
  RdmaRig rig(config);
  rig.memory(1).stall_until(us(2));
  for (unsigned k = 0; k < 12; ++k) rig.sm(0).add(load_at(ns(100), 64 * k));
  const auto other = rig.sm(1).add(load_at(ns(500), 0x1000));
  run_until(us(1));
  // One at the memory, two before it, two that wait for the fabric, two before the engine.
  CHECK(rig.sm(0).result(5).end_req != kNever);
  CHECK(rig.sm(0).result(6).begin_req != kNever);
  CHECK(rig.sm(0).result(6).end_req == kNever);
  CHECK(rig.sm(0).result(7).begin_req == kNever);
  CHECK(rig.sm(1).result(other).begin_resp == ns(515));
  std::vector<Waiting> waiting;
  rig.describe_waiting(waiting);
  const auto items = [&](const std::string& queue) {
    for (const Waiting& w : waiting) {
      if (w.queue == queue) return w.items;
    }
    return std::size_t{0};
  };
  CHECK(items("rdma0.from_local") == 2);
  CHECK(items("rdma0.outgoing_requests") == 2);
  CHECK(items("rdma0.awaiting") == 5);
  CHECK(items("rdma1.from_fabric") == 2);
  CHECK(items("rdma1.serving") == 1);
  CHECK_FALSE(rig.rdma(0).idle());
  CHECK_FALSE(rig.rdma(1).idle());
  run_until(us(4));
  CHECK(rig.sm(0).done());
  rig.check_all_done();
}

TEST_CASE("RDMA: a port that takes no responses holds up no other") {
  RdmaRigConfig config;
  config.ports = 2;
  config.rdma.port_depth = 1;
  RdmaRig rig(config);
  rig.sm(0).stall_responses_until(us(2));
  for (unsigned k = 0; k < 4; ++k) rig.sm(0).add(load_at(ns(100 + 20 * k), 64 * k, 0));
  const auto home = rig.sm(1).add(load_at(ns(300), 0x1000));
  run_until(us(1));
  // One has been handed over and not ended, three stand at the port; none is in anybody's way.
  CHECK(rig.rdma(0).stats().remote_reads_served == 4);
  CHECK(rig.rdma(1).stats().packets_out_response == 4);
  CHECK(rig.sm(1).result(home).begin_resp == ns(315));
  run_until(us(4));
  rig.check_all_done();
}

TEST_CASE("RDMA: responses that come with the request's return path are packed like others") {
  RdmaRigConfig config;
  config.memory.style = RequestStyle::kComplete;
  config.rdma.port_depth = 1;
  RdmaRig rig(config);
  for (unsigned k = 0; k < 6; ++k) rig.sm(0).add(load_at(ns(100 + k), 64 * k));
  run_until(us(1));
  CHECK(rig.sm(0).done());
  rig.check_all_done();
}

TEST_CASE("RDMA: figure 6, reads that an infinite buffer would merge, until the kernel's end") {
  RdmaRigConfig config;
  config.rdma.ideal_coalescing = true;
  RdmaRig rig(config);
  for (const std::uint64_t line : {0, 1, 0, 0, 2}) rig.sm(0).add(load_at(ns(100), 64 * line));
  rig.sm(0).add(write_at(ns(200), 64, RequestKind::kStore, 64));
  run_until(us(1));
  CHECK(rig.rdma(0).stats().mergeable_reads == 2);
  rig.rdma(0).kernel_ended();
  rig.sm(0).add(load_at(us(1) + ns(1), 0));
  rig.sm(0).add(load_at(us(1) + ns(2), 0));
  run_until(us(2));
  CHECK(rig.rdma(0).stats().mergeable_reads == 3);
  CHECK(rig.rdma(1).stats().mergeable_reads == 0);
}

TEST_CASE("RDMA: blocking and debug accesses go straight to the home slices") {
  RdmaRig rig;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  rig.memory(1).set_byte(0x80, 0x5A);
  Transaction& x = rig.pool.acquire();
  x.set_line(tlm::TLM_READ_COMMAND, 0x80, 64);
  CHECK(rig.sm(0).socket(0)->transport_dbg(x) == 64);
  CHECK(x.data()[0] == 0x5A);
  x.data()[0] = 0;
  x.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  rig.sm(0).socket(0)->b_transport(x, delay);
  CHECK(x.data()[0] == 0x5A);
  CHECK(delay.value() == ns(4) + rig.memory(1).config().latency);
  tlm::tlm_dmi dmi;
  CHECK_FALSE(rig.sm(0).socket(0)->get_direct_mem_ptr(x, dmi));
  x.release();
}

TEST_CASE("RDMA: a role that is not whole is named") {
  PacketPool packets;
  RemoteAccessMode transfer;
  RdmaEngineSite role;
  role.gpus = 1;
  role.ports = 1;
  role.packets = &packets;
  role.transfer = &transfer;
  CHECK_THROWS_AS(RdmaEngine("rdma", RdmaConfig{}, role), sc_core::sc_report);
}

}  // namespace tessera::rdma_engine_test
