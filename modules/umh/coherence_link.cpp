// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/coherence_link.h"

#include <algorithm>
#include <map>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/umh/coherence_block.h"

namespace tessera::umh {

std::vector<std::string> CoherenceLinkConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "clock_hz", clock_hz, 100'000'000'000);
  require_from_one(errors, "bytes_per_cycle", bytes_per_cycle, 1 << 20);
  require_from_one(errors, "entries", entries, 1 << 20);
  return errors;
}

void describe(ParameterVisitor& v, CoherenceLinkConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock (ours: 16 bytes a cycle are PCIe's 16 GB/s)",
            1'000'000, 100'000'000'000);
  v.integer("bytes_per_cycle", c.bytes_per_cycle, "byte",
            "of one direction of a link: 16 for PCIe, 80 for NVLink (UMH Table III)", 1, 1 << 20);
  v.integer("latency_ns", c.latency_ns, "ns", "of a link, beside the transfer (ours)", 0,
            1'000'000);
  v.flag("shared", c.shared,
         "all devices share one link (UMH Table III: shared or point-to-point)");
  v.integer("entries", c.entries, "message",
            "queued messages per class and end, beside those that the latency covers (ours)", 1,
            1 << 20);
}

void describe(StatisticsVisitor& v, CoherenceLinkStats& s) {
  for (std::size_t i = 0; i < kMessageTypes; ++i) {
    const std::string type = name_of(static_cast<MessageType>(i));
    v.counter("messages_" + type, s.messages[i], "message", "messages of type " + type);
    v.counter("bytes_" + type, s.bytes[i], "byte", "bytes of messages of type " + type);
  }
  for (std::size_t i = 0; i < kMessageClasses; ++i) {
    const std::string c = name_of(static_cast<MessageClass>(i));
    v.counter("stalls_" + c, s.stalls_credit[i], "message",
              "messages of class " + c + " that waited for an entry of the next queue");
    v.waits(WaitKind::kQueueFull, {"stalls_" + c});
  }
  v.counter("peer_bytes", s.peer_bytes, "byte", "bytes between devices, counted once");
  v.bandwidth("bandwidth", s.bandwidth, "bytes of all messages over time");
}

CoherenceLink::CoherenceLink(const sc_core::sc_module_name& name, const CoherenceLinkConfig& config,
                             const CoherenceLinkEnds& ends)
    : BlockBase(name, config),
      parents("parents", ends.parent_sockets),
      children("children", static_cast<unsigned>(ends.device_of_child.size())),
      site_(ends),
      clock_(config.clock_hz),
      latency_(config.latency_ns * 1'000'000),
      room_(config.entries + clock_.cycle_at(clock_.after(latency_, 0))) {
  wake_.bind<&CoherenceLink::process>(*this);
  const auto sockets = static_cast<unsigned>(parents.size() + children.size());
  for (unsigned i = 0; i < sockets; ++i) {
    End& end = ends_.emplace_back(*this, i);
    if (i < ends.parent_sockets) {
      parents[i].bind(static_cast<CoherenceBackwardIf&>(end));
    } else {
      children[i - ends.parent_sockets].bind(static_cast<CoherenceForwardIf&>(end));
    }
  }
  for (const auto& [agent, socket] : ends.sockets) {
    socket_of_.emplace(static_cast<std::uint16_t>(agent), socket);
  }
  unsigned links = 1;
  for (unsigned i = 0; i < sockets; ++i) {
    if (on_device(i)) links = std::max(links, link_of(i) + 1);
  }
  for (unsigned i = 0; i < links; ++i) {
    directions_.emplace_back().name = "to_host" + std::to_string(i);
    directions_.emplace_back().name = "to_device" + std::to_string(i);
  }
}

void CoherenceLink::end_of_elaboration() {
  for (End& end : ends_) {
    if (end.index < site_.parent_sockets) {
      end.peer = parents[end.index].operator->();
      end.peer_name = parents[end.index].name();
    } else {
      CoherenceTargetSocket& socket = children[end.index - site_.parent_sockets];
      end.peer = socket.operator->();
      end.peer_name = socket.name();
    }
    for (CoherenceCredits& c : end.credits) c.reset(end.peer->entries());
  }
}

void CoherenceLink::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

bool CoherenceLink::on_device(unsigned socket) const {
  return socket >= site_.parent_sockets || !site_.device_of_parent.empty();
}

unsigned CoherenceLink::link_of(unsigned socket) const {
  if (config_.shared) return 0;
  return socket < site_.parent_sockets ? site_.device_of_parent[socket]
                                       : site_.device_of_child[socket - site_.parent_sockets];
}

void CoherenceLink::End::deliver(CoherenceMessage&& message, Tick at) {
  const std::size_t c = umh::index_of(class_of(message.type));
  const unsigned to = link.socket_of_.at(static_cast<std::uint16_t>(message.to));
  Direction& d =
      link.on_device(index) ? link.directions_[2 * link.link_of(index)] : link.to_device(to);
  link.messages_.push_back({std::move(message), index, to, true});
  const Tick due = link.clock_.after(at, 0);
  d.queues[c].push(due, index, std::prev(link.messages_.end()));
  link.wake_.at(due);
}

void CoherenceLink::End::return_credit(MessageClass message_class, Tick at) {
  credits[umh::index_of(message_class)].give_back(at);
  if (!link.messages_.empty()) link.wake_.at(link.clock_.after(at, 0));
}

void CoherenceLink::process() {
  const Tick t = now();
  if (!clock_.is_edge(t)) {
    wake_.at(clock_.after(t, 0));
    return;
  }
  for (End& end : ends_) {
    for (std::size_t c = 0; c < kMessageClasses; ++c) {
      end.credits[c].advance(t);
      deliver_arriving(end, c, t);
    }
  }
  for (Direction& d : directions_) serve(d, t);
  schedule_next(t);
}

/// Whether the message must still take the direction to a device.
bool CoherenceLink::leaves_for_device(const Item& item) const {
  return item.first && on_device(item.from) && on_device(item.to);
}

bool CoherenceLink::can_proceed(const Item& item, std::size_t message_class) const {
  if (leaves_for_device(item)) {
    return to_device(item.to).of_devices[message_class] < room_;
  }
  return ends_[item.to].arriving[message_class].size() < room_;
}

void CoherenceLink::serve(Direction& d, Tick t) {
  if (d.free_at > t) return;
  for (std::size_t i = 1; i <= kMessageClasses; ++i) {
    const std::size_t c = (d.last + i) % kMessageClasses;
    if (!d.queues[c].due(t)) continue;
    if (!can_proceed(*d.queues[c].front(), c)) {
      d.stalls[c].stall(stats_.stalls_credit[c], t);
      continue;
    }
    d.last = c;
    d.stalls[c].proceed(t);
    transfer(d, c, t);
    return;
  }
}

/// Sends the first message of a class.
void CoherenceLink::transfer(Direction& d, std::size_t message_class, Tick t) {
  const ItemId id = d.queues[message_class].pop();
  Item& item = *id;
  const std::uint32_t bytes = item.message.bytes(site_.mask_granularity);
  d.free_at = clock_.after(t, (bytes - 1) / config_.bytes_per_cycle + 1);
  if (item.first) {
    const auto type = static_cast<std::size_t>(item.message.type);
    ++stats_.messages[type];
    stats_.bytes[type] += bytes;
    stats_.bandwidth.add(bytes, t);
    ends_[item.from].peer->return_credit(static_cast<MessageClass>(message_class), d.free_at);
  }
  if (leaves_for_device(item)) {
    stats_.peer_bytes += bytes;
    item.first = false;
    ++to_device(item.to).of_devices[message_class];
    to_device(item.to).queues[message_class].push(clock_.after(t + latency_, 0), item.from, id);
    return;
  }
  if (!item.first) --d.of_devices[message_class];
  item.arriving = true;
  End& end = ends_[item.to];
  end.arriving[message_class].push(d.free_at + latency_, item.from, id);
  deliver_arriving(end, message_class, t);
}

/// Gives messages the receiver's entries, in order of arrival. One that has waited arrives in the
/// cycle after.
void CoherenceLink::deliver_arriving(End& end, std::size_t message_class, Tick t) {
  TimedQueue<ItemId>& q = end.arriving[message_class];
  CoherenceCredits& credits = end.credits[message_class];
  while (!q.empty() && credits.any()) {
    const Tick at = std::max(q.next_due(), clock_.after(t, 1));
    const ItemId id = q.pop();
    credits.use();
    CoherenceMessage message = std::move(id->message);
    messages_.erase(id);
    end.peer->deliver(std::move(message), at);
  }
}

void CoherenceLink::schedule_next(Tick t) {
  Tick next = kNever;
  for (Direction& d : directions_) {
    for (std::size_t c = 0; c < kMessageClasses; ++c) {
      TimedQueue<ItemId>& q = d.queues[c];
      if (q.empty()) continue;
      const Item& item = *q.front();
      const Tick ready = std::max(q.next_due(), d.free_at);
      if (can_proceed(item, c) || ready > t) {
        // Also if it cannot proceed: a stall begins at this time, whatever else runs the process.
        next = std::min(next, ready);
      }
    }
  }
  for (const End& end : ends_) {
    for (std::size_t c = 0; c < kMessageClasses; ++c) {
      if (!end.arriving[c].empty()) next = std::min(next, end.credits[c].next());
    }
  }
  if (next != kNever) wake_.at(clock_.after(std::max(next, t + 1), 0));
}

void CoherenceLink::overlay(std::uint64_t address, unsigned char* bytes) {
  for (const Item& i : messages_) overlay_message(i.message, address / kLineBytes, bytes);
}

void CoherenceLink::replace(std::uint64_t address, const unsigned char* bytes,
                            const ByteMask& mask) {
  for (Item& i : messages_) replace_in_message(i.message, address / kLineBytes, bytes, mask);
}

void CoherenceLink::describe_waiting(std::vector<Waiting>& out) const {
  struct Queue {
    std::size_t items = 0;
    const Item* first = nullptr;
  };
  std::map<std::string, Queue> queues;
  for (const Item& i : messages_) {
    const bool to_host = i.first && on_device(i.from);
    const unsigned direction = to_host ? 2 * link_of(i.from) : 2 * link_of(i.to) + 1;
    Queue& q = queues[std::string(name()) + (i.arriving ? ".end_" : ".") +
                      directions_[direction].name + "_" + name_of(class_of(i.message.type))];
    ++q.items;
    if (q.first == nullptr) q.first = &i;
  }
  for (const auto& [queue, q] : queues) {
    const MessageClass c = class_of(q.first->message.type);
    std::string waits = "a place at the end of the link to ";
    WaitKind kind = WaitKind::kQueueFull;
    if (q.first->arriving) {
      waits = std::string("an entry of class ") + name_of(c) + " at ";
    } else if (can_proceed(*q.first, umh::index_of(c))) {
      waits = "the link to ";
      kind = WaitKind::kBandwidth;
    }
    out.push_back(
        {queue, q.items, kind,
         waits + ends_[q.first->to].peer_name + " (" + q.first->message.describe() + ")"});
  }
}

void CoherenceLink::reset() {
  for (Direction& d : directions_) {
    for (TimedQueue<ItemId>& q : d.queues) q.clear();
    d.free_at = 0;
    d.last = kMessageClasses - 1;
    d.stalls = {};
    d.of_devices = {};
  }
  messages_.clear();
  for (End& end : ends_) {
    for (CoherenceCredits& c : end.credits) {
      if (end.peer != nullptr) c.reset(end.peer->entries());
    }
    for (TimedQueue<ItemId>& q : end.arriving) q.clear();
  }
  stats_ = CoherenceLinkStats();
  wake_.cancel();
}

}  // namespace tessera::umh
