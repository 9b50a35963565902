// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/coherent_cache.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "modules/protocol/atomics.h"

namespace tessera::umh {

void CoherentCacheConfig::validate() const {
  if (sets == 0 || block_lines == 0 || banks == 0 || interleave_lines == 0) {
    throw std::invalid_argument("a coherent cache has sets, lines and banks");
  }
  if (mask_granularity != 1 && mask_granularity != 2 && mask_granularity != 4) {
    throw std::invalid_argument("a mask bit stands for 1, 2 or 4 bytes");
  }
}

CoherentCache::CoherentCache(const CoherentCacheConfig& config, AgentId self,
                             CoherenceNetwork& network, std::vector<AgentId> parents,
                             std::vector<AgentId> children, std::uint64_t parent_lines)
    : CoherentCache(config, self, network, std::move(parents), std::move(children), parent_lines,
                    transition_table(config.owned_read)) {}

CoherentCache::CoherentCache(const CoherentCacheConfig& config, AgentId self,
                             CoherenceNetwork& network, std::vector<AgentId> parents,
                             std::vector<AgentId> children, std::uint64_t parent_lines,
                             const TransitionTable& transitions)
    : config_((config.validate(), config)),
      transitions_(transitions),
      self_(self),
      network_(network),
      parents_(std::move(parents)),
      children_(std::move(children)),
      parent_lines_(parent_lines),
      tags_(config.sets, config.ways, kLineBytes, CacheArray::Bytes::kPerLine),
      blocks_(tags_.all_ways()) {
  if (parents_.empty() || parent_lines_ == 0) throw std::invalid_argument("no parent");
  if (children_.size() > 64) throw std::invalid_argument("a directory has at most 64 children");
}

std::uint64_t CoherentCache::index_of(std::uint64_t block) const {
  const std::uint64_t part =
      std::max<std::uint64_t>(1, config_.interleave_lines / config_.block_lines);
  return block / part / config_.banks * part + block % part;
}

AgentId CoherentCache::parent_of(std::uint64_t block) const {
  return parents_[block * config_.block_lines / parent_lines_ % parents_.size()];
}

CoherentCache::Block* CoherentCache::resident(std::uint64_t block) {
  const Way f = find(block);
  return f == CacheArray::kNone ? nullptr : &blocks_[f];
}

const CoherentCache::Block* CoherentCache::resident(std::uint64_t block) const {
  const Way f = find(block);
  return f == CacheArray::kNone ? nullptr : &blocks_[f];
}

State CoherentCache::state(std::uint64_t line) const {
  const Block* const b = resident(block_of(line));
  return b == nullptr ? State::kI : b->state;
}

CoherentCache::DirectoryEntry CoherentCache::directory(std::uint64_t line) const {
  const Block* const b = resident(block_of(line));
  if (b == nullptr || b->lines.empty()) return {};
  return b->lines[line % config_.block_lines].directory;
}

const unsigned char* CoherentCache::bytes(std::uint64_t line) const {
  const Block* const b = resident(block_of(line));
  if (b == nullptr || b->state == State::kI) return nullptr;
  return b->lines[line % config_.block_lines].bytes.data();
}

ByteMask CoherentCache::dirty(std::uint64_t line) const {
  const Block* const b = resident(block_of(line));
  if (b == nullptr || b->state == State::kI) return {};
  return b->lines[line % config_.block_lines].dirty;
}

std::optional<unsigned> CoherentCache::position_of(AgentId child) const {
  const auto at = std::find(children_.begin(), children_.end(), child);
  if (at == children_.end()) return std::nullopt;
  return static_cast<unsigned>(at - children_.begin());
}

ByteMask CoherentCache::rounded(ByteMask mask) const {
  if (config_.mask_granularity == 1) return mask;
  ByteMask up;
  for (unsigned i = 0; i < kLineBytes; i += config_.mask_granularity) {
    const ByteMask piece = ByteMask::range(i, config_.mask_granularity);
    if (!(mask & piece).none()) up |= piece;
  }
  return up;
}

void CoherentCache::remove_child(DirectoryEntry& entry, unsigned child) {
  entry.sharers &= ~sharer_bit(child);
  if (entry.owner == child) entry.owner = DirectoryEntry::kNoOwner;
}

// --- jobs -------------------------------------------------------------------------------------

void CoherentCache::access(const CoherentAccess& access, Completion done) {
  assert(children_.empty());
  enter();
  auto job = std::make_unique<Job>();
  job->kind = Job::Kind::kAccess;
  job->line = access.line;
  job->launch = access.launch;
  job->access = access;
  job->completion = std::move(done);
  switch (access.kind) {
    case CoherentAccess::Kind::kLoad:
      job->action = Action::kLoad;
      break;
    case CoherentAccess::Kind::kNStore:
      // A mask bit cannot stand for a part of its bytes (section 4.1.2).
      job->action = rounded(access.mask) == access.mask ? Action::kNStore : Action::kStore;
      break;
    case CoherentAccess::Kind::kStore:
    case CoherentAccess::Kind::kAtomic:
      job->action = Action::kStore;
      break;
  }
  enqueue(std::move(job));
  leave();
}

void CoherentCache::evict(std::uint64_t line, std::function<void()> done, LaunchSlot launch) {
  enter();
  auto job = std::make_unique<Job>();
  job->kind = Job::Kind::kFlush;
  job->line = block_of(line) * config_.block_lines;
  job->launch = launch;
  job->done = std::move(done);
  enqueue(std::move(job));
  leave();
}

void CoherentCache::flush(const std::function<void()>& done) {
  const std::vector<std::uint64_t> lines = blocks_to_flush();
  if (lines.empty()) {
    if (done) done();
    return;
  }
  const auto left = std::make_shared<std::size_t>(lines.size());
  for (const std::uint64_t line : lines) {
    evict(line, [left, done] {
      if (--*left == 0 && done) done();
    });
  }
}

void CoherentCache::receive(const CoherenceMessage& message) {
  enter();
  switch (message.type) {
    case MessageType::kReadRequest:
    case MessageType::kWriteRequest:
    case MessageType::kWriteBack: {
      auto job = std::make_unique<Job>();
      const bool write_back = message.type == MessageType::kWriteBack;
      job->kind = write_back ? Job::Kind::kWriteBack : Job::Kind::kChildRequest;
      job->action = message.type == MessageType::kReadRequest ? Action::kLoad : Action::kStore;
      job->line = message.line;
      job->launch = message.launch;
      job->child = position_of(message.from).value();
      job->message = message;
      job->received = now();
      enqueue(std::move(job));
      break;
    }
    case MessageType::kReadSnoop:
    case MessageType::kInvalidateSnoop:
      handle_snoop(message);
      break;
    case MessageType::kSnoopData:
    case MessageType::kSnoopAck:
      handle_response(message);
      break;
    case MessageType::kGrant:
    case MessageType::kPeerData:
      handle_grant(message);
      break;
    case MessageType::kGrantAck:
      if (Job* const job = running_job(message.line, Phase::kWaitGrantAck)) {
        finish(*job);
      } else {
        throw std::logic_error("unexpected " + message.describe());
      }
      break;
    case MessageType::kWriteBackAck:
      handle_write_back_ack(message);
      break;
    case MessageType::kListen:
      break;  // The peer's data can arrive before it.
  }
  mark_ready(block_of(message.line));
  leave();
}

void CoherentCache::enqueue(std::unique_ptr<Job> job) {
  const std::uint64_t block = block_of(job->line);
  if (job->kind != Job::Kind::kFlush) ++pending_;
  Activity& a = active_[block];
  job->waited = std::any_of(a.running.begin(), a.running.end(), [](const auto& other) {
    return other->phase == Phase::kWaitWay || other->phase == Phase::kWaitGrant;
  });
  a.queue.push_back(std::move(job));
  mark_ready(block);
}

void CoherentCache::leave() {
  // Completions can call access() again. Its blocks advance here as well.
  while (depth_ == 1 && !ready_.empty()) {
    const std::uint64_t block = ready_.front();
    ready_.pop_front();
    advance(block);
  }
  --depth_;
}

void CoherentCache::advance(std::uint64_t block) {
  const auto at = active_.find(block);
  if (at == active_.end()) return;
  Activity& a = at->second;
  const auto remove_finished = [&a] {
    a.running.remove_if([](const auto& job) { return job->phase == Phase::kDone; });
  };
  remove_finished();
  if (a.snoop && !a.snoop->running && snoop_can_run(a)) start_snoop(block, a);
  while (!a.queue.empty() && !a.snoop) {
    Job& job = *a.queue.front();
    const bool hit = transitions_.on(state(job.line), job.action).need == Need::kHit;
    job.exclusive = config_.block_lines == 1 || job.kind == Job::Kind::kFlush || !hit;
    const bool blocked = std::any_of(a.running.begin(), a.running.end(), [&](const auto& other) {
      return job.exclusive || other->exclusive || other->line == job.line;
    });
    if (blocked) break;
    a.running.push_back(std::move(a.queue.front()));
    a.queue.pop_front();
    start(job);
    remove_finished();
  }
  const bool busy = a.busy();
  if (!busy) active_.erase(at);
  const Way f = find(block);
  if (f == CacheArray::kNone || tags_.locked(f) == busy) return;
  tags_.lock(f, busy);
  if (!busy) retry_ways();
}

void CoherentCache::start(Job& job) {
  switch (job.kind) {
    case Job::Kind::kAccess:
    case Job::Kind::kChildRequest:
      obtain_permission(job);
      break;
    case Job::Kind::kWriteBack:
      handle_write_back(job);
      break;
    case Job::Kind::kFlush:
      recall(job);
      break;
  }
}

void CoherentCache::finish(Job& job) {
  job.phase = Phase::kDone;  // advance() removes it
  if (job.kind != Job::Kind::kFlush) --pending_;
  mark_ready(block_of(job.line));
  if (job.done) job.done();
}

CoherentCache::Job* CoherentCache::running_job(std::uint64_t line, Phase phase) {
  const auto at = active_.find(block_of(line));
  if (at == active_.end()) return nullptr;
  for (const auto& job : at->second.running) {
    if (job->phase == phase && (job->exclusive || job->line == line)) return job.get();
  }
  return nullptr;
}

// --- requests ---------------------------------------------------------------------------------

void CoherentCache::obtain_permission(Job& job) {
  const std::uint64_t block = block_of(job.line);
  Block* const b = resident(block);
  const State s = b == nullptr ? State::kI : b->state;
  const ActionCell cell = transitions_.on(s, job.action);
  const bool hit = cell.need == Need::kHit;
  count_request(job, hit);
  if (hit) {
    tags_.touch(find(block));
    if (job.kind == Job::Kind::kAccess) {
      perform(job, *b);
    } else {
      b->state = cell.next;
      snoop_children(job);
    }
    return;
  }
  if (b != nullptr || allocate_way(job)) {
    send_request(job);
  } else {
    begin_fetch(job, Phase::kWaitWay);
    way_waiters_.push_back(&job);
  }
}

void CoherentCache::count_request(Job& job, bool hit) {
  const bool merged = hit && job.waited;
  job.access.merged = merged;
  if (counts == nullptr || job.kind != Job::Kind::kChildRequest) return;
  LevelCounts& c = (*counts)[job.launch];
  ++(merged ? c.merged : hit ? c.hits : c.misses);
}

/// The jobs of the block that are queued wait for this fetch.
void CoherentCache::begin_fetch(Job& job, Phase phase) {
  job.phase = phase;
  for (const auto& queued : active_.at(block_of(job.line)).queue) queued->waited = true;
}

bool CoherentCache::allocate_way(Job& job) {
  const std::uint64_t block = block_of(job.line);
  const Way f = tags_.victim(index_of(block));
  if (f == CacheArray::kNone) return false;
  if (!tags_.occupied(f)) {
    tags_.install(f, block);
    tags_.lock(f, true);
    blocks_[f].state = State::kI;
    blocks_[f].lines.assign(config_.block_lines, Line{});
    return true;
  }
  if (job.evicting) return false;
  job.evicting = true;
  ++events_.replacements;
  const std::uint64_t victim = tags_.line(f);
  auto eviction = std::make_unique<Job>();
  eviction->kind = Job::Kind::kFlush;
  eviction->line = victim * config_.block_lines;
  eviction->launch = job.launch;
  eviction->victim_of = block;
  tags_.lock(f, true);
  active_[victim].queue.push_front(std::move(eviction));
  mark_ready(victim);
  return false;
}

void CoherentCache::release_way(std::uint64_t block) {
  const Way f = find(block);
  blocks_[f].state = State::kI;
  blocks_[f].lines.clear();
  tags_.invalidate(f);
  retry_ways();
}

void CoherentCache::retry_ways() {
  std::deque<Job*> waiting;
  waiting.swap(way_waiters_);
  for (Job* const job : waiting) {
    if (allocate_way(*job)) {
      send_request(*job);
    } else {
      way_waiters_.push_back(job);
    }
  }
}

void CoherentCache::send_request(Job& job) {
  const std::uint64_t block = block_of(job.line);
  const Need need = transitions_.on(state(job.line), job.action).need;
  CoherenceMessage m;
  m.type = need == Need::kReadRequest ? MessageType::kReadRequest : MessageType::kWriteRequest;
  m.from = self_;
  m.to = parent_of(block);
  m.line = block * config_.block_lines;
  m.lines = config_.block_lines;
  m.launch = job.launch;
  begin_fetch(job, Phase::kWaitGrant);
  job.requested = now();
  network_.send(std::move(m));
}

void CoherentCache::handle_grant(const CoherenceMessage& message) {
  Job* const job = running_job(message.line, Phase::kWaitGrant);
  const std::uint64_t block = block_of(message.line);
  Block* const b = resident(block);
  if (job == nullptr || b == nullptr) throw std::logic_error("unexpected " + message.describe());
  for (const LineBytes& l : message.data) {
    Line& line = line_in(*b, l.line);
    copy_masked(line.bytes.data(), l.bytes.data(), l.mask.without(line.dirty), kLineBytes);
    if (on_written) on_written(l.line, job->launch);
  }
  b->state = message.state;
  acknowledge(message);
  job->below = now() - job->requested;
  job->access.requested = job->requested;
  job->access.grant = message.times;
  if (job->kind == Job::Kind::kAccess) {
    perform(*job, *b);
  } else {
    snoop_children(*job);
  }
}

void CoherentCache::acknowledge(const CoherenceMessage& message) {
  CoherenceMessage ack;
  ack.type = MessageType::kGrantAck;
  ack.from = self_;
  ack.to = parent_of(block_of(message.line));  // not the peer
  ack.line = message.line;
  ack.lines = message.lines;
  ack.launch = message.launch;
  network_.send(std::move(ack));
}

void CoherentCache::perform(Job& job, Block& block) {
  Line& line = line_in(block, job.line);
  CoherentAccess& a = job.access;
  block.state = transitions_.on(block.state, job.action).next;
  switch (a.kind) {
    case CoherentAccess::Kind::kLoad:
      a.bytes = line.bytes;
      break;
    case CoherentAccess::Kind::kAtomic:
      perform_atomics(*a.operands, line.bytes.data());
      line.dirty |= rounded(bytes_of(*a.operands));
      a.bytes = line.bytes;
      break;
    case CoherentAccess::Kind::kStore:
    case CoherentAccess::Kind::kNStore:
      copy_masked(line.bytes.data(), a.bytes.data(), a.mask, kLineBytes);
      line.dirty |= rounded(a.mask);
      if (a.kind == CoherentAccess::Kind::kStore) a.bytes = line.bytes;
      break;
  }
  finish(job);
  if (job.completion) job.completion(a);
}

void CoherentCache::snoop_children(Job& job) {
  Block& b = *resident(block_of(job.line));
  const DirectoryEntry entry = line_in(b, job.line).directory;
  job.phase = Phase::kWaitChildren;
  job.awaited = 0;
  job.snooped = now();
  if (job.action == Action::kLoad) {
    if (entry.owner != DirectoryEntry::kNoOwner && entry.owner != job.child) {
      job.awaited = 1;
      send_snoop(MessageType::kReadSnoop, job.line, entry.owner, job.launch);
    }
  } else {
    std::uint64_t others = entry.sharers & ~sharer_bit(job.child);
    for (; others != 0; others &= others - 1) {
      ++job.awaited;
      send_snoop(MessageType::kInvalidateSnoop, job.line,
                 static_cast<unsigned>(__builtin_ctzll(others)), job.launch);
    }
  }
  if (job.awaited == 0) grant(job);
}

void CoherentCache::grant(Job& job) {
  Block& b = *resident(block_of(job.line));
  Line& line = line_in(b, job.line);
  DirectoryEntry& entry = line.directory;
  CoherenceMessage m;
  m.type = MessageType::kGrant;
  m.from = self_;
  m.to = children_[job.child];
  m.line = job.line;
  m.launch = job.launch;
  m.times = {job.received, now(), job.below, now() - job.snooped};
  const bool alone = (entry.sharers & ~sharer_bit(job.child)) == 0;
  if (job.action == Action::kStore) {
    m.state = transitions_.on(State::kI, Action::kStore).next;
  } else if (exclusive(b.state) && alone) {
    m.state = transitions_.on(State::kI, Action::kLoad).next_exclusive;
  } else {
    m.state = transitions_.on(State::kI, Action::kLoad).next;
  }
  if (exclusive(m.state)) {
    entry.owner = static_cast<std::uint8_t>(job.child);
    entry.sharers = sharer_bit(job.child);
  } else {
    if (entry.owner == job.child) entry.owner = DirectoryEntry::kNoOwner;
    entry.sharers |= sharer_bit(job.child);
  }
  m.data.push_back({job.line, ByteMask::first(kLineBytes), line.bytes});
  if (counts != nullptr) (*counts)[job.launch].bytes += kLineBytes;
  network_.send(std::move(m));
  job.phase = Phase::kWaitGrantAck;
}

}  // namespace tessera::umh
