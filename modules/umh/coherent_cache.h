// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/cache/cache_array.h"
#include "modules/kernel/launch_counts.h"
#include "modules/protocol/memory_request.h"
#include "modules/umh/coherence_config.h"
#include "modules/umh/coherence_message.h"
#include "modules/umh/nmoesi.h"

namespace tessera::umh {

/// An access of a processor to one line.
struct CoherentAccess {
  enum class Kind : std::uint8_t {
    kLoad,
    kStore,   ///< coherent; with an empty mask: dynamic synchronisation (UMH section 4.2.1)
    kNStore,  ///< non-coherent store
    kAtomic   ///< coherent; performs `operands`
  };
  std::uint64_t id = 0;
  Kind kind = Kind::kLoad;
  std::uint64_t line = 0;
  ByteMask mask;  ///< bytes of kLoad, kStore, kNStore
  /// Stored bytes. On completion of a load, a coherent store or an atomic: the line's bytes.
  std::array<unsigned char, kLineBytes> bytes{};
  AtomicOperands* operands = nullptr;  ///< kAtomic: the lanes' old values are written on completion
  LaunchSlot launch;
  /// Written on completion: the access has waited for a fetch of its block by another one, and
  /// needed none of its own.
  bool merged = false;
  Tick requested = kNever;  ///< time of its own request to the parent; kNever: it sent none
  GrantTimes grant;         ///< of this request
};

struct CoherentCacheEvents {
  std::uint64_t replacements = 0;  ///< blocks that were evicted for other blocks
  std::uint64_t dirty_bytes = 0;   ///< that left for the parent, in write-backs and responses
};

/// A cache of the coherent hierarchy, without its timing (UMH sections 4 and 5): GPU L1 and L2, CPU
/// L1, L2 and LLC with one line per block, and the SMD with secondary blocks.
///
/// The hierarchy is a tree: the parent is the next level towards the host memory, the children are
/// the caches above. The cache is inclusive: a line that a child holds is valid here, and an
/// eviction first recalls the copies of the children. For each line, a directory holds the child
/// that owns it and the children that share it. A clean block is evicted without a message, so that
/// the directory of the parent is a superset.
///
/// A block has one transaction at a time. Transactions that only grant resident lines run
/// concurrently for different lines of a block. A transaction ends when the child has acknowledged
/// its grant. A snoop of the parent waits for the transactions that wait for children, and runs
/// within a transaction that waits for the parent. docs/blocks/coherent-cache.md has the rules.
///
/// Dirty bytes are relative to the parent: a block in O or M whose bytes were sent has none.
///
/// Not modelled: latencies (the present time is only noted, for the latencies of misses), a limit
/// on pending transactions, write-through.
class CoherentCache {
 public:
  using Completion = std::function<void(const CoherentAccess&)>;

  /// A line's entry of the directory.
  struct DirectoryEntry {
    static constexpr std::uint8_t kNoOwner = 0xff;
    std::uint8_t owner = kNoOwner;  ///< position in `children`
    std::uint64_t sharers = 0;      ///< bit i: children[i]; includes the owner
  };

  /// `parents`: one or more, `parents[line / parent_lines % size]` is the parent of a line.
  /// `children`: 0 to 64.
  CoherentCache(const CoherentCacheConfig& config, AgentId self, CoherenceNetwork& network,
                std::vector<AgentId> parents, std::vector<AgentId> children,
                std::uint64_t parent_lines = 1);
  /// `transitions`: in place of Table II with CoherentCacheConfig::owned_read.
  CoherentCache(const CoherentCacheConfig& config, AgentId self, CoherenceNetwork& network,
                std::vector<AgentId> parents, std::vector<AgentId> children,
                std::uint64_t parent_lines, const TransitionTable& transitions);

  /// Performs an access of the processor. Only for caches without children. `done` can be called
  /// before access() returns. Accesses to one line are performed in order.
  void access(const CoherentAccess& access, Completion done);
  /// Accepts a message from the network.
  void receive(const CoherenceMessage& message);
  /// Evicts the block of a line, if there is one. Requests in progress are completed first.
  /// `launch`: for which the write-back is counted.
  void evict(std::uint64_t line, std::function<void()> done = {}, LaunchSlot launch = {});
  /// Evicts blocks_to_flush(). `done` is called after the parent has acknowledged every write-back.
  void flush(const std::function<void()>& done);

  AgentId id() const { return self_; }
  const CoherentCacheConfig& config() const { return config_; }
  /// No transaction is pending.
  bool idle() const { return active_.empty(); }
  /// What has happened since the last call.
  CoherentCacheEvents take_events() { return std::exchange(events_, {}); }
  /// Called for each line whose bytes a grant or a merge has written here. Can be empty.
  std::function<void(std::uint64_t line, LaunchSlot launch)> on_written;
  /// Counts requests of children, and the bytes of grants to them. Can be null.
  LaunchCounts* counts = nullptr;
  /// Accesses, and requests of children, that have not been completed. Write-backs are requests.
  std::size_t pending() const { return pending_; }
  /// Pending transactions, one per line of text. Empty if idle.
  std::string describe_waiting() const;

  // Inspection; changes nothing.
  State state(std::uint64_t line) const;
  DirectoryEntry directory(std::uint64_t line) const;
  /// Resident bytes, or nullptr.
  const unsigned char* bytes(std::uint64_t line) const;
  ByteMask dirty(std::uint64_t line) const;
  /// First lines of the blocks that a final flush evicts now, in ascending order: those that
  /// CoherentCacheConfig::flushed names, and those with a transaction.
  std::vector<std::uint64_t> blocks_to_flush() const;
  /// Index of a block among the blocks of this bank. It selects the set.
  std::uint64_t index_of(std::uint64_t block) const;
  std::uint64_t block_of(std::uint64_t line) const { return line / config_.block_lines; }
  /// Position of an agent in `children`.
  std::optional<unsigned> position_of(AgentId child) const;

  // Untimed accesses to the bytes of a line; they change no state.
  /// Puts the dirty bytes of the cache, and of its write-back buffers, over `bytes`.
  void overlay(std::uint64_t line, unsigned char* bytes) const;
  /// Replaces the masked bytes where the cache holds them, whether they are dirty or not.
  void replace(std::uint64_t line, const unsigned char* bytes, ByteMask mask);

  /// Rounds a mask up to whole bits of the byte mask.
  ByteMask rounded(ByteMask mask) const;

 private:
  struct Line {
    ByteMask dirty;
    DirectoryEntry directory;
    std::array<unsigned char, kLineBytes> bytes{};
  };
  struct Block {
    State state = State::kI;
    std::vector<Line> lines;
  };

  enum class Phase : std::uint8_t {
    kQueued,
    kWaitWay,           ///< no way for the block yet
    kWaitGrant,         ///< for the parent
    kWaitChildren,      ///< for responses to snoops
    kWaitGrantAck,      ///< for the requester
    kWaitWriteBackAck,  ///< for the parent
    kDone
  };
  struct Job {
    enum class Kind : std::uint8_t { kAccess, kChildRequest, kWriteBack, kFlush };
    Kind kind = Kind::kAccess;
    Phase phase = Phase::kQueued;
    bool exclusive = true;  ///< no other job of the block runs
    bool evicting = false;  ///< an eviction for this job's way is in progress
    bool waited = false;    ///< for a fetch of the block by another job
    LaunchSlot launch;
    unsigned awaited = 0;  ///< responses of children
    Tick received = 0;     ///< kChildRequest
    Tick requested = 0;    ///< departure of the request to the parent
    Tick below = 0;        ///< from there to the parent's grant
    Tick snooped = 0;      ///< departure of the snoops of children, if there are any
    std::uint64_t line = 0;
    unsigned child = 0;  ///< position of the requester
    Action action = Action::kLoad;
    CoherentAccess access;
    Completion completion;
    CoherenceMessage message;
    std::function<void()> done;
    std::optional<std::uint64_t> victim_of;  ///< kFlush: the block that needs the way
  };
  /// A snoop of the parent, which can concern several blocks.
  struct Snoop {
    CoherenceMessage message;
    CoherenceMessage response;
    unsigned blocks = 0;  ///< that have not been snooped
  };
  struct BlockSnoop {
    std::shared_ptr<Snoop> of;
    bool running = false;
    unsigned awaited = 0;
  };
  /// A block whose write-back has not been acknowledged.
  struct WriteBackBuffer {
    bool taken = false;  ///< a snoop has taken the bytes
    bool non_coherent = false;
    std::vector<LineBytes> data;
  };
  struct Activity {
    std::deque<std::unique_ptr<Job>> queue;
    std::list<std::unique_ptr<Job>> running;
    std::optional<BlockSnoop> snoop;
    std::optional<WriteBackBuffer> write_back;
    bool busy() const { return !queue.empty() || !running.empty() || snoop; }
  };
  using Way = CacheArray::Way;

  AgentId parent_of(std::uint64_t block) const;
  Way find(std::uint64_t block) const { return tags_.find(index_of(block), block); }
  Block* resident(std::uint64_t block);
  const Block* resident(std::uint64_t block) const;
  Line& line_in(Block& b, std::uint64_t line) { return b.lines[line % config_.block_lines]; }

  void enqueue(std::unique_ptr<Job> job);
  void mark_ready(std::uint64_t block) { ready_.push_back(block); }
  void enter() { ++depth_; }
  void leave();
  void advance(std::uint64_t block);
  void start(Job& job);
  void finish(Job& job);
  Job* running_job(std::uint64_t line, Phase phase);

  // Steps of a request or an access.
  void obtain_permission(Job& job);
  bool allocate_way(Job& job);
  void release_way(std::uint64_t block);
  void retry_ways();
  void send_request(Job& job);
  void begin_fetch(Job& job, Phase phase);
  void count_request(Job& job, bool hit);
  void handle_grant(const CoherenceMessage& message);
  void acknowledge(const CoherenceMessage& message);
  void snoop_children(Job& job);
  void grant(Job& job);
  void perform(Job& job, Block& block);

  void handle_write_back(Job& job);
  void recall(Job& job);
  unsigned invalidate_children(std::uint64_t block, const Block& b, LaunchSlot launch);
  void collect_dirty(std::uint64_t block, Block& b, std::vector<LineBytes>& into);
  void write_back(Job& job);
  void handle_write_back_ack(const CoherenceMessage& message);

  // Snoops of the parent.
  void handle_snoop(const CoherenceMessage& message);
  bool snoop_can_run(const Activity& a) const;
  void start_snoop(std::uint64_t block, Activity& a);
  IncomingCell snoop_result(const Snoop& snoop, State s) const;
  void finish_snoop(std::uint64_t block, Activity& a);
  void complete_block(std::uint64_t block, Activity& a);
  void respond(Snoop& snoop);

  void handle_response(const CoherenceMessage& message);
  static void remove_child(DirectoryEntry& entry, unsigned child);
  void merge(Block& block, const CoherenceMessage& from_child);
  void send_snoop(MessageType type, std::uint64_t line, unsigned child, LaunchSlot launch);

  CoherentCacheConfig config_;
  TransitionTable transitions_;
  AgentId self_;
  CoherenceNetwork& network_;
  std::vector<AgentId> parents_;
  std::vector<AgentId> children_;
  std::uint64_t parent_lines_;
  CacheArray tags_;
  std::vector<Block> blocks_;  ///< by way
  std::unordered_map<std::uint64_t, Activity> active_;
  std::deque<std::uint64_t> ready_;  ///< blocks whose activity can advance
  std::deque<Job*> way_waiters_;     ///< in order of arrival
  /// Write-backs that a response to a snoop has voided: line * 64 + child.
  std::vector<std::uint64_t> voided_;
  std::size_t pending_ = 0;
  CoherentCacheEvents events_;
  unsigned depth_ = 0;  ///< calls in progress; the outermost advances the blocks
};

}  // namespace tessera::umh
