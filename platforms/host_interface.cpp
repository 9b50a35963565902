// SPDX-License-Identifier: Apache-2.0
#include "platforms/host_interface.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "common/error.h"
#include "modules/kernel/report.h"

namespace tessera {

namespace {

// Host memory of the driver: a part for each queue.
constexpr std::uint64_t kQueueBytes = HostInterface::kMemoryBytes / DispatchConfig::kMostQueues;
constexpr std::uint64_t kRing = 0;
constexpr std::uint64_t kRingPackets = 16;
constexpr std::uint64_t kSignal = 0x800;
constexpr std::uint64_t kArguments = 0x1000;

std::uint64_t part_of(std::uint32_t queue) { return queue * kQueueBytes; }

}  // namespace

HostInterface::HostInterface(const sc_core::sc_module_name& name, const DispatchConfig& config,
                             const KernelTable& kernels, LaunchPlanner& planner,
                             CtaDispatcher& dispatcher, CommandProcessorSite platform,
                             DeviceAccess device)
    : sc_module(name),
      memory("memory"),
      command_processor("command_processor", config, kernels, planner, dispatcher,
                        std::move(platform)),
      device_(std::move(device)),
      bytes_(static_cast<unsigned char*>(std::calloc(kMemoryBytes, 1)), std::free),
      registers_("registers"),
      tails_(config.queues) {
  memory.register_b_transport(this, &HostInterface::b_transport);
  memory.register_transport_dbg(this, &HostInterface::transport_dbg);
  command_processor.memory.bind(memory);
  registers_.bind(command_processor.mmio);
  if (bytes_ == nullptr) throw std::bad_alloc();
  wake_.bind<&HostInterface::ring_doorbells>(*this);
  SC_HAS_PROCESS(HostInterface);
  SC_METHOD(handle_interrupt);
  sensitive << command_processor.interrupt;
  dont_initialize();
}

// Memory.

void HostInterface::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  payload.set_dmi_allowed(false);
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  } else if (payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  } else {
    access(payload);
  }
}

unsigned HostInterface::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  return access(payload) ? payload.get_data_length() : 0;
}

bool HostInterface::access(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  unsigned char* data = payload.get_data_ptr();
  bool served = true;
  if (address >= Allocations::kBase) {
    served = device_(payload.get_command(), address, data, length);
  } else if (address >= kMemoryBytes || length > kMemoryBytes - address) {
    served = software_memory && software_memory(payload.get_command(), address, data, length);
  } else if (payload.is_read()) {
    std::memcpy(data, bytes_.get() + address, length);
  } else if (payload.is_write()) {
    std::memcpy(bytes_.get() + address, data, length);
  }
  payload.set_response_status(served ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  return served;
}

// The driver.

void HostInterface::submit(std::uint32_t queue, const CommandPacket& packet,
                           const std::vector<std::byte>& arguments) {
  if (arguments.size() > kQueueBytes - kArguments) {
    throw InputError("a kernel with " + std::to_string(arguments.size()) +
                     " bytes of arguments; host memory holds " +
                     std::to_string(kQueueBytes - kArguments));
  }
  const std::uint64_t part = part_of(queue);
  const std::uint32_t tail = tails_[queue];
  CommandPacket p = packet;
  p.id = tail;
  p.arguments = part + kArguments;
  p.completion = part + kSignal;
  unsigned char* const bytes = bytes_.get() + part;
  std::memset(bytes + kSignal, 0, sizeof(std::uint64_t));
  if (!arguments.empty()) std::memcpy(bytes + kArguments, arguments.data(), arguments.size());
  std::memcpy(bytes + kRing + tail % kRingPackets * CommandPacket::kBytes, &p, sizeof p);
  rings_.push_back(queue);
  wake_.at(now());
}

/// A process, because sockets can be used only while simulated time runs.
void HostInterface::ring_doorbells() {
  for (const std::uint32_t queue : std::exchange(rings_, {})) ring_doorbell(queue);
}

void HostInterface::ring_doorbell(std::uint32_t queue) {
  if (tails_[queue] == 0) {
    write_register(queue, CommandRegister::kQueueBase, part_of(queue) + kRing);
    write_register(queue, CommandRegister::kQueueSize, kRingPackets);
    write_register(queue, CommandRegister::kInterruptEnable,
                   command_interrupt::kCompletion | command_interrupt::kError);
  }
  if (kernel_failed(queue)) {
    if (on_launch_ended) on_launch_ended(queue, command_processor.failure(queue));
    return;
  }
  write_register(queue, CommandRegister::kTail, ++tails_[queue]);
}

/// A failed kernel still occupies its SMs, so that no kernel can be launched after it.
bool HostInterface::kernel_failed(std::uint32_t queue) {
  return read_register(queue, CommandRegister::kError) ==
         static_cast<std::uint64_t>(CommandError::kKernelFailed);
}

void HostInterface::handle_interrupt() {
  if (!command_processor.interrupt->read()) return;
  for (std::uint32_t queue = 0; queue < tails_.size(); ++queue) {
    // Interrupts for firmware's packets are not for the driver.
    if (tails_[queue] == 0) continue;
    const std::uint64_t pending = read_register(queue, CommandRegister::kInterruptStatus);
    if (pending == 0) continue;
    std::exception_ptr failure;
    if ((pending & command_interrupt::kError) != 0) {
      failure = command_processor.failure(queue);
      if (!kernel_failed(queue)) write_register(queue, CommandRegister::kError, 0);
    }
    write_register(queue, CommandRegister::kInterruptStatus, pending);
    // Another queue's interrupt can come in the delta cycle in which this one is acknowledged, so
    // that the level does not change.
    next_trigger(sc_core::SC_ZERO_TIME);
    if (on_launch_ended) on_launch_ended(queue, failure);
  }
}

std::uint64_t HostInterface::read_register(std::uint32_t queue, CommandRegister r) {
  std::uint64_t value = 0;
  access_register(tlm::TLM_READ_COMMAND, queue, r, value);
  return value;
}

void HostInterface::write_register(std::uint32_t queue, CommandRegister r, std::uint64_t value) {
  access_register(tlm::TLM_WRITE_COMMAND, queue, r, value);
}

void HostInterface::access_register(tlm::tlm_command command, std::uint32_t queue,
                                    CommandRegister r, std::uint64_t& value) {
  tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;
  payload.set_command(command);
  payload.set_address(queue * kCommandQueueStride + static_cast<std::uint64_t>(r));
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  registers_->b_transport(payload, delay);
  if (!payload.is_response_ok()) {
    SC_REPORT_FATAL("/tessera/platform/command_register",
                    "the command processor refused an access of the driver");
  }
}

}  // namespace tessera
