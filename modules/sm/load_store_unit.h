// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "modules/kernel/bounded_queue.h"
#include "modules/kernel/stats.h"
#include "modules/kernel/waiting.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/transaction_pool.h"
#include "modules/sm/access_observer.h"
#include "modules/sm/load_store_stats.h"
#include "modules/sm/sm_config.h"
#include "modules/sm/stall_stages.h"
#include "modules/sm/tlb.h"
#include "modules/sm/warp_access.h"

namespace tessera {

/// Coalescer, L1 TLB, and the SM's ends of the channels to its L1 and to the MMU. Plain C++, called
/// by the SM's process.
///
/// Accesses leave in program order, one line a cycle. A line whose page misses in the TLB waits for
/// the translation while other lines are sent. Lines of the same page keep their order.
class LoadStoreUnit {
 public:
  /// "kernel 'k', CTA (0,0,0), warp 1, k.ptx:12 'text'" of an access, for messages.
  using PlaceOf = std::function<std::string(const WarpAccess&)>;

  /// `pages`: not null if the configuration has ideal translation. Must outlive the unit.
  LoadStoreUnit(const SmConfig& config, const ClockDomain& clock, TransactionPool& pool, SmId sm,
                const PageLookupIf* pages, PlaceOf place_of);

  void bind(tlm::tlm_fw_transport_if<>* l1, tlm::tlm_fw_transport_if<>* mmu);

  /// Whether another warp access can be enqueued.
  bool can_take() const { return !queue_.full() && !accesses_.full() && !closed_; }
  /// While closed, the unit accepts no accesses.
  void close(bool on) { closed_ = on; }
  void invalidate_translations() { tlb_.invalidate_all(); }
  /// Enqueues an access to global memory by the warp in `slot`. Precondition: can_take().
  void take(const MemoryOp& memory, const OpInfo& op, std::uint32_t slot, std::uint64_t warp_age,
            LaunchSlot launch, Tick t);

  /// Handles responses and sends the requests that can be sent at t. Throws RunError for a response
  /// with an error status: the place of the access, its address and the cause.
  void run(Tick t);
  /// The next access with responses to all of its lines, or nullptr. The caller releases it by
  /// free_access().
  WarpAccess* next_completed();
  /// Of the loads with a result, the first one after its arming.
  FirstLoad& first_load() { return first_load_; }
  void free_access(WarpAccess& access) { accesses_.release(access); }
  void observe(SmAccessObserver& observer) { observer_ = &observer; }
  SmAccessObserver* observer() const { return observer_; }  ///< null: none
  /// Earliest time at which run() has work; kNever if it waits for other blocks.
  Tick next_work(Tick t) const;

  // Called by the sockets.
  tlm::tlm_sync_enum l1_backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  tlm::tlm_sync_enum mmu_backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay);

  bool idle() const { return accesses_.used() == 0 && translations_.empty(); }
  void describe_waiting(const std::string& base, std::vector<Waiting>& out) const;
  void reset();
  void register_statistics(const std::string& module, StatisticsRegistry& registry) const;
  const LoadStoreStats& stats() const { return stats_; }

 private:
  /// Responses are due at their arrival, which need not be a clock edge. The SM schedules the
  /// process.
  using Port = UnscheduledRequestPort<UnqueuedOutput<RequestSender>>;
  /// An access with lines that have not been passed to translation.
  struct Queued {
    WarpAccess* access = nullptr;
    CoalescedAccess lines;
  };
  struct Line {
    WarpAccess* access = nullptr;
    std::uint32_t index = 0;
    LineAccess lanes;
    PageEntry page = {};  ///< valid after translation
  };
  struct Translation {
    std::uint64_t page = 0;
    Transaction* request = nullptr;
    bool sent = false;
    std::vector<Line> waiting;
  };

  void handle_responses(Tick t);
  void handle_translations(Tick t);
  void send_translations(Tick t);
  bool send_line(Tick t);
  bool translate(const Line& line, std::uint64_t page);
  const PageEntry* find_page(std::uint64_t page);
  void send(const Line& line, Tick t);
  void add_stored(Transaction& out, const Line& line);
  void add_operands(Transaction& out, const Line& line);
  [[noreturn]] void fail(const WarpAccess& a, tlm::tlm_generic_payload& payload) const;
  [[noreturn]] void fail_translation(const Translation& x) const;
  void responded_at(tlm::tlm_generic_payload& payload, Tick t);
  void handle_values(WarpAccess& a, const tlm::tlm_generic_payload& payload,
                     const MemoryRequest& request);

  const SmConfig& config_;
  const ClockDomain& clock_;
  TransactionPool& pool_;
  const SmId sm_;
  const PageLookupIf* const pages_;
  const PlaceOf place_of_;
  const unsigned line_shift_;  ///< log2 of the bytes in a line
  const unsigned page_shift_;  ///< log2 of the lines in a page
  Tlb tlb_;

  WarpAccessTable accesses_;  ///< index: a request's tag / kWarpLanes

  std::deque<Line> translated_;
  std::vector<Translation> translations_;
  // Grouped, because the SM's process polls these members.
  BoundedQueue<WarpAccess*> completed_;
  BoundedQueue<Queued> queue_;
  Port l1_port_;
  std::size_t unsent_ = 0;  ///< translations whose request has not been sent
  Tick port_free_at_ = 0;
  bool blocked_ = false;  ///< the queue's head needs a translation, but no TLB MSHR is free
  bool closed_ = false;
  Port mmu_port_;
  FirstLoad first_load_;
  SmAccessObserver* observer_ = nullptr;
  LoadStoreStats stats_;
};

}  // namespace tessera
