// SPDX-License-Identifier: Apache-2.0
#include "tests/modules/umh/protocol_mutant.h"

#include <algorithm>
#include <utility>

namespace tessera::umh::test {

namespace {

std::size_t row(State s) { return static_cast<std::size_t>(s); }

bool is_response(const CoherenceMessage& m) {
  return m.type == MessageType::kSnoopData || m.type == MessageType::kSnoopAck;
}

bool brings_bytes(const CoherenceMessage& m) {
  return m.type == MessageType::kWriteBack || is_response(m);
}

/// The message that `m`'s receiver would respond with.
CoherenceMessage response_to(const CoherenceMessage& m, MessageType type) {
  CoherenceMessage r;
  r.type = type;
  r.from = m.to;
  r.to = m.from;
  r.line = m.line;
  r.lines = m.lines;
  r.launch = m.launch;
  return r;
}

/// Removes the bytes that a response took from the write-back buffers of its sender.
void remove_write_backs(CoherenceMessage& response, std::uint32_t block_lines) {
  for (const std::uint64_t first : response.voided) {
    const auto of_buffer = [first, block_lines](const LineBytes& l) {
      return l.line >= first && l.line < first + block_lines;
    };
    response.data.erase(std::remove_if(response.data.begin(), response.data.end(), of_buffer),
                        response.data.end());
  }
  response.voided.clear();
  if (!response.data.empty()) return;
  response.non_coherent = false;
  response.type = MessageType::kSnoopAck;
}

}  // namespace

TransitionTable ProtocolMutant::transitions(OwnedRead owned) const {
  TransitionTable t = transition_table(owned);
  if (mutation_ == ProtocolMutation::kOwnerStaysModified) {
    t.incoming[row(State::kM)][static_cast<std::size_t>(Incoming::kReadRequest)].next = State::kM;
  }
  if (mutation_ == ProtocolMutation::kStoreHitsShared) {
    t.action[row(State::kS)][static_cast<std::size_t>(Action::kStore)].need = Need::kHit;
  }
  return t;
}

void ProtocolMutant::send(CoherenceMessage m, const CoherentCache* sender, const Post& post) {
  if (m.type == MessageType::kGrant) forget(false, m);
  if (is_response(m)) forget(true, m);
  switch (mutation_) {
    case ProtocolMutation::kKeepSharerOnWrite:
    case ProtocolMutation::kSkipRecall:
      if (m.type == MessageType::kInvalidateSnoop && loses(m, sender)) {
        m = response_to(m, MessageType::kSnoopAck);
      }
      break;
    case ProtocolMutation::kDropNonCoherentBytes:
      if (m.type == MessageType::kWriteBack && m.non_coherent) m.data.clear();
      break;
    case ProtocolMutation::kMergeWithoutMask:
      if (!brings_bytes(m)) break;
      for (LineBytes& l : m.data) l.mask = ByteMask::first(kLineBytes);
      break;
    case ProtocolMutation::kExclusiveToEveryReader:
      if (m.type == MessageType::kGrant && m.state == State::kS) m.state = State::kE;
      break;
    case ProtocolMutation::kApplyVoidedWriteBack:
      m.voided.clear();
      break;
    case ProtocolMutation::kNoWaitForGrantAck:
      if (m.type == MessageType::kGrant) {
        early_acks_.push_back(response_to(m, MessageType::kGrantAck));
        post(early_acks_.back(), Delay::kMinimum);
      } else if (m.type == MessageType::kGrantAck && acknowledged_before(m)) {
        return;
      }
      break;
    case ProtocolMutation::kMergeKeepsCopies:
      if (brings_bytes(m)) m.non_coherent = false;
      break;
    case ProtocolMutation::kIgnoreWriteBackBuffer:
      if (sender != nullptr && !m.voided.empty()) {
        remove_write_backs(m, sender->config().block_lines);
      }
      break;
    default:
      break;
  }
  post(std::move(m), Delay::kRandom);
}

void ProtocolMutant::deliver(CoherenceMessage& m, const CoherentCache* receiver) {
  const bool snoop = m.type == MessageType::kInvalidateSnoop;
  if (snoop || m.type == MessageType::kWriteRequest) {
    causes_.push_back({m.to, m.from, m.line, m.lines, snoop, false});
  }
  const bool grant = m.type == MessageType::kGrant || m.type == MessageType::kPeerData;
  if (mutation_ == ProtocolMutation::kKeepStaleBytes && grant && receiver != nullptr &&
      receiver->state(m.line) != State::kI) {
    m.data.clear();
  }
}

void ProtocolMutant::access(CoherentCache& l1, const CoherentAccess& a,
                            CoherentCache::Completion done) const {
  const bool narrow = a.kind == CoherentAccess::Kind::kNStore && l1.rounded(a.mask) != a.mask;
  if (mutation_ != ProtocolMutation::kNarrowNonCoherentStore || !narrow) {
    l1.access(a, std::move(done));
    return;
  }
  // A mask bit then stands for stored bytes and for bytes that the L1 had loaded.
  CoherentAccess load = a;
  load.kind = CoherentAccess::Kind::kLoad;
  l1.access(load, [&l1, a, done = std::move(done)](const CoherentAccess& loaded) {
    CoherentAccess wide = a;
    wide.mask = l1.rounded(a.mask);
    wide.bytes = loaded.bytes;
    copy_masked(wide.bytes.data(), a.bytes.data(), a.mask, kLineBytes);
    l1.access(wide, done);
  });
}

bool ProtocolMutant::covers(const Cause& c, const CoherenceMessage& m) const {
  return c.line < m.line + m.lines && m.line < c.line + c.lines;
}

void ProtocolMutant::forget(bool snoop, const CoherenceMessage& response) {
  const auto at = std::find_if(causes_.begin(), causes_.end(), [&](const Cause& c) {
    return c.snoop == snoop && c.directory == response.from && c.from == response.to &&
           c.line == response.line;
  });
  if (at != causes_.end()) causes_.erase(at);
}

bool ProtocolMutant::loses(const CoherenceMessage& snoop, const CoherentCache* sender) {
  const auto cause = [&](bool of_snoop) {
    return std::find_if(causes_.begin(), causes_.end(), [&](const Cause& c) {
      return c.snoop == of_snoop && c.directory == snoop.from && covers(c, snoop);
    });
  };
  if (cause(true) != causes_.end()) return false;
  const auto write = cause(false);
  if (mutation_ == ProtocolMutation::kSkipRecall)
    return sender != nullptr && write == causes_.end();
  return write != causes_.end() && !std::exchange(write->kept, true);
}

bool ProtocolMutant::acknowledged_before(const CoherenceMessage& ack) {
  const auto at = std::find_if(early_acks_.begin(), early_acks_.end(), [&](const auto& early) {
    return early.from == ack.from && early.to == ack.to && early.line == ack.line;
  });
  if (at == early_acks_.end()) return false;
  early_acks_.erase(at);
  return true;
}

}  // namespace tessera::umh::test
