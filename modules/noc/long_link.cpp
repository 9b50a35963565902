// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/long_link.h"

#include <algorithm>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera {

using tlm::tlm_generic_payload;

namespace {

constexpr std::uint64_t kMostLinkLatency = 1'000'000;
constexpr std::uint32_t kMostEntries = 65'535;

/// Any request that lies within a line's length.
PayloadRules link_rules() {
  PayloadRules r;
  r.line_bytes = 0;
  r.reads = r.writes = PayloadRules::kEvery;
  return r;
}

}  // namespace

/// The half at `in`.
struct LongLink::Near {
  explicit Near(const LongLinkConfig& c)
      : clock(c.clock_hz), credits(c.credits()), port(clock, wake, requests, c.queue_depth) {}

  const ClockDomain clock;
  TimedQueue<Payload> requests;
  Tick next_request = 0;  ///< one request a cycle
  std::uint64_t credits;
  TimedQueue<Credit> returning;  ///< taken when the process runs
  std::unique_ptr<DomainLink<Payload>> requests_to_far;
  ProcessTimer wake;
  ResponsePort<> port;

  bool needs_credit() const { return credits == 0 && !requests.empty(); }
};

/// The half at `out`.
struct LongLink::Far {
  explicit Far(const LongLinkConfig& c)
      : clock(c.clock_hz), response_in(ResponseReceiver::kUnlimited) {}

  const ClockDomain clock;
  PacedOutput<RequestSender> requests;
  bool owes_credit = false;   ///< for the request that was sent last
  std::size_t in_target = 0;  ///< requests sent whose response has not arrived
  ResponseReceiver response_in;
  std::unique_ptr<DomainLink<Payload>> responses_to_near;
  std::unique_ptr<DomainLink<Credit>> credits_to_near;
  ProcessTimer wake;
};

LongLink::LongLink(const sc_core::sc_module_name& name, const LongLinkConfig& config, Domain& near,
                   Domain& far)
    : BlockBase(name, config),
      in("in"),
      out("out"),
      latency_(config.latency_cycles()),
      check_(link_rules()) {
  {
    const Domain::Construction half(near);
    near_ = std::make_unique<Near>(config_);
    near_->wake.bind<&LongLink::process_near>(*this);
  }
  {
    const Domain::Construction half(far);
    far_ = std::make_unique<Far>(config_);
    far_->wake.bind<&LongLink::process_far>(*this);
  }
  const std::string near_end = std::string(this->name()) + ".near";
  const std::string far_end = std::string(this->name()) + ".far";
  // Edges are rounded to ticks, so that L cycles can be a tick shorter than from time 0.
  const Tick latency = near_->clock.time_of(latency_) - 1;
  near_->requests_to_far = std::make_unique<DomainLink<Payload>>(
      near_end, near, far_end, far, latency, [f = far_.get()](Tick at, Payload&& payload) {
        f->requests.queue.push(at, 0, payload);
        f->wake.at(at);
      });
  far_->responses_to_near = std::make_unique<DomainLink<Payload>>(
      far_end, far, near_end, near, latency, [n = near_.get()](Tick at, Payload&& payload) {
        n->port.responses.queue.push(at, 0, payload);
        n->wake.at(at);
      });
  // Only a request that needs a credit is woken by it.
  far_->credits_to_near = std::make_unique<DomainLink<Credit>>(
      far_end, far, near_end, near, latency, [n = near_.get()](Tick at, Credit&&) {
        n->returning.push(at, 0, {});
        if (n->needs_credit()) n->wake.at(at);
      });
  in.register_nb_transport_fw(this, &LongLink::forward);
  in.register_b_transport(this, &LongLink::blocking);
  in.register_transport_dbg(this, &LongLink::debug);
  out.register_nb_transport_bw(this, &LongLink::backward);
}

LongLink::~LongLink() = default;

void LongLink::end_of_elaboration() {
  near_->port.bind(in.operator->());
  far_->requests.sender.bind(out.operator->());
  far_->response_in.bind(out.operator->());
}

void LongLink::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum LongLink::forward(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
  return near_->port.forward(payload, phase, delay, check_, in);
}

tlm::tlm_sync_enum LongLink::backward(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay) {
  const Tick at = now() + delay.value();
  far_->requests.sender.end_request(payload, at);
  return_credit();
  far_->wake.at(far_->requests.next(far_->clock, now()));
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  respond(payload, at);
  const tlm::tlm_sync_enum sync = far_->response_in.begin(payload, phase, delay, 0);
  far_->response_in.release();  // on its way
  return sync;
}

void LongLink::blocking(tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (check_.refuse_blocking(in, payload)) return;
  delay += to_sc_time(near_->clock.time_of(2 * latency_));
  out->b_transport(payload, delay);
}

unsigned LongLink::debug(tlm_generic_payload& payload) {
  return PayloadCheck::admits_debug(payload) ? out->transport_dbg(payload) : 0;
}

// The near half.

void LongLink::process_near() {
  Near& n = *near_;
  const Tick t = now();
  for (; n.returning.due(t); n.returning.pop()) ++n.credits;
  send_request(t);
  send_response(t);

  n.wake.at(n.port.responses.next(n.clock, t));
  if (n.needs_credit()) {
    n.wake.at(n.returning.next_due());
  } else if (!n.requests.empty()) {
    n.wake.at(std::max(n.requests.next_due(), n.next_request));
  }
}

void LongLink::send_request(Tick t) {
  Near& n = *near_;
  if (!n.requests.due(t) || n.credits == 0 || n.next_request > t) return;
  stats_.queue_wait.add(n.clock.cycle_at(t) - n.clock.cycle_at(n.requests.next_due()));
  ++stats_.requests;
  --n.credits;
  n.next_request = n.clock.after(t, 1);
  n.requests_to_far->send(n.clock.after(t, latency_), n.requests.pop());
  n.port.release();
}

void LongLink::send_response(Tick t) {
  Near& n = *near_;
  auto& responses = n.port.responses;
  if (responses.next(n.clock, t) != t) return;
  ++stats_.responses;
  const auto [payload, delay] = responses.take(n.clock, t);
  responses.sender.send(*payload, delay);
}

// The far half.

void LongLink::process_far() {
  Far& f = *far_;
  const Tick t = now();
  if (f.requests.next(f.clock, t) == t) {
    const auto [payload, delay] = f.requests.take(f.clock, t);
    f.owes_credit = true;
    ++f.in_target;
    const SendOutcome outcome = f.requests.sender.send(*payload, delay);
    return_credit();
    if (outcome.responded) respond(*payload, outcome.response_at);
  }
  f.wake.at(f.requests.next(f.clock, t));
}

/// A response arrives at `at`.
void LongLink::respond(tlm_generic_payload& payload, Tick at) {
  --far_->in_target;
  far_->responses_to_near->send(far_->clock.after(at, latency_), &payload);
}

/// Returns the credit of the last request, once its END_REQ is known.
void LongLink::return_credit() {
  const Tick free_at = far_->requests.sender.free_at();
  if (!far_->owes_credit || free_at == kNever) return;
  far_->owes_credit = false;
  far_->credits_to_near->send(far_->clock.after(free_at, latency_), Credit{});
}

// Housekeeping.

bool LongLink::idle() const {
  return near_->requests.empty() && far_->requests.queue.empty() && far_->in_target == 0 &&
         near_->port.responses.queue.empty() &&
         near_->port.responses.sender.waiting_for() == nullptr;
}

void LongLink::describe_waiting(std::vector<Waiting>& waiting) const {
  const std::string block = name();
  const auto add = [&](const char* queue, std::size_t items, WaitKind kind, const char* waits_for) {
    if (items != 0) waiting.push_back({block + queue, items, kind, waits_for});
  };
  const Tick t = now();
  add(".requests", near_->requests.size(),
      near_->credits == 0 ? WaitKind::kQueueFull : WaitKind::kBandwidth,
      near_->credits == 0 ? "a credit" : "the link");
  add(".far_requests", far_->requests.queue.size(),
      far_->requests.queue.due(t) ? WaitKind::kQueueFull : WaitKind::kNetworkTransfer,
      far_->requests.queue.due(t) ? "END_REQ from the target" : "its latency");
  add(".in_target", far_->in_target, WaitKind::kDataDependence, "responses of the target");
  add(".responses", near_->port.responses.queue.size(),
      near_->port.responses.queue.due(t) ? WaitKind::kQueueFull : WaitKind::kNetworkTransfer,
      near_->port.responses.queue.due(t) ? "END_RESP from the initiator" : "its latency");
  add(".ending", near_->port.responses.sender.waiting_for() != nullptr ? 1 : 0,
      WaitKind::kQueueFull, "END_RESP from the initiator");
}

void LongLink::reset() {
  near_->wake.cancel();
  near_->port.reset();
  near_->next_request = 0;
  near_->credits = config_.credits();
  near_->returning.clear();
  far_->wake.cancel();
  far_->requests.reset();
  far_->owes_credit = false;
  far_->in_target = 0;
  far_->response_in.reset();
  stats_ = LongLinkStats{};
}

std::uint64_t LongLinkConfig::latency_cycles() const {
  return ClockDomain(clock_hz).cycle_from(latency_ns * kTicksPerNs);
}

std::vector<std::string> LongLinkConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "clock_hz", clock_hz, kTicksPerSecond);
  require_from_one(errors, "latency_ns", latency_ns, kMostLinkLatency);
  require_from_one(errors, "queue_depth", queue_depth, kMostEntries);
  return errors;
}

void describe(ParameterVisitor& v, LongLinkConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "Clock of the link (MGPUSim: 1 GHz)", 1, kTicksPerSecond);
  v.integer("latency_ns", c.latency_ns, "ns",
            "A message's way over the link (DualOpt Table 1; MGPUSim, which DualOpt used, connects "
            "the MMU by a switch of 140 cycles at 1 GHz)",
            1, kMostLinkLatency);
  v.integer("queue_depth", c.queue_depth, "request",
            "Requests that wait in front of the link, and behind it beyond those on the way (ours)",
            1, kMostEntries);
}

void describe(StatisticsVisitor& v, LongLinkStats& s) {
  v.counter("requests", s.requests, "request", "requests that entered the link");
  v.counter("responses", s.responses, "response", "responses that left the link");
  v.histogram("queue_wait", s.queue_wait, "cycle", "arrival of a request to its entry of the link");
  v.waits(WaitKind::kBandwidth, {"queue_wait"});
}

}  // namespace tessera
