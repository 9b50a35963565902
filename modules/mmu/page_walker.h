// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/mmu/page_table.h"
#include "modules/mmu/page_walker_config.h"
#include "modules/protocol/memory_request.h"
#include "modules/protocol/paced_output.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/response_port.h"

namespace tessera {

struct WalkerSite;

/// The page-table walkers that all SMs share.
///
/// Hardware (NUBA section 6, Table 1): up to `concurrent_walks` concurrent walks. Requests wait in
/// a queue, oldest first. If the page is not mapped, the walker sends a fault to the UVM driver and
/// is then free for another walk; the driver's response carries the translation.
///
/// Timing: a walk begins at the first cycle at which its request has arrived and a walker is free.
/// Its response or its fault arrives `levels * level_latency_cycles` later. A response of the
/// driver is forwarded in one cycle. A walk for a page in transfer (PageTable::arrives) keeps its
/// walker and responds when the page has arrived. One response and one fault are sent in a cycle. A
/// walk whose result cannot be sent keeps its walker.
///
/// The walker forwards the request's payload to the driver; the driver's response uses it, too.
/// A walk that the table's TlbDirectory holds frees its walker. Its result is sent at the first
/// edge after the end of the hold, or when the page has arrived.
///
/// Phases: all four; early completion if the queue has a free entry.
/// Not modelled: the memory accesses of a walk, page-walk caches.
class PageWalker final : public BlockBase<PageWalkerConfig, PageWalkerStats, WalkerSite> {
 public:
  tlm_utils::passthrough_target_socket<PageWalker> in;
  tlm_utils::simple_initiator_socket<PageWalker> driver;

  PageWalker(const sc_core::sc_module_name& name, const PageWalkerConfig& config, PageTable& table);

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  /// A result in an output queue. If `walked`, sending it frees a walker.
  struct Result {
    tlm::tlm_generic_payload* payload = nullptr;
    bool walked = false;
  };

  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);

  void process();
  void free_walkers(Tick t);
  void handle_driver_responses(Tick t);
  void begin_walks(Tick t);
  void end_walks(Tick t);
  void end_held_walks(Tick t);
  void end_walk(tlm::tlm_generic_payload& payload, bool walked, Tick t);
  bool is_held(tlm::tlm_generic_payload& payload, Tick t);
  Tick last_cycle_before_arrival(std::uint64_t address, Tick t) const;
  void send(Tick t);
  void schedule_next(Tick t);
  void free_walker_after(const Result& result, Tick t);

  PayloadCheck check_;
  const ClockDomain clock_;
  PageTable& table_;

  TimedQueue<tlm::tlm_generic_payload*> queue_;
  std::uint32_t active_ = 0;
  TimedQueue<tlm::tlm_generic_payload*> walking_;
  /// Walks without a walker for a page that migrates: they wait for the end of the TLB directory's
  /// hold, then for the page's arrival.
  std::vector<tlm::tlm_generic_payload*> held_;
  TimedQueue<tlm::tlm_generic_payload*> arriving_;
  TimedQueue<char> freeing_;  ///< walkers that become free
  std::size_t in_driver_ = 0;

  ProcessTimer wake_;
  ResponsePort<PacedOutput<ResponseSender, Result>> tlb_port_;
  RequestPort<PacedOutput<RequestSender, Result>> driver_port_;
};

}  // namespace tessera
