// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/duplex_network.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/kernel/unlikely.h"
#include "modules/noc/packet.h"

namespace tessera {
namespace {

PayloadRules duplex_rules() {
  PayloadRules r;
  r.reads = r.writes = PayloadRules::kEvery;
  r.ignores = PayloadRules::kinds(RequestKind::kCoherence);
  return r;
}

/// The request for a payload without an extension.
MemoryRequest plain_request(const tlm::tlm_generic_payload& payload) {
  MemoryRequest request;
  request.kind = payload.is_write() ? RequestKind::kStore : RequestKind::kLoad;
  return request;
}

}  // namespace

template <class Fabric>
BasicDuplexNetwork<Fabric>::BasicDuplexNetwork(std::string name, const Config& config,
                                               unsigned entries, unsigned exits, NocRouting routing)
    : name_(std::move(name)),
      config_(sound(name_, config, entries, exits)),
      clock_(config.clock_hz),
      routing_(std::move(routing)),
      check_(duplex_rules()),
      entries_(entries),
      exits_(exits),
      request_stats_(exits),
      response_stats_(entries),
      request_side_(*this),
      response_side_(*this),
      request_(Fabric::shape_of(config, entries, exits, NocDirection::kRequests), request_side_,
               request_stats_),
      response_(Fabric::shape_of(config, exits, entries, NocDirection::kResponses), response_side_,
                response_stats_) {
  wake_.template bind<&BasicDuplexNetwork::process>(*this);
}

template <class Fabric>
void BasicDuplexNetwork<Fabric>::bind_entry(unsigned entry, tlm::tlm_bw_transport_if<>* initiator) {
  entries_[entry].requests.bind(initiator);
  entries_[entry].responses.bind(initiator);
}

template <class Fabric>
void BasicDuplexNetwork<Fabric>::bind_exit(unsigned exit, tlm::tlm_fw_transport_if<>* target) {
  exits_[exit].requests.bind(target);
  exits_[exit].responses.bind(target);
  exits_[exit].target = target;
}

// ---- time ----

template <class Fabric>
void BasicDuplexNetwork<Fabric>::read_clock() {
  const Tick t = now();
  seen_ = t;
  cycle_ = clock_.cycle_at(t);
  const bool edge = clock_.is_edge(t);
  first_ = edge ? cycle_ : cycle_ + 1;
  next_edge_ = clock_.after(t, edge ? 1 : 0);
}

template <class Fabric>
Cycle BasicDuplexNetwork<Fabric>::cycle_from(Tick t) const {
  return t == next_edge_ ? cycle_ + 1 : clock_.cycle_from(t);
}

template <class Fabric>
Cycle BasicDuplexNetwork<Fabric>::cycle_before(Tick t) const {
  return t <= next_edge_ ? first_ : std::max(clock_.cycle_from(t) - 1, first_);
}

template <class Fabric>
template <class Sender>
Cycle BasicDuplexNetwork<Fabric>::send_cycle(const Sender& sender) const {
  const Cycle usable = sender.usable_from() > seen_ ? cycle_ + 1 : first_;
  return std::max(usable, cycle_before(sender.free_at()));
}

template <class Fabric>
void BasicDuplexNetwork<Fabric>::schedule_next() {
  Cycle next = std::min(request_.next(), response_.next());
  next = std::min(next, early_.next_due());
  if (next >= armed_) return;
  armed_ = next;
  wake_.at(next == cycle_ + 1 ? next_edge_ : clock_.time_of(next));
}

// ---- the process ----

template <class Fabric>
void BasicDuplexNetwork<Fabric>::process() {
  armed_ = kNever;
  look_at_clock();
  if (first_ == cycle_) {
    // 1. Early responses that arrive at the next edge enter their ports.
    handle_early_responses();
    // 2. Responses move; this can end the request stall of a port. 3. Requests move.
    response_.process(cycle_);
    request_.process(cycle_);
  }
  schedule_next();
}

template <class Fabric>
void BasicDuplexNetwork<Fabric>::handle_early_responses() {
  while (early_.due(cycle_)) {
    const EarlyResponse early = early_.pop();
    if (!admit_response(early.exit, *early.payload, cycle_ + 1, false)) {
      ++exits_[early.exit].early_waiting;
    }
    early.payload->release();  // the fabric holds its own reference
  }
}

template <class Fabric>
bool BasicDuplexNetwork<Fabric>::RequestSide::deliver(unsigned exit,
                                                      const typename Fabric::Packet& packet,
                                                      Cycle) {
  BasicDuplexNetwork& n = network;
  ExitPort& port = n.exits_[exit];
  if (port.early_waiting != 0) return false;  // response_entered() ends the stall
  if (!port.requests.free(n.next_edge_)) {
    n.request_egress_free(exit);
    return false;
  }
  tlm::tlm_generic_payload& payload = *packet.payload;
  const SendOutcome outcome = port.requests.send(payload, n.next_edge_ - n.seen_);
  if (outcome.responded) {
    payload.acquire();
    n.early_.push(n.cycle_before(outcome.response_at), exit, {&payload, exit});
  }
  n.request_stats_.series.add(packet.bytes, n.next_edge_);
  payload.release();
  return true;
}

template <class Fabric>
bool BasicDuplexNetwork<Fabric>::ResponseSide::deliver(unsigned exit,
                                                       const typename Fabric::Packet& packet,
                                                       Cycle) {
  BasicDuplexNetwork& n = network;
  EntryPort& port = n.entries_[exit];
  if (!port.responses.free(n.next_edge_)) {
    n.response_egress_free(exit);
    return false;
  }
  port.responses.send(*packet.payload, n.next_edge_ - n.seen_);
  n.response_stats_.series.add(packet.bytes, n.next_edge_);
  packet.payload->release();
  return true;
}

template <class Fabric>
void BasicDuplexNetwork<Fabric>::request_egress_free(unsigned exit) {
  const RequestSender& sender = exits_[exit].requests;
  if (sender.waiting_for() != nullptr) return;  // until END_REQ
  look_at_clock();
  request_.exit_ready(cycle_, exit, send_cycle(sender));
}

template <class Fabric>
void BasicDuplexNetwork<Fabric>::response_egress_free(unsigned entry) {
  const ResponseSender& sender = entries_[entry].responses;
  if (sender.waiting_for() != nullptr) return;  // until END_RESP
  look_at_clock();
  response_.exit_ready(cycle_, entry, send_cycle(sender));
}

template <class Fabric>
void BasicDuplexNetwork<Fabric>::response_entered(unsigned exit, bool counted) {
  if (counted) {
    exits_[exit].responses.release();
  } else if (--exits_[exit].early_waiting == 0) {
    request_egress_free(exit);
  }
}

// ---- non-blocking transport ----

template <class Fabric>
tlm::tlm_sync_enum BasicDuplexNetwork<Fabric>::forward(unsigned entry,
                                                       const sc_core::sc_object& socket,
                                                       tlm::tlm_generic_payload& payload,
                                                       tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) {
    const Tick at = now() + delay.value();
    entries_[entry].responses.end_response(payload, at);
    response_egress_free(entry);
    schedule_next();
    return tlm::TLM_COMPLETED;
  }
  MemoryRequest* const request = check_.admit(payload, phase);
  if (unlikely(request == nullptr)) return check_.refuse(socket, payload, phase);
  const unsigned exit = exit_of(payload, request);
  if (unlikely(exit >= exits_.size())) {
    return check_.refuse(socket, payload, phase, PayloadFault::kHome);
  }
  return accept_request(entry, payload, *request, exit, phase, delay);
}

template <class Fabric>
unsigned BasicDuplexNetwork<Fabric>::exit_of(const tlm::tlm_generic_payload& payload,
                                             const MemoryRequest* request) const {
  const std::uint64_t address = payload.get_address();
  if (request != nullptr && request->home_known(address)) return routing_.by_request(*request);
  return routing_.by_address ? routing_.by_address(address) : static_cast<unsigned>(exits_.size());
}

template <class Fabric>
tlm::tlm_sync_enum BasicDuplexNetwork<Fabric>::backward(unsigned exit,
                                                        tlm::tlm_generic_payload& payload,
                                                        tlm::tlm_phase& phase,
                                                        sc_core::sc_time& delay) {
  const Tick at = now() + delay.value();
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
    RequestSender& sender = exits_[exit].requests;
    if (sender.waiting_for() == &payload) {
      sender.end_request(payload, at);
      request_egress_free(exit);
      if (phase == tlm::END_REQ) schedule_next();
    }
    if (phase == tlm::BEGIN_RESP) return accept_response(exit, payload, phase, delay);
  }
  return tlm::TLM_ACCEPTED;
}

template <class Fabric>
bool BasicDuplexNetwork<Fabric>::admit(Fabric& fabric, unsigned entry, unsigned exit,
                                       tlm::tlm_generic_payload& payload, std::uint32_t bytes,
                                       Cycle arrival, bool counted) {
  payload.acquire();
  return fabric.inject(cycle_, entry, exit, payload, bytes, flits_of(bytes, config_.link_bytes),
                       arrival, counted);
}

template <class Fabric>
tlm::tlm_sync_enum BasicDuplexNetwork<Fabric>::accept_request(unsigned entry,
                                                              tlm::tlm_generic_payload& payload,
                                                              MemoryRequest& request, unsigned exit,
                                                              tlm::tlm_phase& phase,
                                                              sc_core::sc_time& delay) {
  look_at_clock();
  // With one entry, the response needs no route.
  if (entries_.size() > 1) request.push_route(static_cast<std::uint16_t>(entry));
  const Tick arrival = seen_ + delay.value();
  const bool in_buffer = admit(request_, entry, exit, payload,
                               request_packet_bytes(payload, request, config_.header_bytes),
                               cycle_from(arrival), true);
  const Tick busy_until = clock_.time_of(request_.entry_free(entry));
  RequestReceiver& receiver = entries_[entry].requests;
  const tlm::tlm_sync_enum sync = receiver.begin(payload, phase, delay, busy_until - arrival);
  if (in_buffer) receiver.release();
  schedule_next();
  return sync;
}

template <class Fabric>
bool BasicDuplexNetwork<Fabric>::admit_response(unsigned exit, tlm::tlm_generic_payload& payload,
                                                Cycle arrival, bool counted) {
  MemoryRequest& request = request_of(payload);
  const unsigned entry = entries_.size() > 1 ? request.pop_route() : 0;
  sc_assert(entry < entries_.size());
  return admit(response_, exit, entry, payload,
               response_packet_bytes(payload, request, config_.header_bytes), arrival, counted);
}

template <class Fabric>
tlm::tlm_sync_enum BasicDuplexNetwork<Fabric>::accept_response(unsigned exit,
                                                               tlm::tlm_generic_payload& payload,
                                                               tlm::tlm_phase& phase,
                                                               sc_core::sc_time& delay) {
  look_at_clock();
  const Tick arrival = seen_ + delay.value();
  const bool in_buffer = admit_response(exit, payload, cycle_from(arrival), true);
  const Tick busy_until = clock_.time_of(response_.entry_free(exit));
  ResponseReceiver& receiver = exits_[exit].responses;
  const tlm::tlm_sync_enum sync = receiver.begin(payload, phase, delay, busy_until - arrival);
  if (in_buffer) receiver.release();
  schedule_next();
  return sync;
}

// ---- blocking and debug transport ----

template <class Fabric>
Tick BasicDuplexNetwork<Fabric>::zero_load_latency(std::uint32_t bytes, unsigned entry,
                                                   unsigned exit) const {
  return clock_.time_of(
      request_.zero_load_latency(flits_of(bytes, config_.link_bytes), entry, exit));
}

template <class Fabric>
void BasicDuplexNetwork<Fabric>::blocking(unsigned entry, const sc_core::sc_object& socket,
                                          tlm::tlm_generic_payload& payload,
                                          sc_core::sc_time& delay) {
  if (check_.refuse_blocking(socket, payload)) return;
  const MemoryRequest* extension = payload.get_extension<MemoryRequest>();
  const unsigned exit = exit_of(payload, extension);
  if (unlikely(exit >= exits_.size())) {
    check_.response(socket, payload, PayloadFault::kHome);
    return;
  }
  const MemoryRequest plain = plain_request(payload);
  const MemoryRequest& request = extension != nullptr ? *extension : plain;
  const std::uint32_t there = request_packet_bytes(payload, request, config_.header_bytes);
  const std::uint32_t back = response_packet_bytes(payload, request, config_.header_bytes);
  delay += to_sc_time(zero_load_latency(there, entry, exit));
  exits_[exit].target->b_transport(payload, delay);
  delay += to_sc_time(zero_load_latency(back, entry, exit));
}

template <class Fabric>
unsigned BasicDuplexNetwork<Fabric>::debug(tlm::tlm_generic_payload& payload) {
  if (!routing_.by_address || !PayloadCheck::admits_debug(payload)) return 0;
  const unsigned exit = routing_.by_address(payload.get_address());
  return exit < exits_.size() ? exits_[exit].target->transport_dbg(payload) : 0;
}

// ---- state and statistics ----

template <class Fabric>
void BasicDuplexNetwork<Fabric>::describe_waiting(std::vector<Waiting>& out) const {
  request_.describe_waiting(name_ + ".request", out);
  response_.describe_waiting(name_ + ".response", out);
  if (!early_.empty()) {
    out.push_back({name_ + ".early_responses", early_.size(), WaitKind::kNetworkTransfer,
                   "their time of arrival"});
  }
}

template <class Fabric>
void BasicDuplexNetwork<Fabric>::reset() {
  const auto drop = [](tlm::tlm_generic_payload& payload) { payload.release(); };
  request_.reset(drop);
  response_.reset(drop);
  while (!early_.empty()) early_.pop().payload->release();
  for (EntryPort& p : entries_) {
    p.requests.reset();
    p.responses.reset();
  }
  for (ExitPort& p : exits_) {
    p.requests.reset();
    p.responses.reset();
    p.early_waiting = 0;
  }
  wake_.cancel();
  armed_ = kNever;
  request_stats_.reset();
  response_stats_.reset();
}

template <class Fabric>
void BasicDuplexNetwork<Fabric>::register_statistics(StatisticsRegistry& registry) const {
  register_statistics_of(registry, name_, request_stats_, NocDirection::kRequests);
  register_statistics_of(registry, name_, response_stats_, NocDirection::kResponses);
}

template class BasicDuplexNetwork<SwitchFabric>;
template class BasicDuplexNetwork<RingFabric>;
template class BasicDuplexNetwork<MeshFabric>;

}  // namespace tessera
