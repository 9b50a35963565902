// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/protocol_checker.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/transaction_pool.h"
#include "tests/modules/protocol/sockets.h"
#include "tests/support/expect_report.h"
#include "tests/support/scripted_initiator.h"

namespace tessera::protocol_checker_test {

using namespace tessera::test;

namespace {

/// A hand-driven initiator and target with a checker between them, and two payloads.
struct Fixture {
  TransactionPool pool;
  BareInitiator initiator{"initiator"};
  ProtocolChecker checker{"checker"};
  BareTarget target{"target"};
  Transaction* a = nullptr;
  Transaction* b = nullptr;

  Fixture() {
    initiator.socket.bind(checker.target);
    checker.initiator.bind(target.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    a = &make(0x1000);
    b = &make(0x2000);
  }
  Transaction& make(std::uint64_t address, tlm::tlm_command command = tlm::TLM_READ_COMMAND) {
    Transaction& t = pool.acquire();
    t.set_line(command, address, 128);
    t.request().carries_data = true;
    return t;
  }
  void run(Tick t) { sc_core::sc_start(to_sc_time(t)); }
  void begin(Transaction& t, Tick delay = 10) { initiator.forward(t, tlm::BEGIN_REQ, delay); }
  void end_req(Transaction& t, Tick delay = 10) { target.backward(t, tlm::END_REQ, delay); }
  void respond(Transaction& t, Tick delay = 20) {
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    target.backward(t, tlm::BEGIN_RESP, delay);
  }
  void end_resp(Transaction& t, Tick delay = 20) { initiator.forward(t, tlm::END_RESP, delay); }

  /// `action` must break exactly one rule, whose words contain `rule`.
  void breaks(const std::string& rule, const std::function<void()>& action) {
    ExpectReport guard(report::kProtocol, 1);
    action();
    CHECK_THAT(guard.message(), Catch::Contains(rule));
    CHECK_THAT(guard.message(), Catch::StartsWith("checker: "));
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "the full handshake passes, unchanged and in no time") {
  begin(*a);
  CHECK(checker.outstanding() == 1);
  CHECK_THAT(checker.describe_outstanding(), Catch::Contains("0x1000 awaits END_REQ"));
  end_req(*a);
  CHECK_THAT(checker.describe_outstanding(), Catch::Contains("awaits BEGIN_RESP"));
  begin(*b);
  respond(*a);
  CHECK_THAT(checker.describe_outstanding(), Catch::Contains("awaits END_RESP"));
  end_resp(*a);
  end_req(*b);
  respond(*b);
  end_resp(*b);
  CHECK(checker.outstanding() == 0);
  CHECK(checker.requests() == 2);
  CHECK(checker.responses() == 2);
  CHECK(target.seen == std::vector<Phase>{{a, tlm::BEGIN_REQ, 10},
                                          {b, tlm::BEGIN_REQ, 10},
                                          {a, tlm::END_RESP, 20},
                                          {b, tlm::END_RESP, 20}});
  CHECK(initiator.seen == std::vector<Phase>{{a, tlm::END_REQ, 10},
                                             {a, tlm::BEGIN_RESP, 20},
                                             {b, tlm::END_REQ, 10},
                                             {b, tlm::BEGIN_RESP, 20}});
}

TEST_CASE_METHOD(Fixture, "early completions on the return path pass") {
  target.on_forward = response(tlm::TLM_UPDATED, tlm::END_REQ, 5);
  begin(*a);
  initiator.on_backward = response(tlm::TLM_COMPLETED, tlm::END_RESP);
  respond(*a);
  CHECK(checker.outstanding() == 0);

  begin(*b, 20);
  initiator.on_backward = response(tlm::TLM_UPDATED, tlm::END_RESP);
  respond(*b, 40);
  CHECK(checker.outstanding() == 0);

  Transaction& c = make(0x3000);
  target.on_forward = [](tlm::tlm_generic_payload& p, tlm::tlm_phase&, sc_core::sc_time& d) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    d += to_sc_time(100);
    return tlm::TLM_COMPLETED;
  };
  begin(c, 30);
  CHECK(checker.outstanding() == 0);

  Transaction& d = make(0x4000);
  target.on_forward = [](tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) {
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
    p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    phase = tlm::BEGIN_RESP;
    t += to_sc_time(1);
    return tlm::TLM_UPDATED;
  };
  begin(d, 200);
  CHECK(checker.outstanding() == 1);
  end_resp(d, 300);
  CHECK(checker.outstanding() == 0);
  CHECK(checker.responses() == 4);
}

TEST_CASE_METHOD(Fixture, "a BEGIN_RESP stands for an END_REQ that has not come") {
  begin(*a);
  respond(*a);
  begin(*b, 30);
  end_resp(*a, 40);
  CHECK(checker.outstanding() == 1);
}

TEST_CASE_METHOD(Fixture, "phases sent within a call are seen in order") {
  target.on_forward = [this](tlm::tlm_generic_payload&, tlm::tlm_phase& p, sc_core::sc_time&) {
    if (p == tlm::BEGIN_REQ) {
      end_req(*a, 10);
      respond(*a, 20);
    }
    return tlm::TLM_ACCEPTED;
  };
  initiator.on_backward = [](tlm::tlm_generic_payload&, tlm::tlm_phase& p, sc_core::sc_time&) {
    if (p == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    p = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  };
  begin(*a);
  CHECK(checker.outstanding() == 0);
}

TEST_CASE_METHOD(Fixture, "a second BEGIN_REQ before END_REQ is reported") {
  begin(*a);
  breaks("the request before it still awaits END_REQ", [&] { begin(*b); });
}

TEST_CASE_METHOD(Fixture, "a BEGIN_REQ before END_REQ is in effect is reported") {
  begin(*a);
  end_req(*a, 50);
  breaks("before END_REQ of the request before it takes effect", [&] { begin(*b, 49); });
}

TEST_CASE_METHOD(Fixture, "a transaction begun twice is reported") {
  begin(*a);
  end_req(*a);
  breaks("the transaction is already under way", [&] { begin(*a); });
}

TEST_CASE_METHOD(Fixture, "a second END_REQ is reported") {
  begin(*a);
  end_req(*a);
  breaks("END_REQ came before", [&] { end_req(*a); });
}

TEST_CASE_METHOD(Fixture, "an END_REQ twice, by call and on the return path, is reported") {
  target.on_forward = [this](tlm::tlm_generic_payload&, tlm::tlm_phase& p, sc_core::sc_time&) {
    end_req(*a);
    p = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  };
  breaks("END_REQ came before", [&] { begin(*a); });
}

TEST_CASE_METHOD(Fixture, "an END_REQ after BEGIN_RESP is reported") {
  begin(*a);
  respond(*a);
  breaks("BEGIN_RESP came before", [&] { end_req(*a, 30); });
}

TEST_CASE_METHOD(Fixture, "an END_REQ for a transaction never begun is reported") {
  breaks("not under way", [&] { end_req(*a); });
}

TEST_CASE_METHOD(Fixture, "a second response before END_RESP is reported") {
  begin(*a);
  end_req(*a);
  begin(*b);
  end_req(*b);
  respond(*a);
  breaks("the response before it still awaits END_RESP", [&] { respond(*b); });
}

TEST_CASE_METHOD(Fixture, "a response before END_RESP of the last is in effect is reported") {
  begin(*a);
  end_req(*a);
  begin(*b);
  end_req(*b);
  respond(*a);
  end_resp(*a, 60);
  breaks("before END_RESP of the response before it takes effect", [&] { respond(*b, 59); });
}

TEST_CASE_METHOD(Fixture, "a second BEGIN_RESP is reported") {
  begin(*a);
  respond(*a);
  breaks("BEGIN_RESP came before", [&] { respond(*a, 30); });
}

TEST_CASE_METHOD(Fixture, "an END_RESP without BEGIN_RESP is reported") {
  begin(*a);
  end_req(*a);
  breaks("there was no BEGIN_RESP", [&] { end_resp(*a); });
}

TEST_CASE_METHOD(Fixture, "a phase after completion is reported") {
  begin(*a);
  initiator.on_backward = response(tlm::TLM_COMPLETED, tlm::END_RESP);
  respond(*a);
  breaks("END_RESP of the transaction at 0x1000: the transaction is not under way",
         [&] { end_resp(*a); });
  breaks("BEGIN_RESP of the transaction at 0x1000: the transaction is not under way", [&] {
    initiator.on_backward = accept;
    respond(*a);
  });
}

TEST_CASE_METHOD(Fixture, "a response to BEGIN_REQ after the transaction's end is reported") {
  initiator.on_backward = response(tlm::TLM_COMPLETED, tlm::END_RESP);
  target.on_forward = [this](tlm::tlm_generic_payload&, tlm::tlm_phase& p, sc_core::sc_time&) {
    respond(*a);
    p = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  };
  breaks("completed before this response to its BEGIN_REQ", [&] { begin(*a); });
}

TEST_CASE_METHOD(Fixture, "a response for a payload that has begun anew meanwhile is reported") {
  initiator.on_backward = response(tlm::TLM_COMPLETED, tlm::END_RESP);
  bool first = true;
  target.on_forward = [&](tlm::tlm_generic_payload&, tlm::tlm_phase& p, sc_core::sc_time&) {
    if (!first) return tlm::TLM_ACCEPTED;
    first = false;
    respond(*a);
    a->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    begin(*a, 30);
    p = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  };
  breaks("completed before this response to its BEGIN_REQ", [&] { begin(*a); });
}

TEST_CASE_METHOD(Fixture, "a completion after BEGIN_RESP is reported") {
  target.on_forward = [this](tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
    respond(*a);
    return tlm::TLM_COMPLETED;
  };
  breaks("TLM_COMPLETED of the transaction at 0x1000: BEGIN_RESP came before", [&] { begin(*a); });
  CHECK(checker.outstanding() == 0);
}

TEST_CASE_METHOD(Fixture, "a response to BEGIN_RESP after END_RESP is reported") {
  begin(*a);
  initiator.on_backward = [this](tlm::tlm_generic_payload&, tlm::tlm_phase& p, sc_core::sc_time&) {
    end_resp(*a);
    p = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  };
  breaks("completed before this response to BEGIN_RESP", [&] { respond(*a); });
}

TEST_CASE_METHOD(Fixture, "phases in the wrong direction are reported") {
  breaks("an initiator sends BEGIN_REQ and END_RESP only",
         [&] { initiator.forward(*a, tlm::END_REQ); });
  breaks("a target sends END_REQ and BEGIN_RESP only", [&] { target.backward(*a, tlm::END_RESP); });
  target.on_forward = response(tlm::TLM_UPDATED, tlm::END_RESP);
  breaks("only END_REQ or BEGIN_RESP can follow BEGIN_REQ", [&] { begin(*a); });
}

TEST_CASE_METHOD(Fixture, "wrong responses to BEGIN_RESP, END_REQ and END_RESP are reported") {
  begin(*a);
  initiator.on_backward = response(tlm::TLM_UPDATED, tlm::END_REQ);
  breaks("only TLM_ACCEPTED can be returned for END_REQ", [&] { end_req(*a); });
  initiator.on_backward = response(tlm::TLM_UPDATED, tlm::BEGIN_REQ);
  breaks("only END_RESP can follow BEGIN_RESP", [&] { respond(*a); });
  target.on_forward = response(tlm::TLM_UPDATED, tlm::BEGIN_RESP);
  breaks("no phase can follow it", [&] { end_resp(*a); });
}

TEST_CASE_METHOD(Fixture, "a delay that goes back is reported, at every phase") {
  begin(*a, 100);
  breaks("END_REQ of the transaction at 0x1000: it takes effect at", [&] { end_req(*a, 99); });
  respond(*a, 200);
  breaks("END_RESP of the transaction at 0x1000: it takes effect at", [&] { end_resp(*a, 199); });
  target.on_forward = [](tlm::tlm_generic_payload&, tlm::tlm_phase& p, sc_core::sc_time& d) {
    p = tlm::END_REQ;
    d = to_sc_time(399);
    return tlm::TLM_UPDATED;
  };
  breaks("END_REQ of the transaction at 0x2000: it takes effect at", [&] { begin(*b, 400); });
  run(200);
  breaks("BEGIN_RESP of the transaction at 0x2000: it takes effect at", [&] { respond(*b, 199); });
  Transaction& c = make(0x3000);
  target.on_forward = [](tlm::tlm_generic_payload& p, tlm::tlm_phase&, sc_core::sc_time& d) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    d = to_sc_time(599);
    return tlm::TLM_COMPLETED;
  };
  breaks("TLM_COMPLETED of the transaction at 0x3000: it takes effect at", [&] { begin(c, 600); });
}

TEST_CASE_METHOD(Fixture, "Tessera wants a delay on BEGIN_REQ and BEGIN_RESP") {
  breaks("BEGIN_REQ of the transaction at 0x1000: its delay must be greater than zero",
         [&] { begin(*a, 0); });
  run(10);
  breaks("BEGIN_RESP of the transaction at 0x1000: its delay must be greater than zero",
         [&] { respond(*a, 0); });
}

TEST_CASE("the rule of delays can be left out for foreign blocks") {
  TransactionPool pool;
  BareInitiator initiator("initiator");
  ProtocolChecker checker("checker", {false});
  BareTarget target("target");
  initiator.socket.bind(checker.target);
  checker.initiator.bind(target.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Transaction& t = pool.acquire();
  t.set_line(tlm::TLM_READ_COMMAND, 0, 4);
  initiator.forward(t, tlm::BEGIN_REQ);
  t.set_response_status(tlm::TLM_OK_RESPONSE);
  target.backward(t, tlm::BEGIN_RESP);
  initiator.forward(t, tlm::END_RESP);
  CHECK(checker.outstanding() == 0);
}

TEST_CASE_METHOD(Fixture, "each unsound attribute of a new request is reported") {
  const auto broken = [&](const std::string& rule, const std::function<void(Transaction&)>& f) {
    Transaction& t = make(0x5000);
    f(t);
    breaks(rule, [&] { begin(t); });
    checker.reset();
  };
  broken("DMI hint", [](Transaction& t) { t.set_dmi_allowed(true); });
  broken("response status must begin",
         [](Transaction& t) { t.set_response_status(tlm::TLM_OK_RESPONSE); });
  broken("data length is 0", [](Transaction& t) { t.set_data_length(0); });
  broken("streaming width is 0", [](Transaction& t) { t.set_streaming_width(0); });
  broken("data pointer is null", [](Transaction& t) { t.set_data_ptr(nullptr); });
  unsigned char enables = 0xFF;
  broken("byte enables of length 0", [&](Transaction& t) { t.set_byte_enable_ptr(&enables); });
}

TEST_CASE_METHOD(Fixture, "a payload that is not counted, or not held, is reported") {
  unsigned char data[4];
  tlm::tlm_generic_payload loose;
  loose.set_data_ptr(data);
  loose.set_data_length(4);
  loose.set_streaming_width(4);
  breaks("no memory manager", [&] { initiator.forward(loose, tlm::BEGIN_REQ, 10); });
  checker.reset();
  loose.set_mm(&pool);
  breaks("reference count 0", [&] { initiator.forward(loose, tlm::BEGIN_REQ, 10); });
}

TEST_CASE_METHOD(Fixture, "a response without a status is reported") {
  begin(*a);
  breaks("a response needs a status", [&] { target.backward(*a, tlm::BEGIN_RESP, 20); });
  checker.reset();
  target.on_forward = response(tlm::TLM_COMPLETED, tlm::BEGIN_RESP);
  breaks("a response needs a status", [&] { begin(*b); });
}

TEST_CASE_METHOD(Fixture, "each attribute that is not restored on the response is reported") {
  const auto broken = [&](const std::string& rule, const std::function<void(Transaction&)>& f) {
    Transaction& t = make(0x5000, tlm::TLM_WRITE_COMMAND);
    t.set_byte_mask(ByteMask::range(4, 8));
    begin(t);
    f(t);
    breaks(rule, [&] { respond(t); });
    checker.reset();
  };
  unsigned char other[128] = {};
  broken("command", [](Transaction& t) { t.set_command(tlm::TLM_IGNORE_COMMAND); });
  broken("the address is not what it was at BEGIN_REQ, 0x5000",
         [](Transaction& t) { t.set_address(0x40); });
  broken("data pointer", [&](Transaction& t) { t.set_data_ptr(other); });
  broken("byte enable pointer", [&](Transaction& t) {
    std::copy_n(t.get_byte_enable_ptr(), 128, other);
    t.set_byte_enable_ptr(other);
  });
  broken("streaming width", [](Transaction& t) { t.set_streaming_width(64); });
  broken("content", [](Transaction& t) { t.data()[5] ^= 1; });
  broken("content", [](Transaction& t) { t.get_byte_enable_ptr()[0] ^= 1; });

  // Loads and stores without values may say what they like.
  Transaction& load = make(0x6000);
  load.data()[0] = 1;
  begin(load);
  load.data()[0] = 2;
  respond(load);
  checker.reset();
  Transaction& shorter = make(0x7000);
  begin(shorter);
  shorter.set_data_length(64);
  breaks("data length", [&] { respond(shorter); });
  checker.reset();
  Transaction& unmasked = make(0x7000);
  unmasked.set_byte_mask(ByteMask::first(64));
  unmasked.get_byte_enable_ptr()[127] = 0;
  begin(unmasked);
  unmasked.set_byte_enable_length(127);
  breaks("byte enable length", [&] { respond(unmasked); });
}

TEST_CASE_METHOD(Fixture, "an address may change between a checker's two sides' neighbours") {
  // What a router does behind the checker is restored before the response passes it.
  target.on_forward = [](tlm::tlm_generic_payload& p, tlm::tlm_phase&, sc_core::sc_time&) {
    p.set_address(0x77);
    return tlm::TLM_ACCEPTED;
  };
  begin(*a);
  end_req(*a);
  a->set_address(0x1000);
  respond(*a);
  CHECK(checker.responses() == 1);
}

TEST_CASE_METHOD(Fixture, "what is open at the end of simulation is reported") {
  begin(*a);
  ExpectReport guard(report::kInFlight, 1);
  sc_core::sc_stop();
  CHECK_THAT(guard.message(), Catch::Contains("checker: request 1 at 0x1000 awaits END_REQ"));
}

TEST_CASE_METHOD(Fixture, "a blocking transport is checked, and passed on") {
  sc_core::sc_time delay = to_sc_time(5);
  target.on_blocking = [](tlm::tlm_generic_payload& p, sc_core::sc_time& d) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    d += to_sc_time(7);
  };
  initiator.socket->b_transport(*a, delay);
  CHECK(delay == to_sc_time(12));
  target.on_blocking = nullptr;
  breaks("b_transport of the transaction at 0x2000: a response needs a status",
         [&] { initiator.socket->b_transport(*b, delay); });
  b->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  target.on_blocking = [](tlm::tlm_generic_payload& p, sc_core::sc_time& d) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    d = sc_core::SC_ZERO_TIME;
  };
  breaks("the annotated delay went back", [&] { initiator.socket->b_transport(*b, delay); });
}

TEST_CASE_METHOD(Fixture, "debug transport and direct memory pass through") {
  tlm::tlm_dmi dmi;
  CHECK(initiator.socket->transport_dbg(*a) == 128);
  CHECK(initiator.socket->get_direct_mem_ptr(*a, dmi));
  CHECK(dmi.get_start_address() == 7);
  target.socket->invalidate_direct_mem_ptr(9, 10);
  CHECK(initiator.invalidated == 9);
}

TEST_CASE_METHOD(Fixture, "an unexpected protocol error throws out of the simulation") {
  begin(*a);
  CHECK_THROWS_WITH(begin(*b), Catch::Contains("/tessera/core/protocol"));
}

}  // namespace tessera::protocol_checker_test
