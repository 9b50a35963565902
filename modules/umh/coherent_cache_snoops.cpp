// SPDX-License-Identifier: Apache-2.0
// Evictions, write-backs and snoops. coherent_cache.cpp has the accesses and the requests.
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "modules/umh/coherent_cache.h"

namespace tessera::umh {

namespace {

/// A parent distinguishes an owner, other copies and none. For a snoop of several blocks, the
/// response has the state that matters most.
State stronger(State a, State b) {
  if (owns(a) || b == State::kI) return a;
  return owns(b) || a == State::kI ? b : a;
}

}  // namespace

// --- write-backs ------------------------------------------------------------------------------

void CoherentCache::handle_write_back(Job& job) {
  const auto voided = std::find(voided_.begin(), voided_.end(), job.line * 64 + job.child);
  const bool drop = voided != voided_.end();
  if (drop) voided_.erase(voided);
  Block* const b = resident(block_of(job.line));
  if (b != nullptr && !drop) {
    merge(*b, job.message);
    remove_child(line_in(*b, job.line).directory, job.child);
  }
  CoherenceMessage ack;
  ack.type = MessageType::kWriteBackAck;
  ack.from = self_;
  ack.to = job.message.from;
  ack.line = job.line;
  ack.launch = job.launch;
  network_.send(std::move(ack));
  finish(job);
}

void CoherentCache::merge(Block& block, const CoherenceMessage& from_child) {
  for (const LineBytes& l : from_child.data) {
    Line& line = line_in(block, l.line);
    copy_masked(line.bytes.data(), l.bytes.data(), l.mask, kLineBytes);
    line.dirty |= l.mask;
    if (on_written) on_written(l.line, from_child.launch);
    // Table II has no column for the write-back of an upper level. An exclusive block stays
    // exclusive, because other lines of the block can be M or E above.
    block.state =
        transitions_.on(block.state, exclusive(block.state) ? Action::kStore : Action::kNStore)
            .next;
  }
}

void CoherentCache::recall(Job& job) {
  const std::uint64_t block = block_of(job.line);
  Block* const b = resident(block);
  if (b == nullptr) {
    finish(job);
    return;
  }
  job.phase = Phase::kWaitChildren;
  job.awaited = invalidate_children(block, *b, job.launch);
  if (job.awaited == 0) write_back(job);
}

unsigned CoherentCache::invalidate_children(std::uint64_t block, const Block& b,
                                            LaunchSlot launch) {
  unsigned sent = 0;
  for (std::uint32_t i = 0; i < config_.block_lines; ++i) {
    for (std::uint64_t left = b.lines[i].directory.sharers; left != 0; left &= left - 1) {
      ++sent;
      send_snoop(MessageType::kInvalidateSnoop, block * config_.block_lines + i,
                 static_cast<unsigned>(__builtin_ctzll(left)), launch);
    }
  }
  return sent;
}

void CoherentCache::collect_dirty(std::uint64_t block, Block& b, std::vector<LineBytes>& into) {
  for (std::uint32_t i = 0; i < config_.block_lines; ++i) {
    Line& line = b.lines[i];
    if (line.dirty.none()) continue;
    into.push_back({block * config_.block_lines + i, line.dirty, line.bytes});
    events_.dirty_bytes += line.dirty.count();
    line.dirty = {};
  }
}

void CoherentCache::write_back(Job& job) {
  const std::uint64_t block = block_of(job.line);
  Block& b = *resident(block);
  const State s = b.state;
  const bool sends = transitions_.on(s, Incoming::kEviction).transfer == Transfer::kWriteBack;
  if (sends) {
    WriteBackBuffer buffer;
    buffer.non_coherent = s != State::kM;
    collect_dirty(block, b, buffer.data);
    CoherenceMessage m;
    m.type = MessageType::kWriteBack;
    m.from = self_;
    m.to = parent_of(block);
    m.line = block * config_.block_lines;
    m.lines = config_.block_lines;
    m.non_coherent = buffer.non_coherent;
    m.launch = job.launch;
    m.data = buffer.data;
    active_.at(block).write_back = std::move(buffer);
    network_.send(std::move(m));
    job.phase = Phase::kWaitWriteBackAck;
  }
  if (job.victim_of) {
    if (Job* const waiter = running_job(*job.victim_of * config_.block_lines, Phase::kWaitWay)) {
      waiter->evicting = false;
    }
  }
  if (!sends) finish(job);
  release_way(block);
}

void CoherentCache::handle_write_back_ack(const CoherenceMessage& message) {
  Job* const job = running_job(message.line, Phase::kWaitWriteBackAck);
  if (job == nullptr) throw std::logic_error("unexpected " + message.describe());
  active_.at(block_of(message.line)).write_back.reset();
  if (message.confirm) acknowledge(message);
  finish(*job);
}

// --- snoops -----------------------------------------------------------------------------------

void CoherentCache::handle_snoop(const CoherenceMessage& message) {
  const auto snoop = std::make_shared<Snoop>();
  snoop->message = message;
  snoop->response.from = self_;
  snoop->response.to = message.from;
  snoop->response.line = message.line;
  snoop->response.lines = message.lines;
  snoop->response.launch = message.launch;
  const std::uint64_t first = block_of(message.line);
  const std::uint64_t last = block_of(message.line + message.lines - 1);
  std::vector<std::uint64_t> present;
  for (std::uint64_t block = first; block <= last; ++block) {
    if (find(block) != CacheArray::kNone || active_.count(block) != 0) present.push_back(block);
  }
  snoop->blocks = static_cast<unsigned>(present.size());
  for (const std::uint64_t block : present) {
    active_[block].snoop = BlockSnoop{snoop, false, 0};
    mark_ready(block);
  }
  if (present.empty()) respond(*snoop);
}

bool CoherentCache::snoop_can_run(const Activity& a) const {
  return std::all_of(a.running.begin(), a.running.end(), [](const auto& job) {
    return job->phase == Phase::kWaitWay || job->phase == Phase::kWaitGrant ||
           job->phase == Phase::kWaitWriteBackAck;
  });
}

void CoherentCache::start_snoop(std::uint64_t block, Activity& a) {
  a.snoop->running = true;
  Snoop& snoop = *a.snoop->of;
  if (a.write_back && !a.write_back->taken) {
    a.write_back->taken = true;
    CoherenceMessage& r = snoop.response;
    r.non_coherent |= a.write_back->non_coherent && !a.write_back->data.empty();
    r.data.insert(r.data.end(), a.write_back->data.begin(), a.write_back->data.end());
    r.voided.push_back(block * config_.block_lines);
  }
  Block* const b = resident(block);
  if (b == nullptr || b->state == State::kI) {
    complete_block(block, a);
    return;
  }
  if (snoop_result(snoop, b->state).next == State::kI) {
    a.snoop->awaited = invalidate_children(block, *b, snoop.message.launch);
  } else {
    for (std::uint32_t i = 0; i < config_.block_lines; ++i) {
      const DirectoryEntry& entry = b->lines[i].directory;
      if (entry.owner == DirectoryEntry::kNoOwner) continue;
      ++a.snoop->awaited;
      send_snoop(MessageType::kReadSnoop, block * config_.block_lines + i, entry.owner,
                 snoop.message.launch);
    }
  }
  if (a.snoop->awaited == 0) finish_snoop(block, a);
}

IncomingCell CoherentCache::snoop_result(const Snoop& snoop, State s) const {
  return snoop.message.type == MessageType::kInvalidateSnoop
             ? transitions_.on(s, Incoming::kWriteRequest)
             : transitions_.on(s, Incoming::kReadRequest);
}

void CoherentCache::finish_snoop(std::uint64_t block, Activity& a) {
  Snoop& snoop = *a.snoop->of;
  Block& b = *resident(block);
  const State s = b.state;
  const IncomingCell cell = snoop_result(snoop, s);
  CoherenceMessage& r = snoop.response;
  if (cell.transfer == Transfer::kSendData) {
    if (snoop.message.peer != kNoAgent && owns(s)) {
      CoherenceMessage m;
      m.type = MessageType::kPeerData;
      m.from = self_;
      m.to = snoop.message.peer;
      m.peer = snoop.message.from;
      m.launch = snoop.message.launch;
      m.line = block * config_.block_lines;
      m.lines = config_.block_lines;
      m.state = transitions_.on(State::kI, Action::kLoad).next;
      for (std::uint32_t i = 0; i < config_.block_lines; ++i) {
        m.data.push_back({m.line + i, ByteMask::first(kLineBytes), b.lines[i].bytes});
      }
      network_.send(std::move(m));
      r.supplied = true;
    }
    const std::size_t before = r.data.size();
    collect_dirty(block, b, r.data);
    r.non_coherent |= r.data.size() != before && s != State::kM;
  }
  b.state = cell.next;
  r.state = stronger(r.state, b.state);
  // A job that waits for a grant keeps its way.
  if (b.state == State::kI && a.running.empty()) release_way(block);
  complete_block(block, a);
}

void CoherentCache::complete_block(std::uint64_t block, Activity& a) {
  const std::shared_ptr<Snoop> snoop = a.snoop->of;
  a.snoop.reset();
  mark_ready(block);
  if (--snoop->blocks == 0) respond(*snoop);
}

void CoherentCache::respond(Snoop& snoop) {
  CoherenceMessage& r = snoop.response;
  r.type = r.data.empty() ? MessageType::kSnoopAck : MessageType::kSnoopData;
  network_.send(std::move(r));
}

void CoherentCache::send_snoop(MessageType type, std::uint64_t line, unsigned child,
                               LaunchSlot launch) {
  CoherenceMessage m;
  m.type = type;
  m.from = self_;
  m.to = children_[child];
  m.line = line;
  m.launch = launch;
  network_.send(std::move(m));
}

void CoherentCache::handle_response(const CoherenceMessage& message) {
  const std::uint64_t block = block_of(message.line);
  const unsigned child = position_of(message.from).value();
  for (const std::uint64_t line : message.voided) voided_.push_back(line * 64 + child);
  const auto at = active_.find(block);
  Block* const b = resident(block);
  if (at == active_.end() || b == nullptr) {
    throw std::logic_error("unexpected " + message.describe());
  }
  merge(*b, message);
  DirectoryEntry& entry = line_in(*b, message.line).directory;
  if (message.state == State::kI) {
    remove_child(entry, child);
  } else if (!owns(message.state) && entry.owner == child) {
    entry.owner = DirectoryEntry::kNoOwner;
  }
  Activity& a = at->second;
  if (a.snoop && a.snoop->running) {
    if (--a.snoop->awaited == 0) finish_snoop(block, a);
    return;
  }
  Job* const job = running_job(message.line, Phase::kWaitChildren);
  if (job == nullptr) throw std::logic_error("unexpected " + message.describe());
  if (--job->awaited != 0) return;
  if (job->kind == Job::Kind::kFlush) {
    write_back(*job);
  } else {
    grant(*job);
  }
}

std::string CoherentCache::describe_waiting() const {
  static constexpr std::array<const char*, 7> kPhases = {"queued",
                                                         "a way",
                                                         "a grant",
                                                         "responses of its children",
                                                         "an acknowledgement of its grant",
                                                         "an acknowledgement of its write-back",
                                                         "done"};
  std::string text;
  for (const auto& [block, a] : active_) {
    for (const auto& job : a.running) {
      text += "agent " + std::to_string(static_cast<unsigned>(self_)) + ", line " +
              std::to_string(job->line) + ": waits for " +
              kPhases[static_cast<std::size_t>(job->phase)] + ", " +
              std::to_string(a.queue.size()) + " queued\n";
    }
    if (a.snoop) {
      text += "agent " + std::to_string(static_cast<unsigned>(self_)) + ", block " +
              std::to_string(block) + ": a snoop " +
              (a.snoop->running ? "waits for children" : "is queued") + "\n";
    }
  }
  return text;
}

}  // namespace tessera::umh
