// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/posted_channels.h"

#include <catch2/catch.hpp>
#include <vector>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/link_packet.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/modules/protocol/sockets.h"
#include "tests/support/expect_report.h"

namespace tessera::posted_channels_test {

using namespace tessera::test;

namespace {

/// A sender and a receiver of two entries, with the checker between them; now() is 1000.
struct Posted {
  PacketPool pool;
  BareInitiator initiator{"initiator"};
  ProtocolChecker check{"check"};
  BareTarget target{"target"};
  PostedSender sender;
  PostedReceiver receiver{2};
  Tick occupancy = 20;
  LinkPacket& a = pool.acquire();
  LinkPacket& b = pool.acquire();
  LinkPacket& c = pool.acquire();

  Posted() {
    initiator.socket.bind(check.target);
    check.initiator.bind(target.socket);
    target.on_forward = [this](tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay) {
      return receiver.begin(p, phase, delay, occupancy);
    };
    initiator.on_backward = [this](tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) { return sender.end(p, phase, delay); };
    sc_core::sc_start(to_sc_time(1000));
    sender.bind(initiator.socket.operator->());
    receiver.bind(target.socket.operator->());
  }
};

}  // namespace

TEST_CASE_METHOD(Posted, "a posted packet that is taken at once is complete when its tail is in") {
  sender.send(a, 5);
  CHECK(target.seen == std::vector<Phase>{{&a, tlm::BEGIN_REQ, 1005}});
  CHECK(sender.free_at() == 1025);
  CHECK_FALSE(sender.free(1024));
  CHECK(sender.free(1025));
  CHECK(sender.waiting_for() == nullptr);
  CHECK(a.get_ref_count() == 1);
  CHECK(a.get_response_status() == tlm::TLM_OK_RESPONSE);
  CHECK(receiver.used() == 1);
  CHECK(initiator.seen.empty());
  CHECK(check.outstanding() == 0);
}

TEST_CASE_METHOD(Posted, "a full receiver completes a posted packet when an entry is freed") {
  sender.send(a, 5);
  sender.send(b, 25);
  CHECK(receiver.withholding());
  CHECK(sender.free_at() == kNever);
  CHECK(sender.waiting_for() == &b);
  CHECK(check.outstanding() == 1);
  b.release();  // the sender's own reference keeps it
  CHECK(b.get_ref_count() == 1);
  CHECK(pool.live() == 3);
  sc_core::sc_start(to_sc_time(500));
  receiver.release();
  CHECK(initiator.seen == std::vector<Phase>{{&b, tlm::BEGIN_RESP, 1501}});
  CHECK(pool.live() == 2);
  CHECK(check.outstanding() == 0);
  CHECK_FALSE(receiver.withholding());
  CHECK(receiver.used() == 1);
  CHECK(sender.free_at() == 1501);
  CHECK_FALSE(sender.free(1600));  // notified at this instant, usable at the next
  sc_core::sc_start(to_sc_time(1));
  CHECK(sender.free(1501));
  sender.send(c, 10);  // fills the buffer again; its tail is in at 1531
  receiver.release();
  CHECK(initiator.seen.back() == Phase{&c, tlm::BEGIN_RESP, 1531});
  CHECK(sender.free_at() == 1531);
}

TEST_CASE_METHOD(Posted, "a packet is incomplete again at its next hop") {
  sender.send(a, 5);
  sender.send(a, 25);  // the checker would report a status that is not incomplete
  CHECK(check.requests() == 2);
}

TEST_CASE_METHOD(Posted, "posted halves that are reset hold nothing") {
  sender.send(a, 5);
  sender.send(b, 25);
  sender.reset();
  receiver.reset();
  check.reset();
  CHECK(b.get_ref_count() == 1);
  CHECK(sender.free(0));
  CHECK(sender.waiting_for() == nullptr);
  CHECK(receiver.used() == 0);
  CHECK_FALSE(receiver.withholding());
  for (LinkPacket* p : {&a, &b, &c}) p->release();
  CHECK(pool.live() == 0);
}

TEST_CASE_METHOD(Posted, "phases that posted packets do not have are protocol errors") {
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay = to_sc_time(1);
  CHECK_THROWS_WITH(receiver.begin(a, phase, delay, 0), Catch::Contains("END_RESP"));
  CHECK(receiver.used() == 0);
  receiver.begin(a, tlm::BEGIN_REQ, delay, 0);
  receiver.begin(b, tlm::BEGIN_REQ, delay, 0);
  CHECK_THROWS_WITH(receiver.begin(c, tlm::BEGIN_REQ, delay, 0),
                    Catch::Contains(report::kProtocol));

  target.on_forward = accept;
  sender.send(a, 5);
  CHECK_THROWS_WITH(sender.end(a, tlm::END_REQ, delay), Catch::Contains("END_REQ"));
  CHECK_THROWS_WITH(sender.end(b, tlm::BEGIN_RESP, delay), Catch::Contains("BEGIN_RESP"));
  CHECK(sender.waiting_for() == &a);
  sender.end(a, tlm::BEGIN_RESP, delay);
  sc_core::sc_start(to_sc_time(10));
  target.on_forward = response(tlm::TLM_UPDATED, tlm::END_REQ);
  CHECK_THROWS_WITH(sender.send(c, 5), Catch::Contains("END_REQ"));
  check_asserts([&] { sender.send(b, 0); });  // needs a delay
}

TEST_CASE_METHOD(Posted, "a payload that is no packet is found out") {
  CHECK(&link_packet_of(a) == &a);
  tlm::tlm_generic_payload other;
  CHECK_THROWS_WITH(link_packet_of(other), Catch::Contains(report::kNotAPacket));
}

}  // namespace tessera::posted_channels_test
