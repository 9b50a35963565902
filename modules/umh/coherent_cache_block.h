// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <tlm>
#include <unordered_set>
#include <vector>

#include "modules/protocol/backdoor.h"
#include "modules/protocol/flush.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/response_port.h"
#include "modules/umh/coherence_block.h"
#include "modules/umh/coherence_config.h"
#include "modules/umh/coherent_cache.h"

namespace tessera {
struct CoherentCacheSite;
}

namespace tessera::umh {

/// How an access of the core of an L1 was served.
struct CoherentOutcome {
  bool hit = false;
  bool fetched = false;              ///< with a request of its own to the parent
  std::uint64_t latency_cycles = 0;  ///< of an access that did not hit
};

/// Observes the accesses of the core of an L1, when they are looked up and when they complete. Must
/// not change the block's behaviour.
class CoherentAccessObserver {
 public:
  virtual ~CoherentAccessObserver() = default;
  virtual void on_lookup(const tlm::tlm_generic_payload& payload) = 0;
  virtual void on_completed(const tlm::tlm_generic_payload& payload,
                            const CoherentOutcome& outcome) = 0;
};

/// Accesses of the core of an L1. The names are those of L1Stats where the meaning is the same.
struct CoherentAccessStats {
  Counter loads = 0;
  Counter stores = 0;
  Counter coherent_stores = 0;
  Counter atomics = 0;
  Counter load_hits = 0;
  Counter load_misses = 0;
  Counter store_hits = 0;
  Counter fences = 0;
  Counter stalls_mshr = 0;
  Counter bytes_to_core = 0;
  // Parts of miss_latency, summed over misses. The first two without a request of the access.
  Counter merge_cycles = 0;
  Counter l1_wait_cycles = 0;
  Counter request_network_cycles = 0;
  Counter l2_cycles = 0;
  Counter snoop_cycles = 0;
  Counter below_l2_cycles = 0;
  Counter response_network_cycles = 0;
  Counter unstamped_cycles = 0;
  Histogram miss_latency;
};

void describe(StatisticsVisitor& v, CoherentAccessStats& s);

struct CoherentFlushStats {
  Counter flushes = 0;
  Counter flushed_bytes = 0;
  Counter replacements = 0;  ///< blocks
};

void describe(StatisticsVisitor& v, CoherentFlushStats& s);

/// A cache of the coherent hierarchy: GPU L1 and L2, CPU L1, L2 and LLC (CoherentCache, UMH
/// sections 4 and 5), with its sockets and its timing. An L1 has a core and no children.
///
/// The core's accesses are ordinary memory requests, those of L1Cache (modules/sm/l1_cache.h): a
/// load, a store (non-coherent), a coherent store (with no byte enabled: a dynamic synchronisation)
/// or an atomic, which is performed here, in state M. An access with MemoryRequest::bypass_l1 sees
/// the newest bytes: a store is coherent, and a load obtains exclusive access first, as the
/// compiler-assisted load of UMH section 4.2.1.
///
/// Timing of the core's side: as L1Cache. An access that arrives at cycle c is looked up at
/// c + latency_cycles - 1 at the earliest, in order, one a cycle, beside the lookup of a message.
/// It waits while `transactions` accesses are pending. The data of a hit is at the core one cycle
/// after the lookup. The request of a miss leaves at the edge of the lookup. The response of an
/// access that sent one has the times of its way (MemoryRequest::stamps).
///
/// flush() of FlushIf is a fence: the core's completed stores become visible to all devices before
/// a later access is looked up. Each line that the core has stored to non-coherently since the last
/// fence, and that is not exclusive here, is synchronised (a coherent store without bytes). flush()
/// of SliceFlushIf is a final flush (CoherentCache::flush()). Both treat one block a cycle, at most
/// `transactions` at a time.
///
/// Phases: all four. Untimed accesses go through the platform's Backdoor (use()); without one, they
/// are refused. Not modelled: bank conflicts; a limit on the list of stored lines.
class CoherentCacheBlock : public CoherenceBlock,
                           public FlushIf,
                           public SliceFlushIf,
                           public HoldsBytes {
 public:
  using Config = CoherentCacheBlockConfig;
  using Stats = CoherentAccessStats;  ///< beside CoherentFlushStats and CoherenceBlockStats
  using Site = CoherentCacheSite;

  /// None or one.
  sc_core::sc_vector<tlm_utils::passthrough_target_socket<CoherentCacheBlock>> core;

  /// `has_core`: an L1.
  CoherentCacheBlock(const sc_core::sc_module_name& name, const CoherentCacheBlockConfig& config,
                     const CoherenceSite& site, bool has_core);

  const CoherentCache& cache() const { return *cache_; }
  const CoherentAccessStats& stats() const { return stats_; }
  /// L1: of the core's loads. Other levels: requests of children, and bytes of grants.
  LaunchCounts& launch_counts() { return counts_; }
  /// Evicts the block of a line, if there is one. `done` is called when it has left, and the parent
  /// has acknowledged its write-back. Takes effect at the next clock edge.
  void evict(std::uint64_t line, std::function<void()> done);

  void observe(CoherentAccessObserver& observer) { observers_.push_back(&observer); }

  void flush() override;
  void flush(LaunchSlot launch, std::function<void()> done) override;

  void overlay(std::uint64_t address, unsigned char* bytes) override;
  void replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) override;
  void use(Backdoor& backdoor) override { untimed_ = &backdoor; }

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 protected:
  using Written = std::function<void(std::uint64_t line, LaunchSlot launch)>;
  void handle(const CoherenceMessage& message) override { cache_->receive(message); }
  std::size_t pending() const override { return cache_->pending(); }
  /// From now on, `written` is called for each line whose bytes a grant or a merge writes here.
  void observe_written(Written written);
  void after_lookup(Tick t) override;
  Tick next_work(Tick t) const override;
  std::string describe_transactions() const override { return cache_->describe_waiting(); }
  void end_of_elaboration() override;

 private:
  using Payload = tlm::tlm_generic_payload;
  /// What the flush engine does to blocks.
  struct Sweep {
    Tick due = 0;                ///< first edge at which it can begin
    bool evicts = false;         ///< otherwise: synchronises
    LaunchSlot launch;           ///< evicts: for which it is counted
    std::function<void()> done;  ///< can be empty
    bool begun = false;
    std::deque<std::uint64_t> lines;  ///< to be treated
    std::size_t outstanding = 0;      ///< treated and not completed
  };

  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void blocking(Payload& payload, sc_core::sc_time& delay);
  unsigned debug(Payload& payload);

  void look_up_access(Tick t);
  void access(Payload& payload, Tick t);
  static void stamp(MemoryRequest& request, const CoherentAccess& result);
  void account(const CoherentAccess& result, Tick looked_up);
  void completed(Payload& payload, const CoherentAccess& result, Tick looked_up);
  void send_to_core(Tick t);
  void add_sweep(bool evicts, LaunchSlot launch, std::function<void()> done);
  void sweep(Tick t);
  /// Whether a sweep stops the core's accesses at t. One that is ordered at t begins later, so that
  /// the order of processes does not matter.
  bool sweeping(Tick t) const { return !sweeps_.empty() && sweeps_.front().due <= t; }
  void begin(Sweep& s);
  bool can_treat(const Sweep& s) const;
  void treat(Sweep& s);
  std::unique_ptr<CoherentCache> make_cache();

  const CoherentCacheBlockConfig config_;
  PayloadCheck check_;
  Written written_;
  std::unique_ptr<CoherentCache> cache_;
  TimedQueue<Payload*> accesses_;
  ResponsePort<> core_port_;
  Tick access_free_at_ = 0;
  const Payload* looked_up_ = nullptr;  ///< during its lookup
  std::deque<Sweep> sweeps_;            ///< the first one runs
  struct Eviction {
    Tick due = 0;
    std::uint64_t line = 0;
    std::function<void()> done;
  };
  std::deque<Eviction> evictions_;
  std::unordered_set<std::uint64_t> stored_;  ///< lines for the next fence
  StallTracker access_stalls_;
  LaunchCounts counts_;
  CoherentAccessStats stats_;
  CoherentFlushStats flush_stats_;
  Backdoor* untimed_ = nullptr;
  std::vector<CoherentAccessObserver*> observers_;
};

}  // namespace tessera::umh
