// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/hmd.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace tessera::umh {

void HmdConfig::validate() const {
  if (block_bytes == 0 || block_bytes % kLineBytes != 0) {
    throw std::invalid_argument("a secondary block consists of whole lines");
  }
}

Hmd::Hmd(const HmdConfig& config, AgentId self, CoherenceNetwork& network, HostMemory& memory,
         std::vector<AgentId> children, unsigned smds)
    : config_((config.validate(), config)),
      self_(self),
      network_(network),
      memory_(memory),
      children_(std::move(children)),
      smds_(smds),
      block_lines_(config.block_bytes / kLineBytes) {
  if (children_.size() > 64) throw std::invalid_argument("a directory has at most 64 children");
}

unsigned Hmd::position_of(AgentId agent) const {
  const auto at = std::find(children_.begin(), children_.end(), agent);
  if (at == children_.end()) throw std::logic_error("a message of an unknown agent");
  return static_cast<unsigned>(at - children_.begin());
}

Hmd::Entry Hmd::entry(std::uint64_t line) const {
  const auto at = directory_.find(block_of(line));
  return at == directory_.end() ? Entry{} : at->second;
}

std::uint32_t Hmd::entry_bits() const {
  const std::uint32_t n = smds_;
  std::uint32_t owner = 0;
  while ((1U << owner) < n + 1) ++owner;
  return n + owner;
}

void Hmd::receive(const CoherenceMessage& message) {
  const std::uint64_t block = block_of(message.line);
  switch (message.type) {
    case MessageType::kReadRequest:
    case MessageType::kWriteRequest:
    case MessageType::kWriteBack:
      ++pending_;
      active_[block].queue.push_back({message, {}});
      break;
    case MessageType::kSnoopData:
    case MessageType::kSnoopAck:
      handle_response(message);
      break;
    case MessageType::kGrantAck: {
      const auto at = active_.find(block);
      if (at == active_.end() || !at->second.busy) {
        throw std::logic_error("unexpected " + message.describe());
      }
      Transaction& t = at->second.current;
      t.acknowledged = true;
      if (!t.finishing && t.awaited == 0) continue_after_snoops(block, at->second);
      finish_if_complete(at->second);
      break;
    }
    default:
      throw std::logic_error("the HMD does not accept " + message.describe());
  }
  advance(block);
  run_done();
}

void Hmd::run_done() {
  std::vector<std::function<void()>> done;
  done.swap(done_);
  for (const auto& f : done) f();
}

void Hmd::barrier(const std::function<void()>& done) {
  if (active_.empty()) {
    done();
    return;
  }
  const auto left = std::make_shared<std::size_t>(active_.size());
  for (auto& [block, a] : active_) {
    a.queue.push_back({{}, [left, done] {
                         if (--*left == 0) done();
                       }});
  }
}

void Hmd::advance(std::uint64_t block) {
  const auto at = active_.find(block);
  if (at == active_.end()) return;
  Activity& a = at->second;
  while (!a.busy && !a.queue.empty()) {
    Item item = std::move(a.queue.front());
    a.queue.pop_front();
    if (item.done) {
      done_.push_back(std::move(item.done));
      continue;
    }
    a.busy = true;
    a.current = Transaction{};
    a.current.child = position_of(item.request.from);
    a.current.request = std::move(item.request);
    start(block, a);
  }
  if (!a.busy) active_.erase(at);
}

void Hmd::start(std::uint64_t block, Activity& a) {
  Transaction& t = a.current;
  const Entry entry = directory_[block];
  switch (t.request.type) {
    case MessageType::kReadRequest:
      if (entry.owner != kNoOwner && entry.owner != t.child) {
        snoop(MessageType::kReadSnoop, block, a, entry.owner);
      }
      break;
    case MessageType::kWriteRequest: {
      std::uint64_t others = entry.sharers & ~sharer_bit(t.child);
      for (; others != 0; others &= others - 1) {
        snoop(MessageType::kInvalidateSnoop, block, a,
              static_cast<unsigned>(__builtin_ctzll(others)));
      }
      break;
    }
    default: {
      const auto voided = std::find(voided_.begin(), voided_.end(), t.request.line * 64 + t.child);
      const bool drop = voided != voided_.end();
      if (drop) voided_.erase(voided);
      if (!drop) {
        merge(t.request);
        if (t.request.non_coherent && !t.request.data.empty()) t.origins |= sharer_bit(t.child);
        // The LLC can hold other lines of the block.
        if (t.child < smds_) remove(block, t.child);
      }
      break;
    }
  }
  if (t.awaited == 0) continue_after_snoops(block, a);
}

void Hmd::snoop(MessageType type, std::uint64_t block, Activity& a, unsigned child) {
  Transaction& t = a.current;
  ++t.awaited;
  CoherenceMessage m;
  m.type = type;
  m.from = self_;
  m.to = children_[child];
  m.line = block * block_lines_;
  m.lines = block_lines_;
  m.launch = t.request.launch;
  if (config_.peer_transfer && type == MessageType::kReadSnoop && child < smds_ &&
      t.child < smds_) {
    // The peer's data can arrive before its response to this snoop.
    directory_[block].sharers |= sharer_bit(t.child);
    m.peer = children_[t.child];
    CoherenceMessage listen;
    listen.type = MessageType::kListen;
    listen.from = self_;
    listen.to = children_[t.child];
    listen.peer = children_[child];
    listen.line = m.line;
    listen.lines = m.lines;
    listen.launch = m.launch;
    network_.send(std::move(listen));
  }
  network_.send(std::move(m));
}

void Hmd::merge(const CoherenceMessage& message) {
  for (const LineBytes& l : message.data) memory_.write(l, message.launch);
}

void Hmd::remove(std::uint64_t block, unsigned child) {
  Entry& entry = directory_[block];
  entry.sharers &= ~sharer_bit(child);
  if (entry.owner == child) entry.owner = kNoOwner;
}

void Hmd::handle_response(const CoherenceMessage& message) {
  const std::uint64_t block = block_of(message.line);
  const auto at = active_.find(block);
  if (at == active_.end() || !at->second.busy || at->second.current.awaited == 0) {
    throw std::logic_error("unexpected " + message.describe());
  }
  Activity& a = at->second;
  Transaction& t = a.current;
  const unsigned child = position_of(message.from);
  for (const std::uint64_t line : message.voided) {
    // The write-back of the LLC that is being merged can cause a snoop of its other lines.
    const bool current =
        t.request.type == MessageType::kWriteBack && t.child == child && t.request.line == line;
    if (!current) voided_.push_back(line * 64 + child);
  }
  merge(message);
  if (message.non_coherent) t.origins |= sharer_bit(child);
  t.supplied |= message.supplied;
  if (message.state == State::kI) {
    remove(block, child);
  } else if (!owns(message.state) && directory_[block].owner == child) {
    directory_[block].owner = kNoOwner;
  }
  if (--t.awaited == 0) continue_after_snoops(block, a);
}

std::uint64_t Hmd::stale_copies(std::uint64_t block, const Transaction& t) const {
  std::uint64_t stale = 0;
  for (std::uint64_t left = directory_.at(block).sharers; left != 0; left &= left - 1) {
    const std::uint64_t child = left & ~(left - 1);
    if ((t.origins & ~child) != 0) stale |= child;
  }
  return stale;
}

void Hmd::continue_after_snoops(std::uint64_t block, Activity& a) {
  Transaction& t = a.current;
  const bool reads_block = t.request.type == MessageType::kReadRequest && t.child < smds_;
  std::uint64_t stale = stale_copies(block, t);
  // An SMD that reads has no copy, unless a peer has sent it.
  if (reads_block && !t.supplied) stale &= ~sharer_bit(t.child);
  if (reads_block && (stale & ~sharer_bit(t.child)) != 0) stale &= ~sharer_bit(t.child);
  // A snoop must not overtake the peer's data.
  if (reads_block && stale == sharer_bit(t.child) && !t.acknowledged) return;
  for (; stale != 0; stale &= stale - 1) {
    snoop(MessageType::kInvalidateSnoop, block, a, static_cast<unsigned>(__builtin_ctzll(stale)));
  }
  if (t.awaited != 0) return;
  t.finishing = true;
  if (t.request.type == MessageType::kWriteBack) {
    CoherenceMessage ack;
    ack.type = MessageType::kWriteBackAck;
    ack.from = self_;
    ack.to = t.request.from;
    ack.line = t.request.line;
    ack.lines = t.request.lines;
    ack.launch = t.request.launch;
    ack.confirm = t.child >= smds_;
    t.acknowledged = !ack.confirm;
    network_.send(std::move(ack));
    finish_if_complete(a);
    return;
  }
  grant(block, a);
}

void Hmd::grant(std::uint64_t block, Activity& a) {
  Transaction& t = a.current;
  if (t.supplied) {  // the peer has granted S
    finish_if_complete(a);
    return;
  }
  Entry& entry = directory_[block];
  CoherenceMessage m;
  m.type = MessageType::kGrant;
  m.from = self_;
  m.to = t.request.from;
  m.line = t.request.line;
  m.lines = t.request.lines;
  m.launch = t.request.launch;
  const bool alone = (entry.sharers & ~sharer_bit(t.child)) == 0;
  if (t.request.type == MessageType::kWriteRequest) {
    m.state = on(State::kI, Action::kStore).next;
  } else if (alone) {
    m.state = on(State::kI, Action::kLoad).next_exclusive;
  } else {
    m.state = on(State::kI, Action::kLoad).next;
  }
  if (exclusive(m.state)) {
    entry.owner = t.child;
    entry.sharers = sharer_bit(t.child);
  } else {
    // The LLC can own other lines of the block.
    if (entry.owner == t.child && t.child < smds_) entry.owner = kNoOwner;
    entry.sharers |= sharer_bit(t.child);
  }
  for (std::uint32_t i = 0; i < m.lines; ++i) {
    m.data.push_back({m.line + i, ByteMask::first(kLineBytes), memory_.read(m.line + i)});
  }
  network_.send(std::move(m));
  finish_if_complete(a);
}

void Hmd::finish_if_complete(Activity& a) {
  if (!a.busy || !a.current.finishing || !a.current.acknowledged) return;
  a.busy = false;
  --pending_;
}

std::string Hmd::describe_waiting() const {
  std::string text;
  for (const auto& [block, a] : active_) {
    text += "HMD " + std::to_string(static_cast<unsigned>(self_)) + ", block " +
            std::to_string(block) + ": " + a.current.request.describe() + ": waits for " +
            (a.current.awaited != 0 ? std::to_string(a.current.awaited) + " responses to snoops"
                                    : "the acknowledgement of its grant") +
            ", " + std::to_string(a.queue.size()) + " queued\n";
  }
  return text;
}

}  // namespace tessera::umh
