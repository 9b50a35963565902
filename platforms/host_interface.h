// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/host/command_processor.h"
#include "modules/kernel/process_timer.h"

namespace tessera {

/// The host side of a platform: the command processor, the memory that it shares with software, and
/// the driver through which a host program launches kernels. Firmware binds its sockets to
/// `command_processor.mmio` and `memory`, and uses both instead of the driver.
///
/// `memory` has two windows: [0, kMemoryBytes) is host memory for rings, argument blocks and
/// signals; addresses from Allocations::kBase on are device memory by virtual address, inside
/// allocations. It is loosely timed (b_transport, transport_dbg). Host accesses take no time. The
/// driver uses all of the host memory.
class HostInterface final : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t kMemoryBytes = 4 << 20;

  /// Reads or writes device memory; returns false for an access outside allocations.
  using DeviceAccess = std::function<bool(tlm::tlm_command command, Address address,
                                          unsigned char* data, std::uint64_t bytes)>;

  tlm_utils::multi_passthrough_target_socket<HostInterface> memory;
  /// Addresses of neither window: memory of a virtual platform's software. Can be empty.
  DeviceAccess software_memory;
  CommandProcessor command_processor;

  HostInterface(const sc_core::sc_module_name& name, const DispatchConfig& config,
                const KernelTable& kernels, LaunchPlanner& planner, CtaDispatcher& dispatcher,
                CommandProcessorSite platform, DeviceAccess device);

  /// The driver writes a packet, with its own addresses and id, and the argument block, and rings
  /// the doorbell of a queue at the present time. One launch of a queue at a time.
  void submit(std::uint32_t queue, const CommandPacket& packet,
              const std::vector<std::byte>& arguments);
  /// Called when the driver's launch in a queue has ended; null, or the command processor's error.
  std::function<void(std::uint32_t queue, const std::exception_ptr&)> on_launch_ended;

 private:
  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int, tlm::tlm_generic_payload& payload);
  bool access(tlm::tlm_generic_payload& payload);
  void ring_doorbells();
  void ring_doorbell(std::uint32_t queue);
  void handle_interrupt();
  bool kernel_failed(std::uint32_t queue);
  std::uint64_t read_register(std::uint32_t queue, CommandRegister r);
  void write_register(std::uint32_t queue, CommandRegister r, std::uint64_t value);
  void access_register(tlm::tlm_command command, std::uint32_t queue, CommandRegister r,
                       std::uint64_t& value);

  const DeviceAccess device_;
  /// Zero. Pages that are not touched need no memory of the host.
  const std::unique_ptr<unsigned char[], void (*)(void*)> bytes_;
  tlm_utils::simple_initiator_socket<HostInterface> registers_;
  std::vector<std::uint32_t> tails_;  ///< by queue; 0: the driver has not used it
  std::vector<std::uint32_t> rings_;  ///< queues whose doorbell is to be rung
  ProcessTimer wake_;
};

}  // namespace tessera
