// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/stall_tracker.h"
#include "modules/kernel/timed_queue.h"
#include "modules/mmu/l2_tlb_config.h"
#include "modules/mmu/page_sharing.h"
#include "modules/mmu/page_slots.h"
#include "modules/mmu/translation.h"
#include "modules/protocol/page_entry.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/platform_interfaces.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/response_port.h"
#include "modules/protocol/transaction_pool.h"

namespace tessera {

struct L2TlbSite;

/// The second-level TLB that all SMs share.
///
/// Hardware (NUBA section 6, Table 1): set-associative, LRU, `ports` lookups a cycle. Misses to one
/// page share an MSHR and one page walk.
///
/// Timing: a request that arrives at cycle c is looked up at c + latency - 1 at the earliest, the
/// oldest first (ties: lowest port). The response to a hit arrives at the requester one cycle
/// later, so that a hit without contention takes `latency_cycles`. The request of a miss reaches
/// the walker one cycle after the lookup. After the walker's response, each port sends one response
/// a cycle to its waiting requests; the first arrives one cycle later. Lookups stall in order if no
/// MSHR is free or the requester's response queue is full.
///
/// Payloads: see translation.h. Phases: all four; early completion if the queue has a free entry.
/// Not modelled: mixed page sizes, address spaces, bandwidth of the links.
class L2Tlb final : public BlockBase<L2TlbConfig, L2TlbStats, L2TlbSite>, public TranslationsIf {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<L2Tlb>> in;  ///< one per SM
  tlm_utils::simple_initiator_socket<L2Tlb> walker;

  L2Tlb(const sc_core::sc_module_name& name, const L2TlbConfig& config, std::uint64_t page_bytes,
        TransactionPool& pool, unsigned ports);

  const PageSharing& sharing() const { return sharing_; }

  void invalidate_all() override;
  void invalidate_page(std::uint64_t virtual_page) override;

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  static constexpr std::uint64_t kNoSmsView = 0xffff;
  static constexpr unsigned kViewShift = 48;

  struct Entry {
    std::uint64_t page = kNoPage;
    PageEntry translation;
    std::uint64_t used = 0;  ///< order of last use
  };
  struct Access {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t port = 0;
  };
  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum forward(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void blocking(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(int, tlm::tlm_generic_payload& payload);

  void process();
  void handle_fills(Tick t);
  void look_up(Tick t);
  bool access(const Access& a, Tick t);
  void response(std::uint32_t port, tlm::tlm_generic_payload& payload, Tick t);
  void send(Tick t);
  void schedule_next(Tick t);

  /// Tag of a page: its number and, in the upper 16 bits, the group of SMs that shares it.
  /// Requesters other than SMs share one further group.
  std::uint64_t key_of(std::uint64_t page, const tlm::tlm_generic_payload& payload) const {
    if (config_.sms_per_view == 0) return page;
    const RequesterId r = requester_of(payload);
    const std::uint64_t view = r.is_sm() ? r.sm().value / config_.sms_per_view : kNoSmsView;
    return page | view << kViewShift;
  }
  Entry* find(std::uint64_t page);
  void install(std::uint64_t page, PageEntry translation);

  PayloadCheck check_;
  const ClockDomain clock_;
  const unsigned page_bits_;
  TransactionPool& pool_;

  std::vector<Entry> entries_;  ///< set by set
  std::uint64_t uses_ = 0;
  PageSlots mshrs_;
  TimedQueue<tlm::tlm_generic_payload*> queue_;
  Tick lookup_edge_ = kNever;  ///< clock edge to which `lookups_` refers
  std::uint32_t lookups_ = 0;
  bool stalled_ = false;
  StallTracker stall_tracker_;           ///< for the head of `queue_`
  std::vector<std::uint32_t> replying_;  ///< ports with queued responses

  PageSharing sharing_;
  ProcessTimer wake_;
  std::vector<ResponsePort<>> ports_;
  RequestPort<> walker_port_;
};

}  // namespace tessera
