// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/rdma_engine.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/unlikely.h"

namespace tessera {
namespace {

constexpr auto kRequest = static_cast<std::size_t>(PacketClass::kRequest);
constexpr auto kResponse = static_cast<std::size_t>(PacketClass::kResponse);

bool is_read(const MemoryRequest& request) {
  return request.kind == RequestKind::kLoad || request.kind == RequestKind::kFill;
}

PayloadRules rules() {
  PayloadRules r;
  r.reads = PayloadRules::kinds(RequestKind::kLoad, RequestKind::kFill);
  r.writes = PayloadRules::kinds(RequestKind::kStore, RequestKind::kCoherentStore,
                                 RequestKind::kAtomic, RequestKind::kWriteBack);
  return r;
}

/// Overwrites the bytes that were not transferred.
void poison(tlm::tlm_generic_payload& payload, std::uint32_t word_mask) {
  constexpr unsigned kPiece = PacketFormat::kPieceBytes;
  for (unsigned i = 0; i < payload.get_data_length() / kPiece; ++i) {
    if ((word_mask >> i & 1U) != 0) continue;
    std::memset(payload.get_data_ptr() + std::size_t{i} * kPiece, RdmaEngine::kPoison, kPiece);
  }
}

}  // namespace

RdmaEngine::RdmaEngine(const sc_core::sc_module_name& name, const RdmaConfig& config,
                       const RdmaEngineSite& site)
    : BlockBase(name, config, Unvalidated{}),
      local_in("local_in", site.ports),
      local_out("local_out"),
      fabric_out("fabric_out", kPacketClasses),
      fabric_in("fabric_in", kPacketClasses),
      format_(config.format()),
      clock_(config.clock_hz),
      site_(site),
      check_(rules()),
      // One entry more: the port withholds the END of the response that fills it.
      home_port_(std::size_t{config.port_depth} + 1),
      coalescer_({std::max(site.gpus, 1U) - 1, config.staging_entries, config.timeout_cycles,
                  format_.granules_per_packet()}),
      from_fabric_{PostedReceiver(config.port_depth),
                   PostedReceiver(ResponseReceiver::kUnlimited)} {
  check();
  local_ports_.reserve(site.ports);
  for (unsigned i = 0; i < site.ports; ++i) local_ports_.emplace_back(config.port_depth);
  for (unsigned i = 0; i < local_in.size(); ++i) {
    local_in[i].register_nb_transport_fw(this, &RdmaEngine::local_in_forward, static_cast<int>(i));
    local_in[i].register_b_transport(this, &RdmaEngine::blocking, static_cast<int>(i));
    local_in[i].register_transport_dbg(this, &RdmaEngine::debug, static_cast<int>(i));
    local_in[i].register_get_direct_mem_ptr(this, &RdmaEngine::direct, static_cast<int>(i));
  }
  local_out.register_nb_transport_bw(this, &RdmaEngine::local_out_backward);
  for (unsigned i = 0; i < kPacketClasses; ++i) {
    fabric_out[i].register_nb_transport_bw(this, &RdmaEngine::fabric_out_backward,
                                           static_cast<int>(i));
    fabric_in[i].register_nb_transport_fw(this, &RdmaEngine::fabric_in_forward,
                                          static_cast<int>(i));
  }
  wake_.bind<&RdmaEngine::process>(*this);
}

void RdmaEngine::check() const {
  std::vector<std::string> errors = config_.validate();
  if (site_.gpus < 2 || site_.self.value >= site_.gpus) {
    errors.emplace_back("role: one of 2 or more GPUs");
  }
  if (site_.ports == 0) errors.emplace_back("role: 1 port or more");
  if (!site_.home_of || site_.transfer == nullptr || site_.packets == nullptr ||
      !site_.debug_at_home || !site_.blocking_at_home) {
    errors.emplace_back("role: every function and pointer must be set");
  }
  refuse_configuration(name(), errors);
}

void RdmaEngine::end_of_elaboration() {
  for (std::size_t i = 0; i < local_ports_.size(); ++i) {
    local_ports_[i].bind(local_in[i].operator->());
  }
  home_port_.bind(local_out.operator->());
  for (std::size_t c = 0; c < kPacketClasses; ++c) {
    to_fabric_[c].sender.bind(fabric_out[c].operator->());
    from_fabric_[c].bind(fabric_in[c].operator->());
  }
}

void RdmaEngine::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum RdmaEngine::local_in_forward(int port, Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  const auto p = static_cast<std::uint32_t>(port);
  if (phase == tlm::END_RESP) return local_ports_[p].end_response(payload, delay, clock_, wake_);
  const MemoryRequest* const admitted = check_.admit(payload, phase);
  if (unlikely(admitted == nullptr)) return check_.refuse(local_in[p], payload, phase);
  const MemoryRequest& request = *admitted;
  if (unlikely(!request.home_known(payload.get_address()) || !at_other_gpu(request))) {
    return check_.refuse(local_in[p], payload, phase, PayloadFault::kHome);
  }
  const Tick at = now() + delay.value();
  const Tick issued = request.stamps[static_cast<std::size_t>(Hop::kIssued)];
  if (is_read(request) && issued != kNever) stats_.pre_link_cycles += clock_.cycles_in(at - issued);
  const Tick due = clock_.after(at, config_.latency_cycles - 1);
  from_local_.push(due, p, &payload);
  wake_.at(due);
  return local_ports_[p].accept(payload, phase, delay);
}

tlm::tlm_sync_enum RdmaEngine::local_out_backward(Payload& payload, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& delay) {
  const auto ended = [this] {
    if (may_send_home()) home_port_.requests.schedule_next(clock_, wake_, now());
  };
  return home_port_.backward(payload, phase, delay, ended, [&](Tick at) {
    ended();
    home_answers(payload, at, true);
    if (announced_at_ != now()) announced_ = 0;
    announced_at_ = now();
    ++announced_;
  });
}

tlm::tlm_sync_enum RdmaEngine::fabric_out_backward(int channel, Payload& payload,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  auto& out = to_fabric_[static_cast<std::size_t>(channel)];
  const tlm::tlm_sync_enum sync = out.sender.end(payload, phase, delay);
  wake_.at(out.next(clock_, now()));
  return sync;
}

tlm::tlm_sync_enum RdmaEngine::fabric_in_forward(int channel, Payload& payload,
                                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  PostedReceiver& receiver = from_fabric_[static_cast<std::size_t>(channel)];
  if (phase != tlm::BEGIN_REQ) return receiver.begin(payload, phase, delay, 0);
  auto* const arrived = dynamic_cast<LinkPacket*>(&payload);
  if (unlikely(arrived == nullptr || !belongs(*arrived, channel))) {
    check_.response(fabric_in[static_cast<unsigned>(channel)], payload, PayloadFault::kNotAPacket);
    return tlm::TLM_COMPLETED;
  }
  LinkPacket& packet = *arrived;
  const Tick at = now() + delay.value();
  if (static_cast<std::size_t>(channel) == kRequest) {
    request_arrives(packet, at);
    return receiver.begin(payload, phase, delay, 0);
  }
  // The de-coalescer: each response is enqueued at the port of its request.
  for (const LinkPacket::Content& content : packet) answer_arrives(content, at);
  const tlm::tlm_sync_enum sync = receiver.begin(payload, phase, delay, 0);
  receiver.release();
  return sync;
}

bool RdmaEngine::belongs(const LinkPacket& packet, int channel) const {
  return static_cast<int>(packet.channel) == channel && packet.to == site_.self &&
         packet.from.value < site_.gpus && packet.from != site_.self &&
         (packet.channel == PacketClass::kRequest ? packet.size() == 1 : packet.size() >= 1);
}

bool RdmaEngine::at_other_gpu(const MemoryRequest& request) const {
  const GpuId home = site_.home_of(request);
  return home != site_.self && home.value < site_.gpus;
}

void RdmaEngine::request_arrives(LinkPacket& packet, Tick at) {
  const LinkPacket::Content& content = *packet.begin();
  ++stats_.requests_in;
  if (is_read(request_of(*content.payload))) {
    stats_.link_request_cycles += clock_.cycles_in(at - content.ready_at);
  }
  packet.acquire();
  auto& requests = home_port_.requests;
  requests.queue.push(clock_.after(at, config_.latency_cycles - 1), 0, &packet);
  if (may_send_home()) requests.schedule_next(clock_, wake_, now());
}

void RdmaEngine::answer_arrives(const LinkPacket::Content& content, Tick at) {
  Payload& payload = *content.payload;
  MemoryRequest& request = request_of(payload);
  if (is_read(request)) {
    ++stats_.remote_reads_served;
    stats_.link_response_cycles += clock_.cycles_in(at - content.ready_at);
  }
  if (request.fine_grained && request.carries_data) poison(payload, request.word_mask);
  PacedOutput<ResponseSender>& out = local_ports_[request.pop_route()].responses;
  out.queue.push(clock_.after(at, config_.latency_cycles - 1), 0, &payload);
  wake_.at(out.next(clock_, now()));
}

void RdmaEngine::home_answers(Payload& payload, Tick at, bool held) {
  MemoryRequest& request = request_of(payload);
  const Tick due = clock_.after(at, config_.latency_cycles - 1);
  home_port_.responses.push(due, 0, {&payload, &request, GpuId(request.pop_route()), held});
  wake_.at(due);
}

void RdmaEngine::blocking(int port, Payload& payload, sc_core::sc_time& delay) {
  if (check_.refuse_blocking(local_in[static_cast<unsigned>(port)], payload)) return;
  // Loosely timed: request and response pass this engine and the other one; the fabric adds no
  // latency.
  delay += to_sc_time(clock_.time_of(2 * std::uint64_t{config_.latency_cycles}));
  site_.blocking_at_home(payload, delay);
}

void RdmaEngine::blocking_home(Payload& payload, sc_core::sc_time& delay) {
  delay += to_sc_time(clock_.time_of(2 * std::uint64_t{config_.latency_cycles}));
  local_out->b_transport(payload, delay);
}

// Processes.

void RdmaEngine::process() {
  const Tick t = now();
  send_answers(t);
  // The stages run twice: a departure frees an entry, and a new entry can depart in the same cycle.
  handle_responses(t);
  pack(t);
  send_packet(PacketClass::kResponse, t);
  pack(t);
  handle_responses(t);
  handle_requests(t);
  send_packet(PacketClass::kRequest, t);
  handle_requests(t);
  send_home(t);
  schedule_next(t);
}

void RdmaEngine::send_answers(Tick t) {
  for (LocalPort& port : local_ports_) {
    PacedOutput<ResponseSender>& out = port.responses;
    if (out.next(clock_, t) != t) continue;
    const auto [payload, delay] = out.take(clock_, t);
    --awaiting_;
    out.sender.send(*payload, delay);
  }
}

void RdmaEngine::send_packet(PacketClass channel, Tick t) {
  auto& out = to_fabric_[static_cast<std::size_t>(channel)];
  if (out.next(clock_, t) != t) return;
  const auto [packet, delay] = out.take(clock_, t);
  out.sender.send(*packet, delay);
  packet->release();
}

/// Moves responses of the home slices, in order, to a staging buffer or to the output queue.
void RdmaEngine::handle_responses(Tick t) {
  auto& responses = home_port_.responses;
  while (responses.due(t)) {
    const HomeResponse a = responses.front();
    const LinkPacket::Content content{a.payload, responses.next_due()};
    const bool fine_grained = a.request->fine_grained;
    const std::uint32_t granules = fine_grained ? format_.granules(a.request->word_mask) : 0;
    const bool fits = granules <= format_.granules_per_packet();
    if (fine_grained && site_.transfer->coalesce && fits) {
      const std::size_t buffer = buffer_of(a.to);
      if (coalescer_.full(buffer)) return;
      coalescer_.push(buffer, content, granules, clock_.cycle_at(t));
    } else {
      if (outgoing_full(PacketClass::kResponse)) return;
      LinkPacket& packet = new_packet(PacketClass::kResponse, a.to);
      packet.add(*content.payload, content.ready_at);
      if (fine_grained && !site_.transfer->coalesce) {
        packet.bytes = format_.fine_grained_bytes(granules);
        stats_.bytes_out_fine_grained += packet.bytes;
      } else {
        packet.bytes = format_.answer_bytes(*a.payload, *a.request);
        (is_read(*a.request) ? stats_.bytes_out_line : stats_.bytes_out_ack) += packet.bytes;
      }
      enqueue(packet, t);
    }
    responses.pop();
    --serving_;
    if (a.held) home_port_.release();
  }
}

void RdmaEngine::pack(Tick t) {
  const std::uint64_t cycle = clock_.cycle_at(t);
  if (cycle < next_pack_cycle_ || coalescer_.next_due(cycle) != cycle) return;
  if (outgoing_full(PacketClass::kResponse)) return;
  next_pack_cycle_ = cycle + 1;
  coalescer_.take(cycle, packed_);
  const auto& packed = packed_;
  LinkPacket& packet = new_packet(PacketClass::kResponse, gpu_of(packed.destination));
  for (const LinkPacket::Content& c : packed.responses) packet.add(*c.payload, c.ready_at);
  stats_.responses_per_packet.add(packet.size());
  if (packed.timed_out) ++stats_.timeouts;
  if (packet.size() == 1) {
    packet.bytes = format_.fine_grained_bytes(packed.granules);
    stats_.bytes_out_fine_grained += packet.bytes;
  } else {
    packet.bytes = format_.coalesced_bytes(packed.granules);
    stats_.bytes_out_coalesced += packet.bytes;
    ++stats_.coalesced_packets;
    stats_.coalesced_responses += packet.size();
  }
  enqueue(packet, t);
}

void RdmaEngine::handle_requests(Tick t) {
  while (from_local_.due(t) && !outgoing_full(PacketClass::kRequest)) {
    const Tick ready_at = from_local_.next_due();
    const std::uint32_t port = from_local_.front_port();
    Payload& payload = *from_local_.pop();
    local_ports_[port].release();
    MemoryRequest& request = request_of(payload);
    const GpuId home = site_.home_of(request);
    request.push_route(static_cast<std::uint16_t>(port));
    ++awaiting_;
    count_request(payload, request);
    LinkPacket& packet = new_packet(PacketClass::kRequest, home);
    packet.add(payload, ready_at);
    packet.bytes = format_.request_bytes(payload, request);
    stats_.bytes_out_request += packet.bytes;
    enqueue(packet, t);
  }
}

void RdmaEngine::send_home(Tick t) {
  auto& requests = home_port_.requests;
  if (!may_send_home() || requests.next(clock_, t) != t) return;
  const auto [packet, delay] = requests.take(clock_, t);
  Payload& payload = *packet->begin()->payload;
  // The route of the response.
  request_of(payload).push_route(static_cast<std::uint16_t>(packet->from.value));
  from_fabric_[kRequest].release();
  packet->release();
  ++serving_;
  // Not by the port, because a response in the call takes no entry.
  const SendOutcome outcome = requests.sender.send(payload, delay);
  if (!outcome.responded) return;
  home_answers(payload, outcome.response_at, false);
}

void RdmaEngine::schedule_next(Tick t) {
  for (const LocalPort& port : local_ports_) port.responses.schedule_next(clock_, wake_, t);
  for (const auto& out : to_fabric_) wake_.at(out.next(clock_, t));
  if (may_send_home()) home_port_.requests.schedule_next(clock_, wake_, t);
  // A due item waits for an output entry; the departure that frees one wakes the process.
  if (!from_local_.due(t)) wake_.at(from_local_.next_due());
  if (!home_port_.responses.due(t)) wake_.at(home_port_.responses.next_due());
  if (outgoing_full(PacketClass::kResponse) || coalescer_.empty()) return;
  wake_.at(clock_.time_of(std::max(coalescer_.next_due(clock_.cycle_at(t)), next_pack_cycle_)));
}

bool RdmaEngine::outgoing_full(PacketClass channel) const {
  return to_fabric_[static_cast<std::size_t>(channel)].queue.size() >= config_.outgoing_depth;
}

LinkPacket& RdmaEngine::new_packet(PacketClass channel, GpuId to) {
  LinkPacket& packet = site_.packets->acquire();
  packet.channel = channel;
  packet.from = site_.self;
  packet.to = to;
  ++(channel == PacketClass::kRequest ? stats_.packets_out_request : stats_.packets_out_response);
  return packet;
}

void RdmaEngine::enqueue(LinkPacket& packet, Tick t) {
  to_fabric_[static_cast<std::size_t>(packet.channel)].queue.push(t, 0, &packet);
}

// Housekeeping.

bool RdmaEngine::idle() const {
  if (!from_local_.empty() || !home_port_.responses.empty()) return false;
  if (!home_port_.requests.queue.empty()) return false;
  for (const auto& out : to_fabric_) {
    if (!out.queue.empty()) return false;
  }
  return coalescer_.empty() && awaiting_ == 0 && serving_ == 0;
}

void RdmaEngine::describe_waiting(std::vector<Waiting>& out) const {
  const auto queue = [&](const std::string& what, std::size_t items, WaitKind kind,
                         const char* waits_for) {
    if (items != 0) out.push_back({std::string(name()) + "." + what, items, kind, waits_for});
  };
  queue("from_local", from_local_.size(), WaitKind::kQueueFull, "room among the outgoing requests");
  queue("outgoing_requests", to_fabric_[kRequest].queue.size(), WaitKind::kNetworkTransfer,
        "the fabric to take a request packet");
  queue("awaiting", awaiting_, WaitKind::kDataDependence, "responses of other GPUs");
  for (std::size_t p = 0; p < local_ports_.size(); ++p) {
    queue("responses" + std::to_string(p), local_ports_[p].responses.queue.size(),
          WaitKind::kQueueFull, "END_RESP of the port");
  }
  queue("from_fabric", home_port_.requests.queue.size(), WaitKind::kQueueFull,
        may_send_home() ? "END_REQ of the home slices" : "room for the home slices' responses");
  queue("serving", serving_, WaitKind::kDataDependence, "responses of the home slices");
  queue("from_home", home_port_.responses.size(), WaitKind::kQueueFull,
        "room in a staging buffer or among the outgoing responses");
  for (std::size_t b = 0; b < coalescer_.config().destinations; ++b) {
    queue("staging" + std::to_string(gpu_of(b).value), coalescer_.size(b),
          WaitKind::kNetworkTransfer,
          "more responses, the timeout, or room among the outgoing responses");
  }
  queue("outgoing_answers", to_fabric_[kResponse].queue.size(), WaitKind::kNetworkTransfer,
        "the fabric to take a response packet");
}

void RdmaEngine::reset() {
  wake_.cancel();
  from_local_.clear();
  for (LocalPort& port : local_ports_) port.reset();
  for (auto& out : to_fabric_) {
    while (!out.queue.empty()) out.queue.pop()->release();
    out.reset();
  }
  auto& packets = home_port_.requests.queue;
  while (!packets.empty()) packets.pop()->release();
  home_port_.reset();
  for (PostedReceiver& r : from_fabric_) r.reset();
  announced_at_ = kNever;
  coalescer_.clear();
  next_pack_cycle_ = 0;
  awaiting_ = 0;
  serving_ = 0;
  asked_.clear();
  stats_ = RdmaStats{};
}

}  // namespace tessera
