// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/coherence_port.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "modules/kernel/configuration_errors.h"

namespace tessera::umh {

std::vector<std::string> CoherencePortConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "bytes_per_cycle", bytes_per_cycle, 1 << 20);
  require_from_one(errors, "entries", entries, 1 << 20);
  return errors;
}

void describe(ParameterVisitor& v, CoherencePortConfig& c) {
  v.integer("bytes_per_cycle", c.bytes_per_cycle, "byte",
            "of messages to a neighbour, per cycle and direction (ours: a line)", 1, 1 << 20);
  v.integer("entries", c.entries, "message",
            "received messages that wait for their lookup, per class and neighbour (ours)", 1,
            1 << 20);
}

void CoherenceInbox::push(Tick due, std::uint32_t port, CoherenceMessage&& message) {
  const std::size_t c = umh::index_of(class_of(message.type));
  messages.push_back(std::move(message));
  queues[c].push(due, port, std::prev(messages.end()));
}

CoherenceMessage CoherenceInbox::pop(std::size_t message_class) {
  const Item item = queues[message_class].pop();
  CoherenceMessage message = std::move(*item);
  messages.erase(item);
  return message;
}

void CoherenceInbox::clear() {
  for (TimedQueue<Item>& q : queues) q.clear();
  messages.clear();
}

void CoherenceCredits::advance(Tick t) {
  const auto usable =
      std::partition(returned_.begin(), returned_.end(), [t](Tick at) { return at > t; });
  usable_ += static_cast<std::size_t>(returned_.end() - usable);
  returned_.erase(usable, returned_.end());
}

Tick CoherenceCredits::next() const {
  return returned_.empty() ? kNever : *std::min_element(returned_.begin(), returned_.end());
}

CoherencePort::CoherencePort(const CoherencePortConfig& config, const ClockDomain& clock,
                             ProcessTimer& wake, CoherenceInbox& inbox, std::uint32_t index,
                             std::uint64_t latency, std::uint32_t mask_granularity,
                             CreditStalls& stalls)
    : config_(config),
      clock_(clock),
      wake_(wake),
      inbox_(inbox),
      index_(index),
      latency_(latency),
      mask_granularity_(mask_granularity),
      stalls_(stalls) {}

void CoherencePort::bind(CoherenceIf* peer, std::string peer_name) {
  peer_ = peer;
  peer_name_ = std::move(peer_name);
  for (Output& o : outputs_) o.credits.reset(peer->entries());
}

void CoherencePort::send(CoherenceMessage&& message, Tick ready) {
  const MessageClass c = class_of(message.type);
  outputs_[umh::index_of(c)].queue.push_back({ready, std::move(message)});
}

/// The oldest message whose class has a credit. Later classes win a tie.
CoherencePort::Choice CoherencePort::choose() const {
  Choice best;
  for (std::size_t c = 0; c < kMessageClasses; ++c) {
    const Output& o = outputs_[c];
    if (o.queue.empty() || !o.credits.any() || o.queue.front().ready > best.ready) continue;
    best = {c, o.queue.front().ready};
  }
  return best;
}

std::optional<CoherencePort::Sent> CoherencePort::run(Tick t) {
  for (Output& o : outputs_) o.credits.advance(t);
  if (free_at_ > t) return std::nullopt;
  for (std::size_t c = 0; c < kMessageClasses; ++c) {
    Output& o = outputs_[c];
    if (o.queue.empty() || o.queue.front().ready > t || o.credits.any()) continue;
    o.stalls.stall(stalls_[c], t);
  }
  const Choice best = choose();
  if (best.ready > t) return std::nullopt;
  Output& o = outputs_[best.message_class];
  CoherenceMessage message = std::move(o.queue.front().message);
  o.queue.pop_front();
  o.credits.use();
  o.stalls.proceed(t);
  const std::uint32_t bytes = message.bytes(mask_granularity_);
  free_at_ = clock_.after(t, (bytes - 1) / config_.bytes_per_cycle + 1);
  peer_->deliver(std::move(message), free_at_);
  return Sent{best.message_class, bytes};
}

Tick CoherencePort::next(Tick t) const {
  Tick next = kNever;
  const Choice best = choose();
  if (best.ready != kNever) next = std::max(best.ready, free_at_);
  for (const Output& o : outputs_) {
    if (o.queue.empty()) continue;
    next = std::min(next, o.credits.next());
    // A stall begins at this time, whatever else runs the process.
    const Tick ready = std::max(o.queue.front().ready, free_at_);
    if (ready > t) next = std::min(next, ready);
  }
  return next == kNever ? kNever : clock_.after(std::max(next, t), 0);
}

void CoherencePort::release(MessageClass message_class) {
  peer_->return_credit(message_class, clock_.after(now(), 1));
}

void CoherencePort::deliver(CoherenceMessage&& message, Tick at) {
  const Tick due = clock_.after(at, latency_);
  inbox_.push(due, index_, std::move(message));
  wake_.at(due);
}

void CoherencePort::return_credit(MessageClass message_class, Tick at) {
  Output& o = outputs_[umh::index_of(message_class)];
  o.credits.give_back(at);
  if (!o.queue.empty()) wake_.at(clock_.after(at, 0));
}

bool CoherencePort::idle() const {
  return std::all_of(outputs_.begin(), outputs_.end(),
                     [](const Output& o) { return o.queue.empty(); });
}

void CoherencePort::describe_waiting(const std::string& block, std::vector<Waiting>& out) const {
  for (std::size_t c = 0; c < kMessageClasses; ++c) {
    const Output& o = outputs_[c];
    if (o.queue.empty()) continue;
    const std::string what = std::string(name_of(static_cast<MessageClass>(c)));
    out.push_back({block + ".out_" + what, o.queue.size(),
                   o.credits.any() ? WaitKind::kBandwidth : WaitKind::kQueueFull,
                   (!o.credits.any() ? "an entry of class " + what + " at " : "the channel to ") +
                       peer_name_ + " (" + o.queue.front().message.describe() + ")"});
  }
}

void CoherencePort::reset() {
  for (Output& o : outputs_) {
    o.queue.clear();
    o.stalls = {};
    o.credits.reset(peer_ == nullptr ? 0 : peer_->entries());
  }
  free_at_ = 0;
}

}  // namespace tessera::umh
