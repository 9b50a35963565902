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

#include "modules/core/block.h"
#include "modules/core/process_timer.h"
#include "modules/core/time.h"
#include "modules/host/command_packet.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/host/kernel_table.h"
#include "policies/launch_planner.h"
#include "stimuli/device_memory.h"

namespace tessera {

/// The command processor's interface to the platform for a launch.
struct LaunchPlatform {
  PolicyContext context;
  std::uint32_t memories = 1;  ///< LaunchView::memories
  const Allocations* allocations = nullptr;
  std::function<LaunchEnvironment()> environment;
  /// Places a page as PageAssignment specifies; throws InputError.
  std::function<void(const PageAssignment&)> place;
  /// Sets the caching of allocations for the next launch; called before each launch. Throws
  /// InputError. Empty if no block of the platform caches single arrays.
  std::function<void(CachingByAllocation)> cache = {};
  /// Called when a kernel's program has been created and is about to start. Can be empty.
  std::function<void(const KernelProgram&)> on_start = {};
  /// Called when a kernel has ended and the caches are flushed. Can be empty.
  std::function<void()> on_end = {};
};

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

/// Command processor: launches kernels from packets. Software writes packets to a ring in memory,
/// and writes the ring's new tail to a doorbell register. The command processor fetches one packet
/// at a time, resolves its kernel, plans the launch (LaunchPlanner), applies the plan and starts
/// the kernel on the CtaDispatcher. When the kernel ends, it writes the packet's signal and raises
/// its interrupt. Register table and packet layout: docs/blocks/command-processor.md. They are a
/// simplified form of the architected queues of HSA.
///
/// Timing: a packet is fetched `fetch_cycles` after the first clock edge at or after its doorbell,
/// or after the end of the previous kernel. The kernel's first CTA starts `launch_cycles` later
/// (CtaDispatcher). Planning, register accesses and signals take no time. Kernels run one at a
/// time, in the ring's order.
///
/// `mmio` is loosely timed: b_transport and transport_dbg (reads only), 4 or 8 bytes, aligned, with
/// byte enables; several initiators can be bound. `memory` is accessed by transport_dbg, whose time
/// is part of `fetch_cycles`. Its target must return the newest bytes. Not modelled: several
/// queues, prefetch of packets, preemption.
class CommandProcessor final : public sc_core::sc_module, public Block {
 public:
  tlm_utils::multi_passthrough_target_socket<CommandProcessor> mmio;
  tlm_utils::simple_initiator_socket<CommandProcessor> memory;
  /// Level-sensitive: high while an enabled interrupt is pending.
  sc_core::sc_export<sc_core::sc_signal_in_if<bool>> interrupt;

  /// `kernels`, `planner` and `dispatcher` must outlive the command processor.
  CommandProcessor(const sc_core::sc_module_name& name, const DispatchConfig& config,
                   const KernelTable& kernels, LaunchPlanner& planner, CtaDispatcher& dispatcher,
                   LaunchPlatform platform);

  const DispatchConfig& config() const { return config_; }
  const CommandProcessorStats& stats() const { return stats_; }
  /// Cause of the error register's failure, for the host program; null if there is no error.
  std::exception_ptr failure() const { return failure_; }

  bool idle() const override { return !running_ && (halted() || head_ == tail_); }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int, tlm::tlm_generic_payload& payload);
  std::uint64_t read_register(CommandRegister r) const;
  bool write_register(CommandRegister r, std::uint64_t value, std::uint64_t written, Tick at);
  void set_queue(std::uint64_t size);
  void ring_doorbell(std::uint32_t tail, Tick at);
  void clear_error(Tick at);
  void update_interrupt();

  void process();
  void schedule_fetch(Tick t);
  void start_next();
  void read_packet();
  void check_packet() const;
  LaunchRequest request_of(const KernelTable::Kernel& kernel);
  LaunchView view_of(const LaunchRequest& request, KernelSource& source) const;
  CachingByAllocation caching_of(const LaunchPlan& plan) const;
  CtaSchedulerFactory apply(const LaunchPlan& plan);
  void kernel_ended(const std::exception_ptr& error);
  void complete(CommandError code, std::exception_ptr why);
  void raise_error(CommandError code, std::exception_ptr why);
  bool access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes);
  bool halted() const { return error_ != CommandError::kNone; }

  const DispatchConfig config_;
  const ClockDomain clock_;
  const KernelTable& kernels_;
  LaunchPlanner& planner_;
  CtaDispatcher& dispatcher_;
  const LaunchPlatform platform_;

  std::uint64_t queue_base_ = 0;
  std::uint64_t queue_size_ = 0;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint64_t interrupt_enable_ = 0;
  std::uint64_t interrupt_status_ = 0;
  CommandError error_ = CommandError::kNone;
  std::exception_ptr failure_;
  std::uint32_t error_packet_ = 0;
  std::uint32_t last_completed_ = 0;
  std::uint64_t completed_ = 0;

  Tick fetch_at_ = kNever;
  bool running_ = false;  ///< a kernel is running
  CommandPacket packet_;
  /// Program of the last launch. It outlives its run, because SMs still hold its CTAs after a
  /// failure.
  std::unique_ptr<KernelProgram> program_;
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> interrupt_;
  ProcessTimer wake_;
  CommandProcessorStats stats_;
};

}  // namespace tessera
