// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/gpu_fabric.h"

#include <algorithm>
#include <string>

#include "modules/core/report.h"
#include "modules/core/statistics_visitor.h"
#include "modules/core/unlikely.h"

namespace tessera {
namespace {

constexpr char kMisaddressed[] = "/tessera/noc/misaddressed_packet";
constexpr char kPostedOnly[] = "/tessera/noc/posted_only";

constexpr const char* kClassNames[kPacketClasses] = {"request", "response"};

const GpuFabricConfig& sound(const char* name, const GpuFabricConfig& config, unsigned gpus) {
  const std::vector<std::string> errors = config.validate(gpus);
  if (!errors.empty()) {
    std::string text = std::string(name) + ":";
    for (const std::string& e : errors) text += "\n  " + e;
    SC_REPORT_FATAL(report::kConfiguration, text.c_str());
  }
  return config;
}

unsigned lowest_bit(std::uint64_t word) { return static_cast<unsigned>(__builtin_ctzll(word)); }

}  // namespace

GpuFabric::GpuFabric(const sc_core::sc_module_name& name, const GpuFabricConfig& config,
                     unsigned gpus)
    : sc_module(name),
      in("in", gpus * kPacketClasses),
      out("out", gpus * kPacketClasses),
      config_(sound(this->name(), config, gpus)),
      check_(PayloadRules{}),
      clock_(config.clock_hz),
      latency_(config.latency_cycles()),
      room_(config.switch_packets + latency_),
      stats_(gpus) {
  for (unsigned g = 0; g < gpus; ++g) {
    egress_.emplace_back(config.port_packets);
    ingress_.emplace_back();
    ingress_.back().queues.resize(std::size_t{gpus} * kPacketClasses);
  }
  for (unsigned port = 0; port < in.size(); ++port) {
    const int id = static_cast<int>(port);
    in[port].register_nb_transport_fw(this, &GpuFabric::forward, id);
    in[port].register_b_transport(this, &GpuFabric::blocking, id);
    in[port].register_transport_dbg(this, &GpuFabric::debug, id);
    out[port].register_nb_transport_bw(this, &GpuFabric::backward, id);
  }
  wake_.bind<&GpuFabric::process>(*this);
}

void GpuFabric::end_of_elaboration() {
  for (unsigned port = 0; port < in.size(); ++port) {
    const unsigned gpu = port / kPacketClasses;
    egress_[gpu].receivers[port % kPacketClasses].bind(in[port].operator->());
    ingress_[gpu].senders[port % kPacketClasses].bind(out[port].operator->());
  }
}

void GpuFabric::end_of_simulation() {
  if (idle()) return;
  SC_REPORT_WARNING(report::kInFlight, (std::string(name()) + " still holds packets").c_str());
}

bool GpuFabric::addressed(const LinkPacket& packet, unsigned gpu, unsigned packet_class) const {
  return packet.from.value == gpu && packet.to.value < gpus() && packet.to != packet.from &&
         static_cast<unsigned>(packet.channel) == packet_class && packet.bytes >= 1;
}

tlm::tlm_sync_enum GpuFabric::forward(int port, tlm::tlm_generic_payload& payload,
                                      tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const unsigned gpu = static_cast<unsigned>(port) / kPacketClasses;
  const unsigned packet_class = static_cast<unsigned>(port) % kPacketClasses;
  Egress& e = egress_[gpu];
  PostedReceiver& receiver = e.receivers[packet_class];
  if (phase != tlm::BEGIN_REQ) return receiver.begin(payload, phase, delay, 0);
  auto* const arrived = dynamic_cast<LinkPacket*>(&payload);
  if (unlikely(arrived == nullptr)) {
    check_.response(in[static_cast<unsigned>(port)], payload, PayloadFault::kNotAPacket);
    return tlm::TLM_COMPLETED;
  }
  LinkPacket& packet = *arrived;
  if (!addressed(packet, gpu, packet_class)) {
    const std::string text = in[static_cast<unsigned>(port)].name() +
                             (": a packet of " + std::to_string(packet.bytes)) +
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

tlm::tlm_sync_enum GpuFabric::backward(int port, tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  Ingress& g = ingress_[static_cast<unsigned>(port) / kPacketClasses];
  const tlm::tlm_sync_enum sync =
      g.senders[static_cast<unsigned>(port) % kPacketClasses].end(payload, phase, delay);
  if (g.ready != 0) {
    const Cycle cycle = clock_.cycle_from(now() + 1);
    g.next = std::min(g.next, cycle);
    wake_.at(clock_.time_of(cycle));
  }
  return sync;
}

void GpuFabric::blocking(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  const std::string text = std::string(in[static_cast<unsigned>(port)].name()) +
                           ": packets between GPUs are posted with nb_transport_fw only";
  SC_REPORT_ERROR(kPostedOnly, text.c_str());
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

unsigned GpuFabric::debug(int, tlm::tlm_generic_payload&) { return 0; }

// From the outputs back to the inputs, so that a freed switch entry is used in the same cycle.
void GpuFabric::process() {
  const Tick t = now();
  const Cycle cycle = clock_.cycle_at(t);
  reach_outputs(cycle);
  for (unsigned g = 0; g < gpus(); ++g) {
    if (ingress_[g].next <= cycle) serve_ingress(g, cycle);
  }
  for (unsigned g = 0; g < gpus(); ++g) {
    if (egress_[g].next <= cycle) serve_egress(g, cycle);
  }
  schedule_next();
}

/// Moves heads that have passed the switch to their output queues.
void GpuFabric::reach_outputs(Cycle cycle) {
  while (crossing_.due(cycle)) {
    const std::uint32_t queue = crossing_.front_port();
    const Item item = crossing_.pop();
    Ingress& g = ingress_[item.packet->to.value];
    g.queues[queue].push(cycle, 0, item);
    g.ready |= std::uint64_t{1} << queue;
    g.next = std::min(g.next, cycle);
  }
}

void GpuFabric::serve_ingress(unsigned gpu, Cycle cycle) {
  Ingress& g = ingress_[gpu];
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
        deliver(gpu, queue, cycle);
        if (g.ready != 0) g.next = g.free_at;
        return;
      }
      g.next = std::min(g.next, start);
    }
  }
}

/// The first cycle, the present one or later, in which a packet can begin so that the receiver
/// accepts it when its tail arrives; kNever while a completion is outstanding.
Cycle GpuFabric::earliest(const PostedSender& sender, std::uint32_t flits) const {
  if (sender.free_at() == kNever) return kNever;
  const Tick t = now();
  return clock_.cycle_from(next_send_edge(clock_, sender, t, t, flits));
}

void GpuFabric::deliver(unsigned gpu, unsigned queue, Cycle cycle) {
  Ingress& g = ingress_[gpu];
  const Item item = g.queues[queue].pop();
  if (g.queues[queue].empty()) g.ready &= ~(std::uint64_t{1} << queue);
  g.last = queue;
  g.free_at = cycle + item.flits;
  --held_;

  const unsigned source = queue / kPacketClasses;
  const unsigned packet_class = queue % kPacketClasses;
  Egress& e = egress_[source];
  if (e.in_switch[packet_class]-- == room_) e.next = std::min(e.next, cycle);

  const Tick delivered = clock_.time_of(g.free_at);
  ++stats_.packets[source * gpus() + gpu];
  stats_.bytes[source * gpus() + gpu] += item.packet->bytes;
  stats_.ingress_busy[gpu] += item.flits;
  stats_.packet_latency.add(g.free_at - item.arrived);
  stats_.series.add(item.packet->bytes, delivered);

  g.senders[packet_class].send(*item.packet, delivered - now());
  item.packet->release();
}

void GpuFabric::serve_egress(unsigned gpu, Cycle cycle) {
  Egress& e = egress_[gpu];
  for (unsigned turn = 1; turn <= kPacketClasses && e.free_at <= cycle; ++turn) {
    const unsigned c = (e.last + turn) % kPacketClasses;
    if (!e.waiting[c].due(cycle) || e.in_switch[c] == room_) continue;
    const Cycle arrived = e.waiting[c].next_due();
    LinkPacket* const packet = e.waiting[c].pop();
    const std::uint32_t flits = config_.flits(packet->bytes);
    e.last = c;
    e.free_at = cycle + flits;
    ++e.in_switch[c];
    stats_.egress_busy[gpu] += flits;
    crossing_.push(cycle + latency_, gpu * kPacketClasses + c, {packet, arrived, flits});
    e.receivers[c].release();
  }
  Cycle due = kNever;
  for (unsigned c = 0; c < kPacketClasses; ++c) {
    if (e.in_switch[c] != room_) due = std::min(due, e.waiting[c].next_due());
  }
  e.next = due == kNever ? kNever : std::max(due, e.free_at);
}

void GpuFabric::schedule_next() {
  Cycle next = crossing_.next_due();
  for (const Egress& e : egress_) next = std::min(next, e.next);
  for (const Ingress& g : ingress_) next = std::min(next, g.next);
  if (next != kNever) wake_.at(clock_.time_of(next));
}

bool GpuFabric::idle() const {
  const auto completed = [](const PostedSender& s) { return s.waiting_for() == nullptr; };
  return held_ == 0 && std::all_of(ingress_.begin(), ingress_.end(), [&](const Ingress& g) {
           return std::all_of(g.senders.begin(), g.senders.end(), completed);
         });
}

void GpuFabric::describe_waiting(std::vector<Waiting>& waiting) const {
  const std::string me = name();
  for (unsigned g = 0; g < gpus(); ++g) {
    for (unsigned c = 0; c < kPacketClasses; ++c) {
      const std::string end = ".gpu" + std::to_string(g) + "." + kClassNames[c];
      const std::string taken = "GPU " + std::to_string(g) + " to take a " + kClassNames[c];
      if (!egress_[g].waiting[c].empty()) {
        waiting.push_back({me + ".egress" + end, egress_[g].waiting[c].size(),
                           egress_[g].in_switch[c] == room_ ? "room in the switch" : "the link"});
      }
      const bool blocked = ingress_[g].senders[c].waiting_for() != nullptr;
      if (blocked) waiting.push_back({me + ".ingress" + end, 1, taken});
      for (unsigned s = 0; s < gpus(); ++s) {
        const TimedQueue<Item>& queue = ingress_[g].queues[s * kPacketClasses + c];
        if (queue.empty()) continue;
        waiting.push_back({me + ".switch" + end + ".from" + std::to_string(s), queue.size(),
                           blocked ? taken : "the link"});
      }
    }
  }
  if (!crossing_.empty()) waiting.push_back({me + ".switch", crossing_.size(), "its latency"});
}

void GpuFabric::reset() {
  while (!crossing_.empty()) crossing_.pop().packet->release();
  for (Egress& e : egress_) {
    for (unsigned c = 0; c < kPacketClasses; ++c) {
      while (!e.waiting[c].empty()) e.waiting[c].pop()->release();
      e.receivers[c].reset();
      e.in_switch[c] = 0;
    }
    e.free_at = 0;
    e.next = kNever;
    e.last = kPacketClasses - 1;
  }
  for (Ingress& g : ingress_) {
    for (TimedQueue<Item>& queue : g.queues) {
      while (!queue.empty()) queue.pop().packet->release();
    }
    for (PostedSender& sender : g.senders) sender.reset();
    g.ready = 0;
    g.free_at = 0;
    g.next = kNever;
    g.last = 63;
  }
  held_ = 0;
  wake_.cancel();
  reset_statistics();
}

void GpuFabric::register_statistics(StatisticsRegistry& registry) const {
  register_statistics_of(registry, name(), stats_);
}

}  // namespace tessera
