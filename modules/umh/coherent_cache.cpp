// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/coherent_cache.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tessera::umh {

namespace {

constexpr std::uint64_t bit(unsigned child) { return std::uint64_t{1} << child; }

/// Bits of a value that counts to n - 1.
constexpr std::uint32_t log2_up(std::uint64_t n) {
  std::uint32_t bits = 0;
  while ((std::uint64_t{1} << bits) < n) ++bits;
  return bits;
}

/// A parent distinguishes an owner, other copies and none. For a snoop of several blocks, the
/// response has the state that matters most.
State stronger(State a, State b) {
  if (owns(a) || b == State::kI) return a;
  return owns(b) || a == State::kI ? b : a;
}

}  // namespace

void CoherentCacheConfig::validate() const {
  if (sets == 0 || block_lines == 0 || banks == 0 || interleave_lines == 0) {
    throw std::invalid_argument("a coherent cache has sets, lines and banks");
  }
  if (mask_granularity != 1 && mask_granularity != 2 && mask_granularity != 4) {
    throw std::invalid_argument("a mask bit stands for 1, 2 or 4 bytes");
  }
}

CoherentCacheConfig SmdConfig::cache() const {
  CoherentCacheConfig c;
  if (block_bytes == 0 || block_bytes % kLineBytes != 0) {
    throw std::invalid_argument("a secondary block consists of whole lines");
  }
  if (ways == 0 || stacks == 0 || stack_bytes / block_bytes / ways == 0) {
    throw std::invalid_argument("a stack holds at least one secondary block per way");
  }
  c.sets = static_cast<std::uint32_t>(stack_bytes / block_bytes / ways);
  c.ways = ways;
  c.block_lines = block_bytes / kLineBytes;
  c.mask_granularity = mask_granularity;
  c.banks = stacks;
  c.owned_read = owned_read;
  c.mutation = mutation;
  return c;
}

std::uint32_t SmdConfig::entry_bits(std::uint32_t address_bits) const {
  const std::uint32_t index =
      log2_up(stack_bytes / block_bytes / ways) + log2_up(block_bytes) + log2_up(stacks);
  return address_bits - index + 3 + block_bytes / kLineBytes;
}

CoherentCache::CoherentCache(const CoherentCacheConfig& config, AgentId self,
                             CoherenceNetwork& network, std::vector<AgentId> parents,
                             std::vector<AgentId> children, std::uint32_t parent_lines)
    : config_((config.validate(), config)),
      self_(self),
      network_(network),
      parents_(std::move(parents)),
      children_(std::move(children)),
      parent_lines_(parent_lines),
      tags_(config.sets, config.ways, kLineBytes, CacheArray::Bytes::kPerLine),
      blocks_(tags_.frames()) {
  if (parents_.empty() || parent_lines_ == 0) throw std::invalid_argument("no parent");
  if (children_.size() > 64) throw std::invalid_argument("a directory has at most 64 children");
}

std::uint64_t CoherentCache::set_index(std::uint64_t block) const {
  const std::uint64_t part =
      std::max<std::uint64_t>(1, config_.interleave_lines / config_.block_lines);
  return block / part / config_.banks * part + block % part;
}

AgentId CoherentCache::parent_of(std::uint64_t block) const {
  return parents_[block * config_.block_lines / parent_lines_ % parents_.size()];
}

CoherentCache::Block* CoherentCache::resident(std::uint64_t block) {
  const Frame f = find(block);
  return f == CacheArray::kNone ? nullptr : &blocks_[f];
}

const CoherentCache::Block* CoherentCache::resident(std::uint64_t block) const {
  const Frame f = find(block);
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
  entry.sharers &= ~bit(child);
  if (entry.owner == child) entry.owner = DirectoryEntry::kNoOwner;
}

// --- jobs -------------------------------------------------------------------------------------

void CoherentCache::access(const CoherentAccess& access, Completion done) {
  assert(children_.empty());
  enter();
  auto job = std::make_unique<Job>();
  job->kind = Job::Kind::kAccess;
  job->line = access.line;
  job->access = access;
  job->completion = std::move(done);
  switch (access.kind) {
    case CoherentAccess::Kind::kLoad:
      job->action = Action::kLoad;
      break;
    case CoherentAccess::Kind::kNStore:
      // A mask bit cannot stand for a part of its bytes (section 4.1.2).
      job->action =
          rounded(access.mask) == access.mask || mutated(ProtocolMutation::kNarrowNonCoherentStore)
              ? Action::kNStore
              : Action::kStore;
      break;
    case CoherentAccess::Kind::kStore:
    case CoherentAccess::Kind::kFetchAdd:
      job->action = Action::kStore;
      break;
  }
  enqueue(std::move(job));
  leave();
}

void CoherentCache::evict(std::uint64_t line, std::function<void()> done) {
  enter();
  auto job = std::make_unique<Job>();
  job->kind = Job::Kind::kFlush;
  job->line = block_of(line) * config_.block_lines;
  job->done = std::move(done);
  enqueue(std::move(job));
  leave();
}

void CoherentCache::flush(const std::function<void()>& done) {
  std::vector<std::uint64_t> blocks;
  for (Frame f = 0; f < tags_.frames(); ++f) {
    if (tags_.occupied(f)) blocks.push_back(tags_.line(f));
  }
  for (const auto& [block, activity] : active_) {
    if (find(block) == CacheArray::kNone) blocks.push_back(block);
  }
  std::sort(blocks.begin(), blocks.end());
  if (blocks.empty()) {
    if (done) done();
    return;
  }
  const auto left = std::make_shared<std::size_t>(blocks.size());
  for (const std::uint64_t block : blocks) {
    evict(block * config_.block_lines, [left, done] {
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
      job->child = position_of(message.from).value();
      job->message = message;
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
      if (Job* const job = running_job(message.line, Phase::kWaitGrantAck)) finish(*job);
      break;
    case MessageType::kWriteBackAck:
      if (Job* const job = running_job(message.line, Phase::kWaitWriteBackAck)) {
        active_.at(block_of(message.line)).write_back.reset();
        if (message.confirm) acknowledge(message);
        finish(*job);
      }
      break;
    case MessageType::kListen:
      break;  // The peer's data can arrive before it.
  }
  mark_ready(block_of(message.line));
  leave();
}

void CoherentCache::enqueue(std::unique_ptr<Job> job) {
  const std::uint64_t block = block_of(job->line);
  active_[block].queue.push_back(std::move(job));
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
    const bool hit = on(state(job.line), job.action).need == Need::kHit;
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
  const Frame f = find(block);
  if (f == CacheArray::kNone || tags_.locked(f) == busy) return;
  tags_.lock(f, busy);
  if (!busy) retry_frames();
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
  const ActionCell cell = on(s, job.action);
  const bool hit = cell.need == Need::kHit || (mutated(ProtocolMutation::kStoreHitsShared) &&
                                               s == State::kS && job.action == Action::kStore);
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
  if (b != nullptr || allocate_frame(job)) {
    send_request(job);
  } else {
    job.phase = Phase::kWaitFrame;
    frame_waiters_.push_back(&job);
  }
}

bool CoherentCache::allocate_frame(Job& job) {
  const std::uint64_t block = block_of(job.line);
  const Frame f = tags_.victim(set_index(block));
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
  const std::uint64_t victim = tags_.line(f);
  auto eviction = std::make_unique<Job>();
  eviction->kind = Job::Kind::kFlush;
  eviction->line = victim * config_.block_lines;
  eviction->victim_of = block;
  tags_.lock(f, true);
  active_[victim].queue.push_front(std::move(eviction));
  mark_ready(victim);
  return false;
}

void CoherentCache::release_frame(std::uint64_t block) {
  const Frame f = find(block);
  blocks_[f].state = State::kI;
  blocks_[f].lines.clear();
  tags_.invalidate(f);
  retry_frames();
}

void CoherentCache::retry_frames() {
  std::deque<Job*> waiting;
  waiting.swap(frame_waiters_);
  for (Job* const job : waiting) {
    if (allocate_frame(*job)) {
      send_request(*job);
    } else {
      frame_waiters_.push_back(job);
    }
  }
}

void CoherentCache::send_request(Job& job) {
  const std::uint64_t block = block_of(job.line);
  const Need need = on(state(job.line), job.action).need;
  CoherenceMessage m;
  m.type = need == Need::kReadRequest ? MessageType::kReadRequest : MessageType::kWriteRequest;
  m.from = self_;
  m.to = parent_of(block);
  m.line = block * config_.block_lines;
  m.lines = config_.block_lines;
  job.phase = Phase::kWaitGrant;
  network_.send(std::move(m));
}

void CoherentCache::handle_grant(const CoherenceMessage& message) {
  Job* const job = running_job(message.line, Phase::kWaitGrant);
  const std::uint64_t block = block_of(message.line);
  Block* const b = resident(block);
  if (job == nullptr || b == nullptr) throw std::logic_error("unexpected " + message.describe());
  const bool keep_stale = mutated(ProtocolMutation::kKeepStaleBytes) && b->state != State::kI;
  for (const LineBytes& l : message.data) {
    Line& line = line_in(*b, l.line);
    if (!keep_stale) {
      copy_masked(line.bytes.data(), l.bytes.data(), l.mask.without(line.dirty), kLineBytes);
    }
  }
  b->state = message.state;
  acknowledge(message);
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
  network_.send(std::move(ack));
}

void CoherentCache::perform(Job& job, Block& block) {
  Line& line = line_in(block, job.line);
  CoherentAccess& a = job.access;
  const ByteMask mask =
      a.kind == CoherentAccess::Kind::kFetchAdd ? ByteMask::range(a.word, 4) : a.mask;
  block.state = on(block.state, job.action).next;
  switch (a.kind) {
    case CoherentAccess::Kind::kLoad:
      a.bytes = line.bytes;
      break;
    case CoherentAccess::Kind::kFetchAdd: {
      std::uint32_t old = 0;
      std::memcpy(&old, line.bytes.data() + a.word, sizeof old);
      const std::uint32_t sum = old + a.addend;
      std::memcpy(a.bytes.data() + a.word, &old, sizeof old);
      std::memcpy(line.bytes.data() + a.word, &sum, sizeof sum);
      line.dirty |= rounded(mask);
      break;
    }
    case CoherentAccess::Kind::kStore:
    case CoherentAccess::Kind::kNStore:
      copy_masked(line.bytes.data(), a.bytes.data(), mask, kLineBytes);
      line.dirty |= rounded(mask);
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
  if (job.action == Action::kLoad) {
    if (entry.owner != DirectoryEntry::kNoOwner && entry.owner != job.child) {
      job.awaited = 1;
      send_snoop(MessageType::kReadSnoop, job.line, entry.owner);
    }
  } else {
    std::uint64_t others = entry.sharers & ~bit(job.child);
    if (mutated(ProtocolMutation::kKeepSharerOnWrite)) others &= others - 1;
    for (; others != 0; others &= others - 1) {
      ++job.awaited;
      send_snoop(MessageType::kInvalidateSnoop, job.line,
                 static_cast<unsigned>(__builtin_ctzll(others)));
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
  const bool alone = (entry.sharers & ~bit(job.child)) == 0;
  if (job.action == Action::kStore) {
    m.state = State::kM;
  } else if ((exclusive(b.state) && alone) || mutated(ProtocolMutation::kExclusiveToEveryReader)) {
    m.state = on(State::kI, Action::kLoad).next_exclusive;
  } else {
    m.state = on(State::kI, Action::kLoad).next;
  }
  if (exclusive(m.state)) {
    entry.owner = static_cast<std::uint8_t>(job.child);
    entry.sharers = bit(job.child);
  } else {
    if (entry.owner == job.child) entry.owner = DirectoryEntry::kNoOwner;
    entry.sharers |= bit(job.child);
  }
  m.data.push_back({job.line, ByteMask::first(kLineBytes), line.bytes});
  network_.send(std::move(m));
  job.phase = Phase::kWaitGrantAck;
  if (mutated(ProtocolMutation::kNoWaitForGrantAck)) finish(job);
}

// --- write-backs ------------------------------------------------------------------------------

void CoherentCache::handle_write_back(Job& job) {
  const auto voided = std::find(voided_.begin(), voided_.end(), job.line * 64 + job.child);
  const bool drop = voided != voided_.end();
  if (drop) voided_.erase(voided);
  Block* const b = resident(block_of(job.line));
  if (b != nullptr && (!drop || mutated(ProtocolMutation::kApplyVoidedWriteBack))) {
    merge(*b, job.message);
    if (!drop) remove_child(line_in(*b, job.line).directory, job.child);
  }
  CoherenceMessage ack;
  ack.type = MessageType::kWriteBackAck;
  ack.from = self_;
  ack.to = job.message.from;
  ack.line = job.line;
  network_.send(std::move(ack));
  finish(job);
}

void CoherentCache::merge(Block& block, const CoherenceMessage& from_child) {
  for (const LineBytes& l : from_child.data) {
    Line& line = line_in(block, l.line);
    const bool all = mutated(ProtocolMutation::kMergeWithoutMask);
    copy_masked(line.bytes.data(), l.bytes.data(), all ? ByteMask::first(kLineBytes) : l.mask,
                kLineBytes);
    line.dirty |= l.mask;
    // Table II has no column for the write-back of an upper level. An exclusive block stays
    // exclusive, because other lines of the block can be M or E above.
    block.state = on(block.state, exclusive(block.state) ? Action::kStore : Action::kNStore).next;
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
  job.awaited = mutated(ProtocolMutation::kSkipRecall) ? 0 : invalidate_children(block, *b);
  if (job.awaited == 0) write_back(job);
}

unsigned CoherentCache::invalidate_children(std::uint64_t block, const Block& b) {
  unsigned sent = 0;
  for (std::uint32_t i = 0; i < config_.block_lines; ++i) {
    for (std::uint64_t left = b.lines[i].directory.sharers; left != 0; left &= left - 1) {
      ++sent;
      send_snoop(MessageType::kInvalidateSnoop, block * config_.block_lines + i,
                 static_cast<unsigned>(__builtin_ctzll(left)));
    }
  }
  return sent;
}

void CoherentCache::collect_dirty(std::uint64_t block, Block& b, std::vector<LineBytes>& into) {
  for (std::uint32_t i = 0; i < config_.block_lines; ++i) {
    Line& line = b.lines[i];
    if (line.dirty.none()) continue;
    into.push_back({block * config_.block_lines + i, line.dirty, line.bytes});
    line.dirty = {};
  }
}

void CoherentCache::write_back(Job& job) {
  const std::uint64_t block = block_of(job.line);
  Block& b = *resident(block);
  const State s = b.state;
  const bool sends = on(s, Incoming::kEviction).transfer == Transfer::kWriteBack;
  if (sends) {
    WriteBackBuffer buffer;
    buffer.non_coherent = s != State::kM;
    collect_dirty(block, b, buffer.data);
    if (mutated(ProtocolMutation::kDropNonCoherentBytes) && s == State::kN) buffer.data.clear();
    CoherenceMessage m;
    m.type = MessageType::kWriteBack;
    m.from = self_;
    m.to = parent_of(block);
    m.line = block * config_.block_lines;
    m.lines = config_.block_lines;
    m.non_coherent = buffer.non_coherent;
    m.data = buffer.data;
    active_.at(block).write_back = std::move(buffer);
    network_.send(std::move(m));
    job.phase = Phase::kWaitWriteBackAck;
  }
  if (job.victim_of) {
    if (Job* const waiter = running_job(*job.victim_of * config_.block_lines, Phase::kWaitFrame)) {
      waiter->evicting = false;
    }
  }
  if (!sends) finish(job);
  release_frame(block);
}

// --- snoops -----------------------------------------------------------------------------------

void CoherentCache::handle_snoop(const CoherenceMessage& message) {
  const auto snoop = std::make_shared<Snoop>();
  snoop->message = message;
  snoop->response.from = self_;
  snoop->response.to = message.from;
  snoop->response.line = message.line;
  snoop->response.lines = message.lines;
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
    return job->phase == Phase::kWaitFrame || job->phase == Phase::kWaitGrant ||
           job->phase == Phase::kWaitWriteBackAck;
  });
}

void CoherentCache::start_snoop(std::uint64_t block, Activity& a) {
  a.snoop->running = true;
  Snoop& snoop = *a.snoop->of;
  if (a.write_back && !a.write_back->taken && !mutated(ProtocolMutation::kIgnoreWriteBackBuffer)) {
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
    a.snoop->awaited = invalidate_children(block, *b);
  } else {
    for (std::uint32_t i = 0; i < config_.block_lines; ++i) {
      const DirectoryEntry& entry = b->lines[i].directory;
      if (entry.owner == DirectoryEntry::kNoOwner) continue;
      ++a.snoop->awaited;
      send_snoop(MessageType::kReadSnoop, block * config_.block_lines + i, entry.owner);
    }
  }
  if (a.snoop->awaited == 0) finish_snoop(block, a);
}

IncomingCell CoherentCache::snoop_result(const Snoop& snoop, State s) const {
  return snoop.message.type == MessageType::kInvalidateSnoop
             ? on(s, Incoming::kWriteRequest)
             : on(s, Incoming::kReadRequest, config_.owned_read);
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
      m.line = block * config_.block_lines;
      m.lines = config_.block_lines;
      m.state = on(State::kI, Action::kLoad).next;
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
  const bool stays_modified = mutated(ProtocolMutation::kOwnerStaysModified) && s == State::kM &&
                              snoop.message.type == MessageType::kReadSnoop;
  b.state = stays_modified ? State::kM : cell.next;
  r.state = stronger(r.state, b.state);
  // A job that waits for a grant keeps its frame.
  if (b.state == State::kI && a.running.empty()) release_frame(block);
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

void CoherentCache::send_snoop(MessageType type, std::uint64_t line, unsigned child) {
  CoherenceMessage m;
  m.type = type;
  m.from = self_;
  m.to = children_[child];
  m.line = line;
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
                                                         "a frame",
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
