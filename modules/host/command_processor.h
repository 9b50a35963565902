// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/host/command_queue.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/host/kernel_table.h"
#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "modules/kernel/timed_queue.h"
#include "policies/launch_planner.h"
#include "stimuli/device_memory.h"

namespace tessera {

/// Number of the allocation that holds an address (PageEntry::allocation()), from 1 on by ascending
/// address; 0 if no allocation holds it.
std::uint32_t allocation_number(const Allocations& allocations, Address address);

struct CommandProcessorStats {
  Counter doorbells = 0;
  Counter packets = 0;
  Counter errors = 0;
  Counter pages_placed = 0;
};

void describe(StatisticsVisitor& v, CommandProcessorStats& s);

/// The command processor's interface to the platform for a launch.
struct CommandProcessorSite {
  PolicyContext context;
  std::uint32_t memories = 1;  ///< LaunchView::memories
  const Allocations* allocations = nullptr;
  /// Makes the program of a launch. Throws InputError.
  std::function<std::unique_ptr<KernelProgram>(KernelSource&, const LaunchRequest&)> make;
  /// Executes the program without time and returns true, or returns false: the kernel is to be
  /// launched. Can be empty. Throws InputError.
  std::function<bool(KernelProgram&)> run_untimed = {};
  /// Places a page as PageAssignment specifies; throws InputError.
  std::function<void(const PageAssignment&)> place;
  /// Checks the caching of allocations that a launch requests; called before each launch. Throws
  /// InputError. Empty if no block of the platform caches single arrays.
  std::function<void(const CachingByAllocation&)> check_caching = {};
  /// Sets it for a GPU (KernelLaunch::on_begin).
  std::function<void(GpuId, const CachingByAllocation&, bool alone)> cache = {};
  /// Called when the kernel of a queue has been launched. Can be empty.
  std::function<void(std::uint32_t queue, LaunchSlot, const KernelProgram&)> on_start = {};
  /// Called when it begins after it has waited for other kernels. Can be empty.
  std::function<void(std::uint32_t queue)> on_turn = {};
  /// Called when a GPU has ended its CTAs (KernelLaunch::on_gpu_end). Can be empty.
  std::function<void(std::uint32_t queue, GpuId, Tick first_cta_at)> on_gpu_end = {};
  /// Called when it has ended and the caches are flushed. Can be empty.
  std::function<void(std::uint32_t queue, const KernelEnd&)> on_end = {};
};

/// Command processor: launches kernels from packets. Software writes packets to the ring of a queue
/// in memory, and writes the ring's new tail to the queue's doorbell register. The command
/// processor fetches one packet of a queue at a time, resolves its kernel, plans the launch
/// (LaunchPlanner), applies the plan and starts the kernel on the CtaDispatcher. When the kernel
/// ends, it writes the packet's signal and raises its interrupt. Register table and packet layout:
/// docs/blocks/command-processor.md. They are a simplified form of the architected queues of HSA.
///
/// Timing: a packet is fetched `fetch_cycles` after the first clock edge at or after its doorbell,
/// or after the end of the queue's previous kernel. The kernel's first CTA starts `launch_cycles`
/// later (CtaDispatcher). Planning, register accesses and signals take no time. Kernels of a queue
/// run one at a time, in the ring's order; those of different queues can run at the same time.
///
/// `mmio` is loosely timed: b_transport and transport_dbg (reads only), 4 or 8 bytes, aligned, with
/// byte enables; several initiators can be bound. `memory` is accessed by transport_dbg, whose time
/// is part of `fetch_cycles`. Its target must return the newest bytes. Not modelled: prefetch of
/// packets, preemption, dependencies between queues (software rings a doorbell when they are met).
class CommandProcessor final
    : public BlockBase<DispatchConfig, CommandProcessorStats, CommandProcessorSite> {
 public:
  tlm_utils::multi_passthrough_target_socket<CommandProcessor> mmio;
  tlm_utils::simple_initiator_socket<CommandProcessor> memory;
  /// Level-sensitive: high while an enabled interrupt is pending.
  sc_core::sc_export<sc_core::sc_signal_in_if<bool>> interrupt;

  /// `kernels`, `planner` and `dispatcher` must outlive the command processor.
  CommandProcessor(const sc_core::sc_module_name& name, const DispatchConfig& config,
                   const KernelTable& kernels, LaunchPlanner& planner, CtaDispatcher& dispatcher,
                   CommandProcessorSite site);

  /// Cause of the queue's error, for the host program; null if there is no error.
  std::exception_ptr failure(std::uint32_t queue) const { return queues_[queue].failure; }

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  void blocking(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(int, tlm::tlm_generic_payload& payload);
  bool write_register(CommandQueue& q, CommandRegister r, std::uint64_t value,
                      std::uint64_t written, Tick at);
  void set_queue(CommandQueue& q, std::uint64_t size);
  void ring_doorbell(CommandQueue& q, std::uint32_t tail, Tick at);
  void update_interrupt();

  void process();
  void schedule_fetch(CommandQueue& q, Tick t);
  void start_next(CommandQueue& q);
  void read_packet(CommandQueue& q);
  LaunchRequest request_of(const CommandPacket& packet, const KernelTable::Kernel& kernel);
  LaunchView view_of(const LaunchRequest& request, KernelSource& source) const;
  CachingByAllocation caching_of(const LaunchPlan& plan) const;
  KernelLaunch launch_of(CommandQueue& q, const LaunchPlan& plan);
  void kernel_ended(CommandQueue& q, const KernelEnd& end);
  void complete(CommandQueue& q, CommandError code, std::exception_ptr why);
  void raise_error(CommandQueue& q, CommandError code, std::exception_ptr why);
  bool access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes);
  std::uint32_t number_of(const CommandQueue& q) const {
    return static_cast<std::uint32_t>(&q - queues_.data());
  }

  const ClockDomain clock_;
  const KernelTable& kernels_;
  LaunchPlanner& planner_;
  CtaDispatcher& dispatcher_;
  const CommandProcessorSite site_;

  std::vector<CommandQueue> queues_;
  TimedQueue<std::uint32_t> fetches_;  ///< queues
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> interrupt_;
  ProcessTimer wake_;
};

}  // namespace tessera
