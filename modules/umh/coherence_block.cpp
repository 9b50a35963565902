// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/coherence_block.h"

#include <algorithm>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera::umh {

std::vector<std::string> CoherenceTiming::validate() const {
  std::vector<std::string> errors = port.validate();
  require_from_one(errors, "clock_hz", clock_hz, 100'000'000'000);
  require_from_one(errors, "latency_cycles", latency_cycles, 10'000);
  require_from_one(errors, "transactions", transactions, 1 << 20);
  return errors;
}

void describe(ParameterVisitor& v, CoherenceTiming& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock (UMH Table III)", 1'000'000, 100'000'000'000);
  v.integer("latency_cycles", c.latency_cycles, "cycle",
            "from the arrival of a message to its lookup (ours)", 1, 10'000);
  v.integer("transactions", c.transactions, "request", "pending accesses and requests (ours)", 1,
            1 << 20);
  describe(v, c.port);
}

void describe(StatisticsVisitor& v, CoherenceBlockStats& s) {
  for (std::size_t i = 0; i < kMessageTypes; ++i) {
    std::string type = name_of(static_cast<MessageType>(i));
    v.counter("received_" + type, s.received[i], "message",
              "messages of type " + type + " looked up");
  }
  for (std::size_t i = 0; i < kMessageTypes; ++i) {
    std::string type = name_of(static_cast<MessageType>(i));
    v.counter("sent_" + type, s.sent[i], "message", "messages of type " + type + " that left");
  }
  for (std::size_t i = 0; i < kMessageClasses; ++i) {
    const std::string c = name_of(static_cast<MessageClass>(i));
    v.counter("bytes_" + c, s.bytes_sent[i], "byte", "sent in messages of class " + c);
  }
  for (std::size_t i = 0; i < kMessageClasses; ++i) {
    const std::string c = name_of(static_cast<MessageClass>(i));
    v.counter("stalls_" + c, s.stalls_credit[i], "message",
              "messages of class " + c + " that waited for an entry at their receiver");
    v.waits(WaitKind::kQueueFull, {"stalls_" + c});
  }
  v.counter("stalls_transactions", s.stalls_transactions, "request",
            "requests whose lookup waited because every transaction was in use");
  v.waits(WaitKind::kResourceBusy, {"stalls_transactions"});
  v.occupancy("pending", s.pending, "request", "accesses and requests that are pending");
}

CoherenceBlock::CoherenceBlock(const sc_core::sc_module_name& name, const CoherenceTiming& timing,
                               const CoherenceSite& site, std::uint32_t mask_granularity)
    : sc_module(name),
      parents("parents", site.parent_sockets),
      children("children", site.child_sockets),
      timing_(sound(this->name(), timing)),
      site_(site),
      clock_(timing.clock_hz) {
  wake_.bind<&CoherenceBlock::process>(*this);
  for (unsigned i = 0; i < site.parent_sockets + site.child_sockets; ++i) {
    CoherencePort& port =
        ports_.emplace_back(timing.port, clock_, wake_, inbox_, i, timing.latency_cycles,
                            mask_granularity, messages_.stalls_credit);
    if (i < site.parent_sockets) {
      parents[i].bind(static_cast<CoherenceBackwardIf&>(port));
    } else {
      children[i - site.parent_sockets].bind(static_cast<CoherenceForwardIf&>(port));
    }
  }
  for (const auto& [agent, socket] : site.sockets) {
    socket_of_.emplace(static_cast<std::uint16_t>(agent), socket);
  }
}

void CoherenceBlock::end_of_elaboration() {
  for (unsigned i = 0; i < ports_.size(); ++i) {
    if (i < site_.parent_sockets) {
      ports_[i].bind(parents[i].operator->(), parents[i].name());
    } else {
      CoherenceTargetSocket& socket = children[i - site_.parent_sockets];
      ports_[i].bind(socket.operator->(), socket.name());
    }
  }
}

void CoherenceBlock::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

CoherencePort& CoherenceBlock::port_of(AgentId agent) {
  const auto at = socket_of_.find(static_cast<std::uint16_t>(agent));
  return ports_[at == socket_of_.end() ? 0 : at->second];
}

void CoherenceBlock::post(CoherenceMessage&& message, Tick ready) {
  ++messages_.sent[static_cast<std::size_t>(message.type)];
  CoherencePort& port = port_of(message.to);
  port.send(std::move(message), ready);
}

void CoherenceBlock::process() {
  const Tick t = now();
  if (!clock_.is_edge(t)) {
    wake_.at(clock_.after(t, 0));
    return;
  }
  before_lookup(t);
  look_up(t);
  after_lookup(t);
  for (CoherencePort& p : ports_) {
    if (const auto sent = p.run(t)) messages_.bytes_sent[sent->message_class] += sent->bytes;
  }
  messages_.pending.set(pending(), t);
  schedule_next(t);
}

bool CoherenceBlock::can_look_up(std::size_t message_class) const {
  return message_class != umh::index_of(MessageClass::kRequest) || can_admit();
}

void CoherenceBlock::look_up(Tick t) {
  if (lookup_free_at_ > t) return;
  for (std::size_t i = kMessageClasses; i-- > 0;) {
    if (!inbox_.queues[i].due(t)) continue;
    if (!can_look_up(i)) {
      stall_tracker_.stall(messages_.stalls_transactions, t);
      continue;
    }
    if (i == umh::index_of(MessageClass::kRequest)) stall_tracker_.proceed(t);
    const std::uint32_t from = inbox_.queues[i].front_port();
    const CoherenceMessage message = inbox_.pop(i);
    ports_[from].release(static_cast<MessageClass>(i));
    ++messages_.received[static_cast<std::size_t>(message.type)];
    lookup_free_at_ = clock_.after(t, 1);
    handle(message);
    return;
  }
}

void CoherenceBlock::schedule_next(Tick t) {
  Tick next = next_work(t);
  for (std::size_t i = 0; i < kMessageClasses; ++i) {
    const auto& queue = inbox_.queues[i];
    if (queue.empty()) continue;
    // Also if it cannot be looked up: a stall begins at this time, whatever else runs the process.
    const Tick ready = std::max(queue.next_due(), lookup_free_at_);
    if (can_look_up(i) || ready > t) next = std::min(next, ready);
  }
  for (const CoherencePort& p : ports_) next = std::min(next, p.next(t));
  wake_.at(next);
}

bool CoherenceBlock::idle() const {
  return inbox_.messages.empty() &&
         std::all_of(ports_.begin(), ports_.end(), [](const auto& p) { return p.idle(); });
}

void CoherenceBlock::describe_waiting(std::vector<Waiting>& out) const {
  const std::string me = name();
  for (std::size_t i = 0; i < kMessageClasses; ++i) {
    const auto& queue = inbox_.queues[i];
    if (queue.empty()) continue;
    out.push_back({me + ".in_" + name_of(static_cast<MessageClass>(i)), queue.size(),
                   WaitKind::kResourceBusy, can_look_up(i) ? "its lookup" : "a free transaction"});
  }
  for (const CoherencePort& p : ports_) p.describe_waiting(me, out);
  const std::string text = describe_transactions();
  if (text.empty()) return;
  out.push_back(
      {me + ".transactions", pending(), WaitKind::kCoherence, text.substr(0, text.find('\n'))});
}

void CoherenceBlock::reset() {
  inbox_.clear();
  for (CoherencePort& p : ports_) p.reset();
  lookup_free_at_ = 0;
  stall_tracker_ = {};
  messages_ = {};
  messages_.pending.reset(now());
  wake_.cancel();
}

void overlay_message(const CoherenceMessage& m, std::uint64_t line, unsigned char* bytes) {
  if (m.type != MessageType::kSnoopData) return;
  for (const LineBytes& l : m.data) {
    if (l.line == line) copy_masked(bytes, l.bytes.data(), l.mask, kLineBytes);
  }
}

void replace_in_message(CoherenceMessage& m, std::uint64_t line, const unsigned char* bytes,
                        ByteMask mask) {
  for (LineBytes& l : m.data) {
    if (l.line == line) copy_masked(l.bytes.data(), bytes, mask, kLineBytes);
  }
}

void CoherenceBlock::register_statistics(StatisticsRegistry& registry) const {
  register_statistics_of(registry, name(), messages_);
}

}  // namespace tessera::umh
