// SPDX-License-Identifier: Apache-2.0
#include "platforms/timeline/coherence_tracer.h"

#include <algorithm>

#include "modules/kernel/time.h"

namespace tessera {

namespace {

using umh::MessageType;

PlannedBlockId block_of(umh::AgentId agent) { return static_cast<PlannedBlockId>(agent); }

bool concerns(const umh::CoherenceMessage& m, std::uint64_t line) {
  return line >= m.line && line < m.line + m.lines;
}

}  // namespace

// Requests.

void CoherenceTracer::follow(const tlm::tlm_generic_payload& payload, PlannedBlockId l1) {
  followed_[&payload] = {payload.get_address() / umh::kLineBytes, l1};
}

/// Whether a message that leaves a block carries the request.
bool CoherenceTracer::moves(Followed& f, const umh::CoherenceMessage& m, PlannedBlockId from) {
  if (f.block != from || f.arrives > now() || !concerns(m, f.line)) return false;
  const PlannedBlockId sender = block_of(m.from);
  const PlannedBlockId receiver = block_of(m.to);
  if (sender != from) return sender == f.sender && receiver == f.receiver;  // a link passes it on
  switch (m.type) {
    case MessageType::kReadRequest:
    case MessageType::kWriteRequest:
    case MessageType::kReadSnoop:
    case MessageType::kInvalidateSnoop:
      f.requesters.push_back(sender);
      break;
    case MessageType::kGrant:
    case MessageType::kPeerData:
    case MessageType::kSnoopData:
    case MessageType::kSnoopAck: {
      const auto waits = std::find(f.requesters.begin(), f.requesters.end(), receiver);
      if (waits == f.requesters.end()) return false;
      f.requesters.erase(waits, f.requesters.end());
      break;
    }
    default:
      return false;
  }
  f.sender = sender;
  f.receiver = receiver;
  return true;
}

void CoherenceTracer::message(const umh::CoherenceMessage& m, PlannedBlockId from,
                              PlannedBlockId to, Tick at) {
  record(m, from, to, at);
  std::vector<std::pair<std::uint64_t, const tlm::tlm_generic_payload*>> moved;
  for (auto& [payload, f] : followed_) {
    if (moves(f, m, from)) moved.emplace_back(requests_.id_of(*payload), payload);
  }
  std::sort(moved.begin(), moved.end());
  for (const auto& [id, payload] : moved) {
    Followed& f = followed_[payload];
    f.block = to;
    f.arrives = at;
    const bool response = umh::class_of(m.type) == umh::MessageClass::kData ||
                          umh::class_of(m.type) == umh::MessageClass::kAcknowledgement;
    requests_.move(*payload, to, at, response);
  }
}

umh::CoherentAccessObserver& CoherenceTracer::observer(PlannedBlockId l1) {
  return observers_.emplace_back(*this, l1);
}

void CoherenceTracer::Observer::on_lookup(const tlm::tlm_generic_payload& payload) {
  const auto found = tracer.followed_.find(&payload);
  if (found != tracer.followed_.end()) found->second.arrives = now();
  tracer.requests_.move(payload, l1, now(), false);
}

void CoherenceTracer::Observer::on_completed(const tlm::tlm_generic_payload& payload,
                                             const umh::CoherentOutcome&) {
  tracer.followed_.erase(&payload);
  tracer.requests_.move(payload, l1, now(), true);
}

// Transactions.

void CoherenceTracer::record(const umh::CoherenceMessage& m, PlannedBlockId from, PlannedBlockId to,
                             Tick at) {
  const bool write_back = m.type == MessageType::kWriteBack || m.type == MessageType::kWriteBackAck;
  const bool begins = m.type == MessageType::kReadRequest || m.type == MessageType::kWriteRequest ||
                      m.type == MessageType::kWriteBack;
  if (begins && to == block_of(m.to)) {
    if (counted_[to]++ % trace_.options().sample == 0) {
      transactions_[{to, block_of(m.from), m.line, write_back}] = at;
    }
    return;
  }
  const bool ends = m.type == MessageType::kGrant || m.type == MessageType::kWriteBackAck;
  if (!ends || from != block_of(m.from)) return;
  const auto begun = transactions_.find({from, block_of(m.to), m.line, write_back});
  if (begun == transactions_.end()) return;
  if (lanes_[from] == nullptr) lanes_[from] = &trace_.lanes(trace_.block(from), "transactions");
  trace_.slice(*lanes_[from], write_back ? "write-back" : "request", begun->second,
               std::max(now(), begun->second),
               {EventValue::address("address", m.line * umh::kLineBytes),
                EventValue::of("requester", block_of(m.to))});
  transactions_.erase(begun);
}

// Splices.

CoherenceRecorder::CoherenceRecorder(const sc_core::sc_module_name& name, PlannedBlockId child,
                                     PlannedBlockId parent, CoherenceTracer& tracer)
    : sc_module(name),
      target("target"),
      initiator("initiator"),
      up_(initiator, child, parent, tracer),
      down_(target, parent, child, tracer) {
  target.bind(static_cast<umh::CoherenceForwardIf&>(up_));
  initiator.bind(static_cast<umh::CoherenceBackwardIf&>(down_));
}

}  // namespace tessera
