// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/cache/cache_array.h"
#include "modules/cache/mshr.h"
#include "modules/core/block.h"
#include "modules/core/channels.h"
#include "modules/core/flush.h"
#include "modules/core/payload_check.h"
#include "modules/core/process_timer.h"
#include "modules/core/slice_observer.h"
#include "modules/core/stall_tracker.h"
#include "modules/core/timed_queue.h"
#include "modules/core/transaction_pool.h"
#include "modules/llc/llc_config.h"
#include "modules/llc/snoop_filter.h"
#include "policies/address_map.h"
#include "policies/remote_caching.h"
#include "policies/transfer_policy.h"

namespace tessera {

/// A last-level-cache slice, in both its roles: home of the lines of its address range, in front
/// of one DRAM channel; and, for the SMs it is attached to, the way to (and a cache of) the lines
/// of other slices.
///
/// Hardware (NUBA section 3, figure 5): requests from local SMs stand in the LMR queue, requests
/// from the network in the RMR queue; one request a cycle goes to the tag and data arrays, the two
/// queues taking turns when both have one. Write-back, LRU. A write that misses takes a line
/// without fetching it and remembers which bytes are valid; a read of a line that is not wholly
/// valid fetches it and merges. Atomics are performed at home, `atomic_lanes_per_cycle` a cycle.
///
/// A local SM's request for another slice's line goes round the arrays to the network, unless
/// RemoteCaching says that the line may be cached here too (section 5.2): then it is looked up like
/// any other, and a miss fetches the line from its home slice.
///
/// Coherent (SM-side UBA, ours): all loads of the twin side's lines are cached here; stores and
/// atomics go on to the home, which keeps a directory of lines that its twin holds, invalidates a
/// line before it acknowledges a write of its own side, and is told of nothing else. A store drops
/// the copy on its way.
///
/// Remote cache (DualOpt section 4.2): the slice stands in front of the RDMA engine, to which
/// `memory` leads, and caches other GPUs' lines as a home does its own, until a flush. What the
/// home must see (atomics, volatile and system-scope accesses) passes on; a copy of its line is
/// written back before it, and dropped. While RemoteAccessMode::remote_cache is false everything
/// goes round the arrays to `memory`, and they hold nothing; it may become true at any time, and
/// what is under way ends as it began.
///
/// Timing: a request that arrives at cycle c is looked up at c + latency - 1 at the earliest, one
/// a cycle; a hit's answer (and a write's acknowledgement) is at the requester's side one cycle
/// later, so a lone hit takes `latency_cycles`. A miss's request reaches the channel (or the
/// network) as late as a hit's answer would have left, and the answer leaves one cycle after the
/// line has come. (The latency lies before the lookup: for one request a cycle this is the same as
/// a pipeline behind it, and costs one activation less.) What goes round the arrays, and the answer
/// to it, leaves a cycle after it has come. An invalidation is done and answered when it comes. A
/// flush passes over a frame a cycle, writes dirty lines back, and is done when all are
/// acknowledged.
///
/// Accesses to a line that is being fetched wait in its MSHR and take effect in order.
/// Phases: all four; early completion where there is room.
/// Not modelled: ECC, sectored tags, data-array banking, bandwidth of the link to the channel,
/// invalidations' use of the tag array.
class LlcSlice final : public sc_core::sc_module,
                       public Block,
                       public SliceFlushIf,
                       public PageDropIf {
 public:
  /// Which queue a port feeds: of the SMs that the slice is attached to, or of the network.
  enum class Queue : std::uint8_t { kLocal, kRemote };

  /// A slice's place in the platform. What is pointed to outlives it.
  struct Role {
    /// One target socket each.
    std::vector<Queue> ports;
    SliceId self;
    /// Null: no request is for another slice, and `remote` stays unbound.
    const RemoteCaching* caching = nullptr;
    /// Not null: the slice is a remote cache, and holds lines while remote_cache is true, which it
    /// must not cease to be but after a flush. `caching` is null then.
    const RemoteAccessMode* remote_cache = nullptr;
    /// Over how many remote caches a GPU's remote lines are dealt, by their home slice's number;
    /// divides the number of slices.
    std::uint32_t remote_banks = 1;
    /// Lines cached for another slice are kept coherent with it.
    bool coherent = false;
    /// Told of every access.
    std::vector<SliceObserver*> observers;
  };

  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<LlcSlice>> in;
  tlm_utils::simple_initiator_socket<LlcSlice> memory;
  tlm_utils::simple_initiator_socket_optional<LlcSlice> remote;

  LlcSlice(const sc_core::sc_module_name& name, const LlcSliceConfig& config, const AddressMap& map,
           TransactionPool& pool, const Role& role);

  const LlcSliceConfig& config() const { return config_; }
  const LlcSliceStats& stats() const { return stats_; }

  /// SliceFlushIf. No access may be under way.
  void flush(std::function<void()> done) override;
  /// A copy of another slice's (for a remote cache: another GPU's) line has been kept since the
  /// last flush.
  bool needs_flush() const override { return holds_copies_; }

  void drop_page(std::uint64_t address, std::uint64_t bytes) override;

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  using Payload = tlm::tlm_generic_payload;
  /// A request on its way through the slice.
  struct Access {
    Payload* payload = nullptr;
    MemoryRequest* request = nullptr;
    std::uint32_t port = 0;
    std::uint32_t set = 0;  ///< of the arrays, for hints
  };
  /// An invalidation that the twin has not answered, and what is acknowledged when it has.
  struct Invalidation {
    Payload* payload = nullptr;
    std::uint64_t line = 0;
    std::vector<Access> held;
  };
  // A queue and its half of a channel: a host cache line.
  struct alignas(kHostLine) Output {
    TimedQueue<Payload*> queue;
    RequestSender sender;
  };
  struct alignas(kHostLine) ResponseOutput {
    TimedQueue<Payload*> queue;
    ResponseSender sender;
  };
  struct alignas(kHostLine) ResponseInput {
    TimedQueue<Payload*> queue;
    ResponseReceiver receiver{ResponseReceiver::kUnlimited};
  };
  enum class Outcome : std::uint8_t { kDone, kStalled };
  /// Why heads of the queues wait: for room behind the arrays, or for what a fill gives free.
  enum class Stall : std::uint8_t { kNone, kOutputs, kArrays };
  /// Tag, plus the port, of what stands in `to_remote_` and still holds its port's entry.
  static constexpr std::uint32_t kHoldsEntry = 1U << 16;
  static constexpr CacheArray::Frame kNotFlushing = CacheArray::kNone;

  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum fw(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum memory_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum remote_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum responded_at(Output& output, ResponseInput& responses, Payload& payload,
                                  tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void blocking(int port, Payload& payload, sc_core::sc_time& delay);
  unsigned debug(int port, Payload& payload);
  bool access_enabled(Payload& payload);
  bool direct(int, Payload&, tlm::tlm_dmi&) { return false; }

  void process();
  void handle_fills(Tick t);
  [[gnu::noinline]] void handle_remote(Tick t);
  void handle_invalidations(Tick t);
  void handle_bypassing(Tick t);
  bool fills_can_wait() const;
  void fill(Payload& payload, Tick t);
  [[gnu::noinline]] void refuse_fill(Payload& payload, Tick t);
  void send_all(Tick t);
  void send_responses(ResponseOutput& out, Tick t);
  void send(Output& output, ResponseInput& responses, Tick t);
  void look_up(Tick t);
  [[gnu::noinline]] void walk_flush(Tick t);
  void schedule_next(Tick t);
  void schedule_next(const Output& output, Tick t);

  /// Always true in a remote cache: it does with its lines as a home does.
  bool is_home(const MemoryRequest& r) const {
    return role_.caching == nullptr || r.home().slice == role_.self;
  }
  bool is_remote_cache() const { return role_.remote_cache != nullptr; }
  /// Whether the slice serves lines of this home, or has a way to it.
  bool serves(const Home& home) const {
    return role_.caching != nullptr || is_remote_cache() || home.slice == role_.self;
  }
  /// Chooses the set. Lines of other GPUs' slices have slice-local numbers that meet: a remote
  /// cache counts through all slices whose lines it may get.
  std::uint64_t index_of(const Home& home) const {
    if (!is_remote_cache()) return home.slice_line;
    return home.slice_line * bank_slices_ + home.slice.value / role_.remote_banks;
  }
  std::uint64_t line_of(const Payload& payload) const {
    return payload.get_address() >> line_shift_;
  }
  bool local(const Access& a) const { return role_.ports[a.port] == Queue::kLocal; }
  bool bypasses_cache(const Access& a) const;
  bool cached_here(const Access& a) const;
  bool kept(const Access& a) const;
  Caching caching_of(const Access& a) const;
  bool output_backed_up() const;
  bool try_queue(TimedQueue<Access>& queue, Tick t);
  /// The head of its queue cannot be looked up at this instant: will be counted once, for the
  /// first reason, if it is not looked up at the very same instant.
  [[gnu::noinline]] Outcome stall(const Access& a, Counter& reason);
  Outcome access(const Access& a, Tick t);
  Outcome merge(const Access& a, std::uint64_t line);
  Outcome write(const Access& a, std::uint64_t line, CacheArray::Frame frame, Tick t);
  Outcome miss(const Access& a, std::uint64_t line, CacheArray::Frame frame, Tick t);
  [[gnu::noinline]] Outcome forward_to_home(const Access& a, std::uint64_t line,
                                            CacheArray::Frame frame, Tick t);
  Payload& fetch_for(const Access& a, std::uint64_t line);
  [[gnu::noinline]] Payload& own_fetch(const Access& a, std::uint64_t line);
  /// `tag`: kHoldsEntry + port, or 0.
  void send_on(const Access& a, Tick due, std::uint32_t tag);
  CacheArray::Frame allocate_way(std::uint64_t index, std::uint64_t line);
  void write_back(CacheArray::Frame frame, Tick t);
  void apply(const Access& a, CacheArray::Frame frame);
  void finish(const Access& a, Tick t);
  void perform_atomics(AtomicOperands& operands, CacheArray::Frame frame, bool carried);
  bool coherent_after(const Access& a, Tick t);
  Invalidation& invalidate_peer(std::uint64_t line, Tick t);
  void invalidated(Payload& payload, Tick t);
  void notify_observers(const Access& a, bool leaving) {
    if (!role_.observers.empty()) notify(a, leaving);
  }
  [[gnu::noinline]] void notify(const Access& a, bool leaving);

  // Remote caches only (llc_remote_cache.cpp).
  bool is_own_response(Payload& payload);
  static bool must_reach_home(const MemoryRequest& r);
  [[gnu::noinline]] Outcome write_back_and_forward(const Access& a, CacheArray::Frame frame,
                                                   Tick t);
  void pass_to_memory(const Access& a, Tick due, std::uint32_t tag);
  void blocking_remote(Payload& payload, sc_core::sc_time& delay);
  void write_back_debug(CacheArray::Frame frame);

  alignas(kHostLine) const LlcSliceConfig config_;
  const unsigned line_shift_;
  const AddressMap& map_;
  TransactionPool& pool_;
  const ClockDomain clock_;
  const Role role_;
  PayloadCheck check_;
  const std::uint64_t bank_slices_;  ///< slices of the system whose lines a remote cache may get

  CacheArray array_;
  /// Entry::keep is false when the line must not stay, and nothing more may merge.
  Mshr<Access> mshr_;
  SnoopFilter directory_;
  // What a lookup, a fill and a request to the channel ask: three host cache lines.
  alignas(kHostLine) TimedQueue<Access> lmr_;
  TimedQueue<Access> rmr_;
  ResponseInput fills_;  ///< from the channel
  Output to_memory_;
  /// To go round the arrays. Apart until they have come: what is sent to the network waits for
  /// room there, and must not be counted before.
  TimedQueue<Access> bypassing_;
  ProcessTimer wake_;
  Tick lookup_free_at_ = 0;
  bool local_turn_ = true;
  Stall stalled_ = Stall::kNone;
  /// Requests have carried values: the array's bytes mean something.
  bool carried_ = false;
  bool holds_copies_ = false;
  /// The next frame that a flush looks at.
  CacheArray::Frame flush_frame_ = kNotFlushing;
  std::vector<ResponseOutput> responses_;
  std::vector<RequestReceiver> request_in_;
  std::array<StallTracker, 2> stall_tracker_{};  ///< heads of the queues: [RMR, LMR]
  ResponseInput from_remote_;                    ///< from the network
  Output to_remote_;
  TimedQueue<Access> invalidations_;  ///< to be done here
  std::vector<Invalidation> invalidating_;
  /// Write-backs whose acknowledgement is awaited.
  std::vector<Payload*> writes_;
  /// Requests that went round the arrays and have not been answered.
  std::uint64_t outstanding_bypasses_ = 0;
  Tick flush_began_ = 0;
  Tick flush_at_ = 0;
  std::function<void()> flush_done_;

  LlcSliceStats stats_;
};

}  // namespace tessera
