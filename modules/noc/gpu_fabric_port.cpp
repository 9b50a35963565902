// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/gpu_fabric_port.h"

#include <algorithm>
#include <utility>

#include "common/bits.h"
#include "modules/kernel/unlikely.h"

namespace tessera {
namespace {

constexpr char kMisaddressed[] = "/tessera/noc/misaddressed_packet";

constexpr const char* kClassNames[kPacketClasses] = {"request", "response"};

}  // namespace

GpuFabricPort::GpuFabricPort(std::string name, const GpuFabricConfig& config, unsigned gpu,
                             unsigned gpus)
    : name_(std::move(name)),
      domain_(Domain::under_construction()),
      config_(config),
      gpu_(gpu),
      gpus_(gpus),
      check_(PayloadRules{}),
      clock_(config.clock_hz),
      latency_(config.latency_cycles()),
      room_(config.switch_packets + 2 * latency_),
      egress_{{}, {PostedReceiver(config.port_packets), PostedReceiver(config.port_packets)}, {}},
      stats_(gpus),
      heads_to_(gpus),
      credits_to_(gpus) {
  egress_.credits.fill(room_);
  ingress_.queues.resize(std::size_t{gpus} * kPacketClasses);
  wake_.bind<&GpuFabricPort::process>(*this);
}

void GpuFabricPort::connect(GpuFabricPort& from, GpuFabricPort& to) {
  // Edges are rounded to ticks, so that L cycles can be a tick shorter than from time 0.
  const Tick latency = from.clock_.time_of(from.latency_) - 1;
  from.heads_to_[to.gpu_] = std::make_unique<DomainLink<Head>>(
      from.name_, from.domain_, to.name_, to.domain_, latency, [&to](Tick at, Head&& head) {
        to.crossing_.push(head.due, head.queue, head.item);
        ++to.held_;
        to.wake_.at(at);
      });
  // Only an egress that needs a credit is woken by it.
  to.credits_to_[from.gpu_] = std::make_unique<DomainLink<Credit>>(
      to.name_, to.domain_, from.name_, from.domain_, latency, [&from](Tick at, Credit&& credit) {
        from.credits_.push(credit.due, 0, credit.packet_class);
        if (from.needs_credit()) from.wake_.at(at);
      });
}

void GpuFabricPort::bind(unsigned packet_class, Backward* in, Forward* out) {
  egress_.receivers[packet_class].bind(in);
  ingress_.senders[packet_class].bind(out);
}

// Transport.

bool GpuFabricPort::addressed(const LinkPacket& packet, unsigned packet_class) const {
  return packet.from.value == gpu_ && packet.to.value < gpus_ && packet.to != packet.from &&
         static_cast<unsigned>(packet.channel) == packet_class && packet.bytes >= 1;
}

tlm::tlm_sync_enum GpuFabricPort::forward(unsigned packet_class, const sc_core::sc_object& socket,
                                          tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                          sc_core::sc_time& delay) {
  Egress& e = egress_;
  PostedReceiver& receiver = e.receivers[packet_class];
  if (phase != tlm::BEGIN_REQ) return receiver.begin(payload, phase, delay, 0);
  auto* const arrived = dynamic_cast<LinkPacket*>(&payload);
  if (unlikely(arrived == nullptr)) {
    check_.response(socket, payload, PayloadFault::kNotAPacket);
    return tlm::TLM_COMPLETED;
  }
  LinkPacket& packet = *arrived;
  if (!addressed(packet, packet_class)) {
    const std::string text = socket.name() + (": a packet of " + std::to_string(packet.bytes)) +
                             " bytes from GPU " + std::to_string(packet.from.value) + " to GPU " +
                             std::to_string(packet.to.value) + " does not belong here";
    SC_REPORT_ERROR(kMisaddressed, text.c_str());
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  const Tick at = now() + delay.value();
  const Cycle arrival = clock_.cycle_from(at);
  const tlm::tlm_sync_enum sync =
      receiver.begin(payload, phase, delay, clock_.time_of(arrival + 1) - at);
  payload.acquire();
  e.waiting[packet_class].push(arrival, 0, &packet);
  ++held_;
  e.next = std::min(e.next, arrival);
  wake_.at(clock_.time_of(arrival));
  return sync;
}

tlm::tlm_sync_enum GpuFabricPort::backward(unsigned packet_class, tlm::tlm_generic_payload& payload,
                                           tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  Ingress& g = ingress_;
  const tlm::tlm_sync_enum sync = g.senders[packet_class].end(payload, phase, delay);
  if (g.ready != 0) {
    const Cycle cycle = clock_.cycle_from(now() + 1);
    g.next = std::min(g.next, cycle);
    wake_.at(clock_.time_of(cycle));
  }
  return sync;
}

// Processes.

void GpuFabricPort::process() {
  const Cycle cycle = clock_.cycle_at(now());
  take_credits(cycle);
  reach_outputs(cycle);
  if (ingress_.next <= cycle) serve_ingress(cycle);
  if (egress_.next <= cycle) serve_egress(cycle);
  schedule_next();
}

void GpuFabricPort::take_credits(Cycle cycle) {
  while (credits_.due(cycle)) {
    if (egress_.credits[credits_.pop()]++ == 0) egress_.next = std::min(egress_.next, cycle);
  }
}

/// Moves heads that have passed the switch to their output queues.
void GpuFabricPort::reach_outputs(Cycle cycle) {
  Ingress& g = ingress_;
  while (crossing_.due(cycle)) {
    const std::uint32_t queue = crossing_.front_port();
    g.queues[queue].push(cycle, 0, crossing_.pop());
    g.ready |= std::uint64_t{1} << queue;
    g.next = std::min(g.next, cycle);
  }
}

void GpuFabricPort::serve_ingress(Cycle cycle) {
  Ingress& g = ingress_;
  g.next = kNever;
  if (g.ready == 0) return;
  if (g.free_at > cycle) {
    g.next = g.free_at;
    return;
  }
  // Round robin: the queues after the one served last, then those up to it.
  const std::uint64_t behind = ~std::uint64_t{0} << g.last << 1;
  for (std::uint64_t turn : {g.ready & behind, g.ready & ~behind}) {
    for (; turn != 0; turn &= turn - 1) {
      const unsigned queue = lowest_bit(turn);
      const Cycle start =
          earliest(g.senders[queue % kPacketClasses], g.queues[queue].front().flits);
      if (start == cycle) {
        deliver(queue, cycle);
        if (g.ready != 0) g.next = g.free_at;
        return;
      }
      g.next = std::min(g.next, start);
    }
  }
}

/// The first cycle, the present one or later, in which a packet can begin so that the receiver
/// accepts it when its tail arrives; kNever while a completion is outstanding.
Cycle GpuFabricPort::earliest(const PostedSender& sender, std::uint32_t flits) const {
  if (sender.free_at() == kNever) return kNever;
  const Tick t = now();
  return clock_.cycle_from(next_send_edge(clock_, sender, t, t, flits));
}

void GpuFabricPort::deliver(unsigned queue, Cycle cycle) {
  Ingress& g = ingress_;
  const Item item = g.queues[queue].pop();
  if (g.queues[queue].empty()) g.ready &= ~(std::uint64_t{1} << queue);
  g.last = queue;
  g.free_at = cycle + item.flits;
  --held_;

  const unsigned source = queue / kPacketClasses;
  const unsigned packet_class = queue % kPacketClasses;
  const Cycle returned = cycle + latency_;
  credits_to_[source]->send(clock_.time_of(returned), {returned, packet_class});

  const Tick delivered = clock_.time_of(g.free_at);
  ++stats_.packets[source];
  stats_.bytes[source] += item.packet->bytes;
  stats_.ingress_busy += item.flits;
  stats_.packet_latency.add(g.free_at - item.arrived);
  stats_.series.add(item.packet->bytes, delivered);

  g.senders[packet_class].send(*item.packet, delivered - now());
  item.packet->release();
}

void GpuFabricPort::serve_egress(Cycle cycle) {
  Egress& e = egress_;
  for (unsigned turn = 1; turn <= kPacketClasses && e.free_at <= cycle; ++turn) {
    const unsigned c = (e.last + turn) % kPacketClasses;
    if (!e.waiting[c].due(cycle) || e.credits[c] == 0) continue;
    const Cycle arrived = e.waiting[c].next_due();
    LinkPacket* const packet = e.waiting[c].pop();
    const std::uint32_t flits = config_.flits(packet->bytes);
    e.last = c;
    e.free_at = cycle + flits;
    --e.credits[c];
    --held_;
    stats_.egress_busy += flits;
    e.receivers[c].release();
    const Cycle at_output = cycle + latency_;
    heads_to_[packet->to.value]->send(
        clock_.time_of(at_output),
        {{packet, arrived, flits}, at_output, gpu_ * kPacketClasses + c});
  }
  Cycle due = kNever;
  for (unsigned c = 0; c < kPacketClasses; ++c) {
    if (e.credits[c] != 0) due = std::min(due, e.waiting[c].next_due());
  }
  e.next = due == kNever ? kNever : std::max(due, e.free_at);
}

/// Whether a packet waits for a credit, and not for its link only.
bool GpuFabricPort::needs_credit() const {
  for (unsigned c = 0; c < kPacketClasses; ++c) {
    if (egress_.credits[c] == 0 && !egress_.waiting[c].empty()) return true;
  }
  return false;
}

void GpuFabricPort::schedule_next() {
  Cycle next = std::min({crossing_.next_due(), egress_.next, ingress_.next});
  if (needs_credit()) next = std::min(next, credits_.next_due());
  if (next != kNever) wake_.at(clock_.time_of(next));
}

// Housekeeping.

bool GpuFabricPort::idle() const {
  const auto completed = [](const PostedSender& s) { return s.waiting_for() == nullptr; };
  return held_ == 0 && std::all_of(ingress_.senders.begin(), ingress_.senders.end(), completed);
}

void GpuFabricPort::describe_waiting(const std::string& fabric,
                                     std::vector<Waiting>& waiting) const {
  for (unsigned c = 0; c < kPacketClasses; ++c) {
    const std::string end = ".gpu" + std::to_string(gpu_) + "." + kClassNames[c];
    const std::string taken = "GPU " + std::to_string(gpu_) + " to take a " + kClassNames[c];
    if (!egress_.waiting[c].empty()) {
      waiting.push_back({fabric + ".egress" + end, egress_.waiting[c].size(),
                         egress_.credits[c] == 0 ? WaitKind::kQueueFull : WaitKind::kBandwidth,
                         egress_.credits[c] == 0 ? "room in the switch" : "the link"});
    }
    const bool blocked = ingress_.senders[c].waiting_for() != nullptr;
    if (blocked) waiting.push_back({fabric + ".ingress" + end, 1, WaitKind::kQueueFull, taken});
    for (unsigned s = 0; s < gpus_; ++s) {
      const TimedQueue<Item>& queue = ingress_.queues[s * kPacketClasses + c];
      if (queue.empty()) continue;
      waiting.push_back({fabric + ".switch" + end + ".from" + std::to_string(s), queue.size(),
                         blocked ? WaitKind::kQueueFull : WaitKind::kBandwidth,
                         blocked ? taken : "the link"});
    }
  }
}

void GpuFabricPort::reset() {
  while (!crossing_.empty()) crossing_.pop().packet->release();
  credits_.clear();
  for (unsigned c = 0; c < kPacketClasses; ++c) {
    while (!egress_.waiting[c].empty()) egress_.waiting[c].pop()->release();
    egress_.receivers[c].reset();
  }
  egress_.credits.fill(room_);
  egress_.free_at = 0;
  egress_.next = kNever;
  egress_.last = kPacketClasses - 1;
  for (TimedQueue<Item>& queue : ingress_.queues) {
    while (!queue.empty()) queue.pop().packet->release();
  }
  for (PostedSender& sender : ingress_.senders) sender.reset();
  ingress_.ready = 0;
  ingress_.free_at = 0;
  ingress_.next = kNever;
  ingress_.last = 63;
  held_ = 0;
  wake_.cancel();
  stats_.reset();
}

}  // namespace tessera
