// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/response_port.h"
#include "modules/protocol/transaction_pool.h"
#include "tests/modules/protocol/sockets.h"
#include "tests/support/expect_report.h"

namespace tessera::ports_test {

using namespace tessera::test;

namespace {

constexpr Tick kCycle = 1'000'000;  // of a clock of 1 GHz

using Payload = tlm::tlm_generic_payload;

PayloadRules reads_only() {
  PayloadRules r;
  r.reads = PayloadRules::kEvery;
  return r;
}

/// Two bare sockets, with a port behind one of them.
struct Pair {
  TransactionPool pool;
  BareInitiator initiator{"initiator"};
  BareTarget target{"target"};
  const ClockDomain clock{1'000'000'000};
  ProcessTimer wake;
  Transaction* a = nullptr;
  Transaction* b = nullptr;
  Transaction* c = nullptr;

  Pair() {
    wake.bind<&Pair::process>(*this);
    initiator.socket.bind(target.socket);
    sc_core::sc_start(to_sc_time(1000));  // now() == 1000
    for (Transaction** t : {&a, &b, &c}) {
      *t = &pool.acquire();
      (*t)->set_line(tlm::TLM_READ_COMMAND, 0x1000, 128);
    }
  }
  void process() {}
};

void run_to(Tick t) { sc_core::sc_start(to_sc_time(t - now())); }

struct Result {
  tlm::tlm_sync_enum sync;
  tlm::tlm_phase phase;
  Tick at;  ///< when the phase takes effect
  friend bool operator==(const Result& x, const Result& y) {
    return x.sync == y.sync && x.phase == y.phase && x.at == y.at;
  }
};

struct Responder : Pair {
  PayloadCheck check{reads_only()};
  Counter errors = 0;
  TimedQueue<Payload*> queue;
  std::unique_ptr<ResponsePort<>> port;

  void make(std::size_t capacity, std::uint32_t index = 0, std::uint64_t latency = 0) {
    port = std::make_unique<ResponsePort<>>(clock, wake, queue, capacity, index, latency);
    port->bind(target.socket.operator->());
  }
  Result forward(Transaction& t, tlm::tlm_phase phase, Tick delay) {
    sc_core::sc_time d = to_sc_time(delay);
    const auto sync = port->forward(t, phase, d, check, target.socket, &errors);
    return {sync, phase, now() + d.value()};
  }
  void respond(Transaction& t) {
    port->responses.queue.push(now(), 0, &t);
    REQUIRE(port->responses.next(clock, now()) == now());
    const auto [payload, delay] = port->responses.take(clock, now());
    port->responses.sender.send(*payload, delay);
  }
};

struct Requester : Pair {
  std::unique_ptr<RequestPort<>> port;

  void make(std::size_t capacity = ResponseReceiver::kUnlimited) {
    port = std::make_unique<RequestPort<>>(clock, wake, capacity);
    port->bind(initiator.socket.operator->());
    initiator.on_backward = [this](Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
      return port->backward(p, phase, delay);
    };
  }
  /// Sends what is queued and can be sent now.
  void send(Transaction& t) {
    port->requests.queue.push(now(), 0, &t);
    REQUIRE(port->requests.next(clock, now()) == now());
    const auto [payload, delay] = port->requests.take(clock, now());
    port->send(*payload, delay);
  }
  Result backward(Transaction& t, tlm::tlm_phase phase, Tick delay) {
    sc_core::sc_time d = to_sc_time(delay);
    const auto sync = port->backward(t, phase, d);
    return {sync, phase, now() + d.value()};
  }
};

}  // namespace

// ResponsePort.

TEST_CASE_METHOD(Responder, "a request is due at the clock edge at or after its arrival") {
  make(4, 3);
  // The END_REQ of an early completion takes effect at the arrival, not at the edge.
  CHECK(forward(*a, tlm::BEGIN_REQ, 2 * kCycle) ==
        Result{tlm::TLM_UPDATED, tlm::END_REQ, 1000 + 2 * kCycle});
  CHECK(queue.next_due() == 3 * kCycle);
  CHECK(queue.front_port() == 3);
  CHECK(wake.scheduled_at() == 3 * kCycle);
  forward(*b, tlm::BEGIN_REQ, 2 * kCycle - 1000);  // at an edge
  CHECK(queue.next_due() == 2 * kCycle);
  CHECK(queue.pop() == b);
  CHECK(wake.scheduled_at() == 2 * kCycle);
  CHECK(errors == 0);
}

TEST_CASE_METHOD(Responder, "a request is due the port's latency after its edge") {
  make(4, 0, 9);
  forward(*a, tlm::BEGIN_REQ, 5);
  CHECK(queue.next_due() == 10 * kCycle);
  CHECK(wake.scheduled_at() == 10 * kCycle);
}

TEST_CASE_METHOD(Responder, "ports that share a queue are served in the order of time and port") {
  make(4, 1);
  ResponsePort<> other(clock, wake, queue, 4, 0);
  forward(*a, tlm::BEGIN_REQ, 5);
  forward(*b, tlm::BEGIN_REQ, kCycle);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = to_sc_time(6);
  other.forward(*c, phase, delay, check, target.socket);
  CHECK(queue.pop() == c);
  CHECK(queue.pop() == a);
  CHECK(queue.pop() == b);
}

TEST_CASE_METHOD(Responder, "a full port withholds END_REQ until an entry is released") {
  make(2);
  CHECK(forward(*a, tlm::BEGIN_REQ, 5).sync == tlm::TLM_UPDATED);
  CHECK(forward(*b, tlm::BEGIN_REQ, 7).sync == tlm::TLM_ACCEPTED);
  CHECK(queue.size() == 2);
  CHECK(initiator.seen.empty());
  run_to(kCycle);
  port->release();
  CHECK(initiator.seen == std::vector<Phase>{{b, tlm::END_REQ, kCycle}});
  port->release();
  CHECK(initiator.seen.size() == 1);
}

TEST_CASE_METHOD(Responder, "an early completion lets a response leave in each cycle") {
  make(4);
  initiator.on_backward = response(tlm::TLM_COMPLETED, tlm::END_RESP);
  run_to(kCycle);
  respond(*a);
  CHECK(initiator.seen == std::vector<Phase>{{a, tlm::BEGIN_RESP, 2 * kCycle}});
  port->responses.queue.push(now(), 0, b);
  CHECK(port->responses.next(clock, now()) == 2 * kCycle);
}

TEST_CASE_METHOD(Responder, "END_RESP wakes the process when the next response can be sent") {
  make(4);
  run_to(kCycle);
  respond(*a);
  port->responses.queue.push(now(), 0, b);
  CHECK(port->responses.next(clock, now()) == kNever);
  // In effect at an edge: the response that arrives at the edge after it is sent there.
  run_to(3 * kCycle);
  CHECK(wake.scheduled_at() == kNever);
  CHECK(forward(*a, tlm::END_RESP, 0) == Result{tlm::TLM_COMPLETED, tlm::END_RESP, 3 * kCycle});
  CHECK(wake.scheduled_at() == 4 * kCycle);
}

TEST_CASE_METHOD(Responder, "END_RESP in effect later lets the next response arrive then") {
  make(4);
  run_to(kCycle);
  respond(*a);
  port->responses.queue.push(now(), 0, b);
  run_to(2 * kCycle + 5);
  forward(*a, tlm::END_RESP, 4 * kCycle);  // 6 cycles and 5 fs: arrives at 7
  CHECK(wake.scheduled_at() == 6 * kCycle);
}

TEST_CASE_METHOD(Responder, "without a response to send, END_RESP wakes nobody") {
  make(4);
  run_to(kCycle);
  respond(*a);
  forward(*a, tlm::END_RESP, 5);
  CHECK(wake.scheduled_at() == kNever);
}

TEST_CASE_METHOD(Responder, "a refused request is counted and leaves no trace") {
  make(1);
  const ExpectReport refused(report::kBadPayload);
  a->set_command(tlm::TLM_WRITE_COMMAND);
  CHECK(forward(*a, tlm::BEGIN_REQ, 5).sync == tlm::TLM_COMPLETED);
  CHECK(a->get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(errors == 1);
  CHECK(queue.empty());
  CHECK(wake.scheduled_at() == kNever);
  forward(*b, tlm::BEGIN_REQ, 5);
  port->release();  // it held the only entry
  CHECK(initiator.seen.size() == 1);
}

TEST_CASE_METHOD(Responder, "a phase that goes backward only is an error, but no request") {
  make(1);
  const ExpectReport stray(report::kProtocol);
  forward(*a, tlm::END_REQ, 5);
  CHECK(errors == 0);
  CHECK(queue.empty());
}

TEST_CASE_METHOD(Responder, "a port without a queue of responses leaves the wake-up to its block") {
  ResponsePort<UnqueuedOutput<ResponseSender>> bare(clock, wake, queue, 1);
  bare.bind(target.socket.operator->());
  bare.responses.sender.send(*a, 5);
  const sc_core::sc_time delay = to_sc_time(7);
  CHECK(bare.end_response(*a, delay) == tlm::TLM_COMPLETED);
  CHECK(wake.scheduled_at() == kNever);
  CHECK(bare.responses.sender.free_at() == 1007);
}

TEST_CASE_METHOD(Responder, "a queued output sends as often as the channel is free") {
  UnscheduledResponsePort<QueuedOutput<ResponseSender>> fast(1);
  fast.bind(target.socket.operator->());
  initiator.on_backward = response(tlm::TLM_COMPLETED, tlm::END_RESP);
  run_to(kCycle);
  auto& out = fast.responses;
  CHECK_FALSE(out.ready(now(), 2 * kCycle));
  for (Transaction* t : {a, b}) {
    out.queue.push(now(), 0, t);
    CHECK(out.next(clock, now()) == now());
    REQUIRE(out.ready(now(), 2 * kCycle));
    out.sender.send(*out.queue.pop(), kCycle);
  }
  CHECK(initiator.seen ==
        std::vector<Phase>{{a, tlm::BEGIN_RESP, 2 * kCycle}, {b, tlm::BEGIN_RESP, 2 * kCycle}});
}

TEST_CASE_METHOD(Responder, "END_RESP at an unscheduled port wakes the process for a response") {
  UnscheduledResponsePort<QueuedOutput<ResponseSender>> port_of_block(1);
  port_of_block.bind(target.socket.operator->());
  run_to(kCycle);
  auto& out = port_of_block.responses;
  out.sender.send(*a, kCycle);
  out.queue.push(now(), 0, b);
  out.schedule_next(clock, wake, now());  // END_RESP is outstanding
  CHECK(out.next(clock, now()) == kNever);
  CHECK(wake.scheduled_at() == kNever);
  run_to(3 * kCycle);
  CHECK(port_of_block.end_response(*a, to_sc_time(0), clock, wake) == tlm::TLM_COMPLETED);
  CHECK(wake.scheduled_at() == 4 * kCycle);
}

TEST_CASE_METHOD(Responder, "END_REQ of an unscheduled port takes the occupancy of its link") {
  UnscheduledResponsePort<QueuedOutput<ResponseSender>> slow(2);
  slow.bind(target.socket.operator->());
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = to_sc_time(5);
  CHECK(slow.accept(*a, phase, delay, 7) == tlm::TLM_UPDATED);
  CHECK(delay.value() == 12);
  CHECK(wake.scheduled_at() == kNever);
  phase = tlm::BEGIN_REQ;
  CHECK(slow.accept(*b, phase, delay) == tlm::TLM_ACCEPTED);
  slow.release();
  CHECK(initiator.seen == std::vector<Phase>{{b, tlm::END_REQ, 1012}});
}

TEST_CASE_METHOD(Responder, "reset empties a response port") {
  make(1);
  forward(*a, tlm::BEGIN_REQ, 5);  // END_REQ withheld
  run_to(kCycle);
  respond(*b);
  port->responses.queue.push(now(), 0, c);
  port->reset();
  CHECK(queue.empty());
  CHECK(port->responses.queue.empty());
  CHECK(port->responses.sender.free(now()));
  forward(*a, tlm::BEGIN_REQ, 5);
  port->release();
  CHECK(initiator.seen.back() == Phase{a, tlm::END_REQ, kCycle + 5});
}

// RequestPort.

TEST_CASE_METHOD(Requester, "END_REQ wakes the process when the next request can be sent") {
  make();
  run_to(kCycle);
  send(*a);
  CHECK(target.seen == std::vector<Phase>{{a, tlm::BEGIN_REQ, 2 * kCycle}});
  port->requests.queue.push(now(), 0, b);
  CHECK(port->requests.next(clock, now()) == kNever);
  run_to(3 * kCycle);
  CHECK(backward(*a, tlm::END_REQ, 0) == Result{tlm::TLM_ACCEPTED, tlm::END_REQ, 3 * kCycle});
  CHECK(wake.scheduled_at() == 4 * kCycle);
  CHECK(port->responses.empty());
}

TEST_CASE_METHOD(Requester, "a response is due at the clock edge at or after its arrival") {
  make();
  target.on_forward = response(tlm::TLM_UPDATED, tlm::END_REQ);
  run_to(kCycle);
  send(*a);
  run_to(3 * kCycle);
  CHECK(backward(*a, tlm::BEGIN_RESP, 5) ==
        Result{tlm::TLM_COMPLETED, tlm::END_RESP, 3 * kCycle + 5});
  CHECK(port->responses.next_due() == 4 * kCycle);
  CHECK(wake.scheduled_at() == 4 * kCycle);
  CHECK(&port->pop_response() == a);
}

TEST_CASE_METHOD(Requester, "a response that implies END_REQ wakes the process for both") {
  make();
  run_to(kCycle);
  send(*a);
  port->requests.queue.push(now(), 0, b);
  run_to(2 * kCycle);
  backward(*a, tlm::BEGIN_RESP, 3 * kCycle);
  CHECK(port->responses.next_due() == 5 * kCycle);
  CHECK(port->requests.next(clock, now()) == 4 * kCycle);  // arrives at 5
  CHECK(wake.scheduled_at() == 4 * kCycle);
}

TEST_CASE_METHOD(Requester, "TLM_COMPLETED is a response like one by the backward path") {
  make();
  target.on_forward = response(tlm::TLM_COMPLETED, tlm::BEGIN_REQ, 5 * kCycle + 7);
  run_to(kCycle);
  send(*a);
  CHECK(target.seen == std::vector<Phase>{{a, tlm::BEGIN_REQ, 2 * kCycle}});
  CHECK(port->responses.next_due() == 8 * kCycle);
  CHECK(wake.scheduled_at() == 8 * kCycle);
  CHECK(port->requests.sender.free_at() == 7 * kCycle + 7);
  CHECK(&port->pop_response() == a);
}

TEST_CASE_METHOD(Requester, "BEGIN_RESP on the return path is ended by send()") {
  make();
  target.on_forward = [](Payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    phase = tlm::BEGIN_RESP;
    delay += to_sc_time(kCycle);
    return tlm::TLM_UPDATED;
  };
  run_to(kCycle);
  send(*a);
  CHECK(target.seen ==
        std::vector<Phase>{{a, tlm::BEGIN_REQ, 2 * kCycle}, {a, tlm::END_RESP, 3 * kCycle}});
  CHECK(port->responses.next_due() == 3 * kCycle);
  CHECK(wake.scheduled_at() == 3 * kCycle);
}

TEST_CASE_METHOD(Requester, "a full port withholds END_RESP until an entry is free") {
  make(2);
  target.on_forward = response(tlm::TLM_UPDATED, tlm::END_REQ);
  run_to(kCycle);
  send(*a);
  run_to(2 * kCycle);
  send(*b);
  CHECK(backward(*a, tlm::BEGIN_RESP, 5).sync == tlm::TLM_COMPLETED);
  CHECK(backward(*b, tlm::BEGIN_RESP, 7).sync == tlm::TLM_ACCEPTED);
  target.seen.clear();
  run_to(3 * kCycle);
  CHECK(&port->pop_response() == a);
  CHECK(target.seen == std::vector<Phase>{{b, tlm::END_RESP, 3 * kCycle}});
  CHECK(&port->pop_response() == b);
  CHECK(target.seen.size() == 1);
}

TEST_CASE_METHOD(Requester, "an early response takes an entry, but no END_RESP is sent for it") {
  make(1);
  target.on_forward = response(tlm::TLM_COMPLETED, tlm::BEGIN_REQ);
  run_to(kCycle);
  send(*a);
  target.on_forward = response(tlm::TLM_UPDATED, tlm::END_REQ);
  run_to(2 * kCycle);
  send(*b);
  CHECK(backward(*b, tlm::BEGIN_RESP, 5).sync == tlm::TLM_ACCEPTED);
  target.seen.clear();
  run_to(3 * kCycle);
  CHECK(&port->pop_response() == a);
  CHECK(target.seen.empty());
  CHECK(&port->pop_response() == b);
  CHECK(target.seen == std::vector<Phase>{{b, tlm::END_RESP, 3 * kCycle}});
}

TEST_CASE_METHOD(Requester, "an unscheduled port leaves responses and wake-ups to its block") {
  UnscheduledRequestPort<QueuedOutput<RequestSender>> fast;
  fast.bind(initiator.socket.operator->());
  std::vector<Tick> arrivals;
  int ends = 0;
  const auto ended = [&] { ++ends; };
  const auto arrived = [&](Tick at) { arrivals.push_back(at); };
  run_to(kCycle);
  fast.send(*a, kCycle, arrived);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = to_sc_time(kCycle);
  CHECK(fast.backward(*a, phase, delay, ended, arrived) == tlm::TLM_ACCEPTED);
  CHECK(ends == 1);
  CHECK(fast.requests.sender.free_at() == 2 * kCycle);
  phase = tlm::BEGIN_RESP;
  CHECK(fast.backward(*a, phase, delay, ended, arrived, [](Tick at) { return at; }) ==
        tlm::TLM_COMPLETED);
  CHECK(delay.value() == 3 * kCycle);  // busy for as long after the arrival as its time
  fast.release();
  target.on_forward = response(tlm::TLM_COMPLETED, tlm::BEGIN_REQ, 5 * kCycle);
  fast.send(*b, kCycle, arrived);
  fast.release();
  CHECK(arrivals == std::vector<Tick>{2 * kCycle, 7 * kCycle});
  CHECK(ends == 1);
  CHECK(fast.responses.empty());
  CHECK(wake.scheduled_at() == kNever);
}

TEST_CASE_METHOD(Requester, "reset empties a request port") {
  make(1);
  run_to(kCycle);
  send(*a);
  port->requests.queue.push(now(), 0, b);
  backward(*a, tlm::BEGIN_RESP, 5);  // END_RESP withheld: holds a reference
  CHECK(a->get_ref_count() == 2);
  port->reset();
  CHECK(a->get_ref_count() == 1);
  CHECK(port->responses.empty());
  CHECK(port->requests.queue.empty());
  CHECK(port->requests.sender.free(now()));
}

}  // namespace tessera::ports_test
