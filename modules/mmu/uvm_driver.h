// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/mmu/mmu_platform.h"
#include "modules/mmu/page_slots.h"
#include "modules/mmu/page_table.h"
#include "modules/mmu/uvm_driver_config.h"
#include "modules/protocol/memory_request.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/response_port.h"
#include "policies/page_placement.h"

namespace tessera {

struct UvmSite;

/// A page fault that software handles.
struct PageFault {
  std::uint64_t page = 0;  ///< virtual page number
  RequesterId toucher;     ///< requester of the first access
  ChannelId local;         ///< memory nearest to it
  AllocationPages allocation;
};

/// The unified-memory driver: handles page faults and places pages with PagePlacement (NUBA
/// sections 4 and 6).
///
/// The first access of the GPU places a page. Data that the host has written remain in host memory
/// until then. In value mode `carried`, the platform buffers these bytes and copies them to the
/// page in `on_page_mapped`.
///
/// Timing: the handling of a fault begins in the cycle of its arrival, or as soon as one of
/// `concurrent_faults` handlers is free. The response arrives `fault_latency_ns` later, rounded up
/// to a clock edge; the page is mapped one cycle before. Faults on one page merge. A request for a
/// mapped page or for an address outside all allocations (TLM_ADDRESS_ERROR_RESPONSE) takes one
/// cycle. In mode kPrefaulted a walk maps the page, so that the driver receives no fault for an
/// allocated page. One response is sent in a cycle.
///
/// Software can handle the faults (hand_faults_to()): each page's first access then faults, in both
/// modes, and the fault ends a cycle after software's place().
///
/// Payloads: see translation.h. Phases: all four; early completion if the queue has a free entry.
/// Not modelled: eviction to the host, the transfer's use of the host link, TLB shootdown.
class UvmDriver final : public BlockBase<UvmDriverConfig, UvmDriverStats, UvmSite> {
 public:
  tlm_utils::passthrough_target_socket<UvmDriver> in;

  UvmDriver(const sc_core::sc_module_name& name, const UvmDriverConfig& config, PageTable& table,
            PagePlacement& placement, UvmPlatform platform);
  ~UvmDriver() override;

  /// Called when a page has been mapped, before any response carries its translation: virtual page
  /// number and physical address of the page. Optional.
  std::function<void(std::uint64_t virtual_page, std::uint64_t physical_page)> on_page_mapped;

  /// The physical address of a virtual address if its page has been placed. For host accesses.
  std::optional<std::uint64_t> translate(std::uint64_t virtual_address) const {
    return table_.translate(virtual_address);
  }
  /// Places the page of an address like a first touch by `toucher`, without latency, if the page is
  /// allocated and not yet placed. Returns the physical address.
  std::optional<std::uint64_t> touch(std::uint64_t virtual_address, RequesterId toucher);

  /// Places a page of an allocation in a memory, without latency. A page that is already placed
  /// stays where it is. Ends the page's fault if software handles it. Throws InputError for a page
  /// outside all allocations and for a memory that does not exist.
  void place(std::uint64_t virtual_page, ChannelId memory);

  /// Calls `software` at each fault from now on, in place of the placement policy. Empty: the
  /// policy handles the faults again, also those that wait for software.
  void hand_faults_to(std::function<void(const PageFault&)> software);

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  /// Unmaps every page, too. Does not reset the PagePlacement.
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);

  void process();
  void end_faults(Tick t);
  void handle_requests(Tick t);
  bool take(tlm::tlm_generic_payload& payload, Tick t);
  void begin_faults(Tick t);
  void send(Tick t);
  void schedule_next(Tick t);

  void map_at_first_walk();
  ChannelId local_channel(std::uint64_t page, RequesterId toucher) const;
  AllocationPages allocation_of(std::uint64_t page) const;
  std::uint64_t map_page(std::uint64_t page, RequesterId toucher);
  std::uint64_t map_in(std::uint64_t page, ChannelId channel);
  bool allocated(std::uint64_t page) const {
    return platform_.allocated(page * table_.page_bytes());
  }

  PayloadCheck check_;
  const ClockDomain clock_;
  PageTable& table_;
  PagePlacement& placement_;
  const UvmPlatform platform_;

  TimedQueue<tlm::tlm_generic_payload*> queue_;
  PageSlots faults_;
  TimedQueue<PageSlots::Index> waiting_;  ///< faults that wait for a handler
  TimedQueue<PageSlots::Index> handling_;
  std::function<void(const PageFault&)> software_;
  std::vector<PageSlots::Index> with_software_;
  TimedQueue<char> freeing_;    ///< handlers that become free
  std::uint32_t handlers_ = 0;  ///< in use
  bool stalled_ = false;

  ProcessTimer wake_;
  ResponsePort<> port_;
};

}  // namespace tessera
