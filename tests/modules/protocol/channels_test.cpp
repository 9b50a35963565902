// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/channels.h"

#include <catch2/catch.hpp>
#include <optional>
#include <vector>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/transaction_pool.h"
#include "tests/modules/protocol/sockets.h"
#include "tests/support/expect_report.h"
#include "tests/support/scripted_initiator.h"

namespace tessera::channels_test {

using namespace tessera::test;

namespace {

struct Pair {
  TransactionPool pool;
  BareInitiator initiator{"initiator"};
  BareTarget target{"target"};
  Transaction* a = nullptr;
  Transaction* b = nullptr;

  Pair() {
    initiator.socket.bind(target.socket);
    sc_core::sc_start(to_sc_time(1000));  // now() == 1000
    a = &pool.acquire();
    b = &pool.acquire();
  }
};

struct Response {
  tlm::tlm_sync_enum sync;
  tlm::tlm_phase phase;
  Tick at;
};

/// What a receiver's begin() says to a packet that arrives `delay` from now.
template <class Receiver>
Response begin(Receiver& receiver, Transaction& t, tlm::tlm_phase phase, Tick delay,
               Tick occupancy) {
  sc_core::sc_time d = to_sc_time(delay);
  const tlm::tlm_sync_enum sync = receiver.begin(t, phase, d, occupancy);
  return {sync, phase, now() + d.value()};
}

}  // namespace

TEST_CASE_METHOD(Pair, "a request accepted early frees the channel at END_REQ's time") {
  RequestSender sender;
  sender.bind(initiator.socket.operator->());
  CHECK(sender.free(0));
  target.on_forward = response(tlm::TLM_UPDATED, tlm::END_REQ, 30);
  const SendOutcome outcome = sender.send(*a, 5);
  CHECK_FALSE(outcome.responded);
  CHECK(outcome.response_at == kNever);
  CHECK(target.seen == std::vector<Phase>{{a, tlm::BEGIN_REQ, 1005}});
  CHECK(sender.free_at() == 1035);
  CHECK_FALSE(sender.free(1034));
  CHECK(sender.free(1035));
  CHECK(sender.waiting_for() == nullptr);
  check_asserts([&] { sender.send(*b, 5); });  // not free yet
}

TEST_CASE_METHOD(Pair, "a request not accepted holds the channel until its END_REQ") {
  RequestSender sender;
  sender.bind(initiator.socket.operator->());
  CHECK_FALSE(sender.send(*a, 5).responded);
  CHECK(sender.free_at() == kNever);
  CHECK(sender.waiting_for() == a);
  check_asserts([&] { sender.send(*b, 5); });
  sender.end_request(*b, 1200);  // another's END_REQ (a response that implies it) frees nothing
  CHECK(sender.waiting_for() == a);
  sc_core::sc_start(to_sc_time(100));
  sender.end_request(*a, 1300);
  CHECK(sender.waiting_for() == nullptr);
  CHECK(sender.free_at() == 1300);
  CHECK(sender.usable_from() == 1101);
  CHECK_FALSE(sender.free(1300));  // notified at this instant, usable at the next
  sc_core::sc_start(to_sc_time(1));
  CHECK(sender.free(1300));
  CHECK_FALSE(sender.free(1299));
  sender.end_request(*a, 1400);  // its BEGIN_RESP, later
  CHECK(sender.free_at() == 1300);
}

TEST_CASE_METHOD(Pair,
                 "an END_REQ in effect at once lets the next request arrive an instant later") {
  RequestSender sender;
  sender.bind(initiator.socket.operator->());
  sender.send(*a, 5);
  sc_core::sc_start(to_sc_time(100));
  sender.end_request(*a, 1100);
  CHECK(sender.free_at() == 1101);
  CHECK(sender.usable_from() == 1101);
}

TEST_CASE_METHOD(Pair,
                 "a request may be sent while the channel is busy, to arrive when it is free") {
  RequestSender sender;
  sender.bind(initiator.socket.operator->());
  target.on_forward = response(tlm::TLM_UPDATED, tlm::END_REQ, 30);
  sender.send(*a, 5);  // END_REQ at 1035
  check_asserts([&] { sender.send(*b, 34); });
  sender.send(*b, 35);
  CHECK(sender.free_at() == 1065);
}

TEST_CASE_METHOD(Pair, "an END_REQ at its request's instant counts like an early response") {
  // The receiver's process makes room at the instant of the call: before it, or after it.
  RequestReceiver receiver(2);
  receiver.bind(target.socket.operator->());
  target.on_forward = [&](tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                          sc_core::sc_time& delay) { return receiver.begin(p, phase, delay, 20); };
  RequestSender sender;
  sender.bind(initiator.socket.operator->());
  initiator.on_backward = [&](tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                              sc_core::sc_time& delay) {
    sender.end_request(p, now() + delay.value());
    return tlm::TLM_ACCEPTED;
  };
  for (const bool before : {true, false}) {
    sender.reset();
    receiver.reset();
    sc_core::sc_start(to_sc_time(1000));
    sender.send(*a, 5);  // one entry of two is taken
    sc_core::sc_start(to_sc_time(100));
    const Tick called = now();
    if (before) receiver.release();
    sender.send(*b, 5);
    CHECK(receiver.withholding() == !before);
    if (!before) receiver.release();
    CHECK(sender.waiting_for() == nullptr);
    CHECK(sender.free_at() == called + 25);
    CHECK(sender.free(called + 25));
    CHECK(sender.usable_from() <= called);
  }
}

TEST_CASE_METHOD(Pair, "an END_REQ that comes within the call counts") {
  RequestSender sender;
  sender.bind(initiator.socket.operator->());
  target.on_forward = [&](tlm::tlm_generic_payload& p, tlm::tlm_phase&, sc_core::sc_time&) {
    sender.end_request(p, 1100);
    return tlm::TLM_ACCEPTED;
  };
  sender.send(*a, 5);
  CHECK(sender.free_at() == 1100);
}

TEST_CASE_METHOD(Pair, "a request completed at once has its response") {
  RequestSender sender;
  sender.bind(initiator.socket.operator->());
  target.on_forward = response(tlm::TLM_COMPLETED, tlm::BEGIN_REQ, 40);
  const SendOutcome outcome = sender.send(*a, 5);
  CHECK(outcome.responded);
  CHECK(outcome.response_at == 1045);
  CHECK(sender.free_at() == 1045);
  CHECK(target.seen.size() == 1);
}

TEST_CASE_METHOD(Pair, "a response on the return path is ended by the sender") {
  RequestSender sender;
  sender.bind(initiator.socket.operator->());
  target.on_forward = [](tlm::tlm_generic_payload&, tlm::tlm_phase& p, sc_core::sc_time& d) {
    if (p == tlm::END_RESP) return tlm::TLM_COMPLETED;
    p = tlm::BEGIN_RESP;
    d += to_sc_time(40);
    return tlm::TLM_UPDATED;
  };
  const SendOutcome outcome = sender.send(*a, 5);
  CHECK(outcome.responded);
  CHECK(outcome.response_at == 1045);
  CHECK(sender.free_at() == 1045);
  CHECK(target.seen == std::vector<Phase>{{a, tlm::BEGIN_REQ, 1005}, {a, tlm::END_RESP, 1045}});
}

TEST_CASE_METHOD(Pair, "a request needs a delay") {
  RequestSender sender;
  sender.bind(initiator.socket.operator->());
  check_asserts([&] { sender.send(*a, 0); });
  sender.send(*a, 1);
  sender.reset();
  CHECK(sender.free(0));
  CHECK(sender.waiting_for() == nullptr);
}

TEST_CASE_METHOD(Pair,
                 "a request receiver with room responds at once, after the link's occupancy") {
  RequestReceiver receiver(2);
  receiver.bind(target.socket.operator->());
  CHECK(receiver.capacity() == 2);
  const Response first = begin(receiver, *a, tlm::BEGIN_REQ, 5, 20);
  CHECK(first.sync == tlm::TLM_UPDATED);
  CHECK(first.phase == tlm::END_REQ);
  CHECK(first.at == 1025);
  CHECK(receiver.used() == 1);
  const Response last = begin(receiver, *b, tlm::BEGIN_REQ, 25, 20);
  CHECK(last.sync == tlm::TLM_ACCEPTED);
  CHECK(receiver.used() == 2);
  CHECK(receiver.withholding());
  CHECK(initiator.seen.empty());
  Transaction& c = pool.acquire();
  CHECK_THROWS_WITH(begin(receiver, c, tlm::BEGIN_REQ, 5, 0), Catch::Contains(report::kProtocol));
}

TEST_CASE_METHOD(Pair,
                 "a withheld END_REQ comes with the freed entry, not before the link is free") {
  RequestReceiver receiver(1);
  receiver.bind(target.socket.operator->());
  begin(receiver, *a, tlm::BEGIN_REQ, 5, 20);
  receiver.release();  // at once: the link is still busy until 1025
  CHECK(initiator.seen == std::vector<Phase>{{a, tlm::END_REQ, 1025}});
  CHECK_FALSE(receiver.withholding());
  CHECK(receiver.used() == 0);

  begin(receiver, *b, tlm::BEGIN_REQ, 5, 20);
  sc_core::sc_start(to_sc_time(500));  // long after
  receiver.release();
  CHECK(initiator.seen.back() == Phase{b, tlm::END_REQ, 1500});
  check_asserts([&] { receiver.release(); });  // nothing is held
}

TEST_CASE_METHOD(Pair, "an entry freed while none is withheld sends nothing") {
  RequestReceiver receiver(3);
  receiver.bind(target.socket.operator->());
  begin(receiver, *a, tlm::BEGIN_REQ, 5, 0);
  begin(receiver, *b, tlm::BEGIN_REQ, 6, 0);
  receiver.release();
  CHECK(receiver.used() == 1);
  CHECK(initiator.seen.empty());
  receiver.reset();
  CHECK(receiver.used() == 0);
  CHECK_FALSE(receiver.withholding());
}

TEST_CASE_METHOD(Pair, "a response with END_RESP at once frees its channel at END_RESP's time") {
  ResponseSender sender;
  sender.bind(target.socket.operator->());
  for (const tlm::tlm_sync_enum sync : {tlm::TLM_COMPLETED, tlm::TLM_UPDATED}) {
    initiator.on_backward = response(sync, tlm::END_RESP, 12);
    sender.reset();
    sender.send(*a, 3);
    CHECK(sender.free_at() == 1015);
    CHECK(sender.waiting_for() == nullptr);
  }
  CHECK(initiator.seen.front() == Phase{a, tlm::BEGIN_RESP, 1003});
  check_asserts([&] { sender.send(*b, 3); });  // not free yet
  sender.reset();
  check_asserts([&] { sender.send(*b, 0); });  // needs a delay
}

TEST_CASE_METHOD(Pair, "a response without END_RESP holds its channel until its END_RESP") {
  ResponseSender sender;
  sender.bind(target.socket.operator->());
  sender.send(*a, 3);
  CHECK(sender.free_at() == kNever);
  CHECK(sender.waiting_for() == a);
  {
    const ExpectReport stray(report::kProtocol);
    sender.end_response(*b, 1100);
  }
  CHECK(sender.waiting_for() == a);
  sc_core::sc_start(to_sc_time(100));
  sender.end_response(*a, 1200);
  CHECK(sender.free_at() == 1200);
  CHECK(sender.waiting_for() == nullptr);
  CHECK(sender.usable_from() == 1101);
  CHECK_FALSE(sender.free(1200));  // notified at this instant, usable at the next
  sc_core::sc_start(to_sc_time(1));
  CHECK(sender.free(1200));
  CHECK_FALSE(sender.free(1199));
  sender.send(*b, 99);
  sc_core::sc_start(to_sc_time(9));
  sender.end_response(*b, 1110);
  CHECK(sender.free_at() == 1111);
}

TEST_CASE_METHOD(Pair, "a response begun on the return path holds the channel like any other") {
  ResponseSender sender;
  sender.bind(target.socket.operator->());
  sender.begin_on_return_path(*a, 1001);
  CHECK_FALSE(sender.free(kNever - 1));
  CHECK(sender.waiting_for() == a);
  sender.end_response(*a, 1200);
  CHECK(sender.free_at() == 1200);
  sc_core::sc_start(to_sc_time(1));
  check_asserts([&] { sender.begin_on_return_path(*b, 1199); });  // not free yet
  sender.begin_on_return_path(*b, 1200);
}

TEST_CASE_METHOD(Pair, "a response receiver with room completes, after the link's occupancy") {
  ResponseReceiver receiver(ResponseReceiver::kUnlimited);
  receiver.bind(initiator.socket.operator->());
  for (Tick i = 0; i < 100; ++i) {
    const Response r = begin(receiver, *a, tlm::BEGIN_RESP, 5 + i, 20);
    CHECK(r.sync == tlm::TLM_COMPLETED);
    CHECK(r.phase == tlm::END_RESP);
    CHECK(r.at == 1025 + i);
  }
  CHECK(receiver.used() == 100);
  receiver.release();
  CHECK(receiver.used() == 99);
  CHECK(target.seen.empty());
}

TEST_CASE_METHOD(Pair, "a full response receiver withholds END_RESP and keeps the payload") {
  ResponseReceiver receiver(1);
  receiver.bind(initiator.socket.operator->());
  const Response r = begin(receiver, *a, tlm::BEGIN_RESP, 5, 20);
  CHECK(r.sync == tlm::TLM_ACCEPTED);
  CHECK(receiver.withholding());
  CHECK(a->get_ref_count() == 2);
  CHECK_THROWS_WITH(begin(receiver, *b, tlm::BEGIN_RESP, 5, 0), Catch::Contains(report::kProtocol));
  receiver.release();
  CHECK(target.seen == std::vector<Phase>{{a, tlm::END_RESP, 1025}});
  CHECK(a->get_ref_count() == 1);
  CHECK_FALSE(receiver.withholding());

  ResponseReceiver later(1);
  later.bind(initiator.socket.operator->());
  begin(later, *b, tlm::BEGIN_RESP, 5, 20);
  sc_core::sc_start(to_sc_time(500));
  later.release();
  CHECK(target.seen.back() == Phase{b, tlm::END_RESP, 1500});
}

TEST_CASE_METHOD(Pair, "a response receiver that is reset lets go of what it withheld") {
  ResponseReceiver receiver(1);
  receiver.bind(initiator.socket.operator->());
  begin(receiver, *a, tlm::BEGIN_RESP, 5, 20);
  receiver.reset();
  CHECK(a->get_ref_count() == 1);
  CHECK_FALSE(receiver.withholding());
  CHECK(receiver.used() == 0);
  a->release();
  b->release();
  CHECK(pool.live() == 0);
}

}  // namespace tessera::channels_test
