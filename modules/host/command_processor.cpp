// SPDX-License-Identifier: Apache-2.0
#include "modules/host/command_processor.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

#include "common/error.h"
#include "modules/core/report.h"
#include "modules/core/statistics_visitor.h"

namespace tessera {

namespace {

constexpr unsigned kRegisterBytes = 8;

std::exception_ptr input_error(const std::string& text) {
  return std::make_exception_ptr(InputError(text));
}

std::string hex(std::uint64_t value) {
  std::ostringstream out;
  out << "0x" << std::hex << value;
  return out.str();
}

CtaGrid grid_of(const Dim3& d) { return {d.x, d.y, d.z}; }

/// Mask of the register's 64 bits that the access enables; 0 for a bad access, whose response
/// status is set.
std::uint64_t byte_mask(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if ((length != 4 && length != kRegisterBytes) || payload.get_streaming_width() < length) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return 0;
  }
  if (address % length != 0 || address >= kCommandRegisterBytes) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return 0;
  }
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const unsigned enable_length = payload.get_byte_enable_length();
  if (enables != nullptr && enable_length == 0) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return 0;
  }
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < length; ++i) {
    if (enables != nullptr && enables[i % enable_length] == TLM_BYTE_DISABLED) continue;
    mask |= std::uint64_t{0xff} << 8 * (address % kRegisterBytes + i);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return mask;
}

}  // namespace

std::uint32_t allocation_number(const Allocations& allocations, Address address) {
  const Allocation* const a = allocations.find(address, 1);
  return a == nullptr ? 0 : static_cast<std::uint32_t>(a - allocations.all().data()) + 1;
}

CommandProcessor::CommandProcessor(const sc_core::sc_module_name& name,
                                   const DispatchConfig& config, const KernelTable& kernels,
                                   LaunchPlanner& planner, CtaDispatcher& dispatcher,
                                   LaunchPlatform platform)
    : sc_module(name),
      mmio("mmio"),
      memory("memory"),
      interrupt("interrupt"),
      config_(config),
      clock_(config.clock_hz),
      kernels_(kernels),
      planner_(planner),
      dispatcher_(dispatcher),
      platform_(std::move(platform)),
      interrupt_("interrupt_level") {
  mmio.register_b_transport(this, &CommandProcessor::b_transport);
  mmio.register_transport_dbg(this, &CommandProcessor::transport_dbg);
  interrupt.bind(interrupt_);
  wake_.bind<&CommandProcessor::process>(*this);
}

// Registers.

void CommandProcessor::b_transport(int, tlm::tlm_generic_payload& payload,
                                   sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  const std::uint64_t mask = byte_mask(payload);
  if (payload.get_response_status() != tlm::TLM_OK_RESPONSE) return;
  const std::uint64_t address = payload.get_address();
  const auto r = static_cast<CommandRegister>(address / kRegisterBytes * kRegisterBytes);
  const unsigned first = static_cast<unsigned>(address % kRegisterBytes);
  const unsigned length = payload.get_data_length();
  std::uint64_t value = read_register(r);
  if (payload.is_read()) {
    for (unsigned i = 0; i < length; ++i) {
      const unsigned shift = 8 * (first + i);
      if ((mask >> shift & 1U) == 0) continue;
      payload.get_data_ptr()[i] = static_cast<unsigned char>(value >> shift);
    }
  } else if (payload.is_write()) {
    std::uint64_t data = 0;
    for (unsigned i = 0; i < length; ++i) {
      data |= std::uint64_t{payload.get_data_ptr()[i]} << 8 * (first + i);
    }
    value = (value & ~mask) | (data & mask);
    if (!write_register(r, value, mask, now() + delay.value())) {
      payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
  }
}

/// Reads any range of the registers. Writes are refused, because they would have side effects.
unsigned CommandProcessor::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (address >= kCommandRegisterBytes || length > kCommandRegisterBytes - address) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return 0;
  }
  if (!payload.is_read()) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return 0;
  }
  for (unsigned i = 0; i < length; ++i) {
    const std::uint64_t at = address + i;
    const auto r = static_cast<CommandRegister>(at / kRegisterBytes * kRegisterBytes);
    payload.get_data_ptr()[i] =
        static_cast<unsigned char>(read_register(r) >> 8 * (at % kRegisterBytes));
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return length;
}

std::uint64_t CommandProcessor::read_register(CommandRegister r) const {
  switch (r) {
    case CommandRegister::kId:
      return kCommandProcessorId;
    case CommandRegister::kQueueBase:
      return queue_base_;
    case CommandRegister::kQueueSize:
      return queue_size_;
    case CommandRegister::kHead:
      return head_;
    case CommandRegister::kTail:
      return tail_;
    case CommandRegister::kStatus:
      return (queue_size_ != 0 ? command_status::kQueueSet : 0) |
             (idle() ? 0 : command_status::kBusy) | (halted() ? command_status::kHalted : 0);
    case CommandRegister::kInterruptEnable:
      return interrupt_enable_;
    case CommandRegister::kInterruptStatus:
      return interrupt_status_;
    case CommandRegister::kError:
      return static_cast<std::uint64_t>(error_);
    case CommandRegister::kErrorPacket:
      return error_packet_;
    case CommandRegister::kLastCompleted:
      return last_completed_;
    case CommandRegister::kCompleted:
      break;
  }
  return completed_;
}

/// `written`: bits that the access enables. Returns false if the register is not writable, or not
/// writable in the current state.
bool CommandProcessor::write_register(CommandRegister r, std::uint64_t value, std::uint64_t written,
                                      Tick at) {
  constexpr std::uint64_t kInterrupts = command_interrupt::kCompletion | command_interrupt::kError;
  switch (r) {
    case CommandRegister::kQueueBase:
    case CommandRegister::kQueueSize:
      if (!idle()) return false;
      if (r == CommandRegister::kQueueBase) {
        queue_base_ = value;
      } else if ((written & 0xffffffffU) != 0) {
        set_queue(value);
      }
      return true;
    case CommandRegister::kTail:
      if ((written & 0xffffffffU) == 0) return true;
      ++stats_.doorbells;
      ring_doorbell(static_cast<std::uint32_t>(value), at);
      return true;
    case CommandRegister::kInterruptEnable:
      interrupt_enable_ = value & kInterrupts;
      update_interrupt();
      return true;
    case CommandRegister::kInterruptStatus:
      // Bits outside the enabled bytes acknowledge no interrupt.
      interrupt_status_ &= ~(value & written);
      update_interrupt();
      return true;
    case CommandRegister::kError:
      if (error_ == CommandError::kKernelFailed) return false;
      clear_error(at);
      return true;
    default:
      return false;
  }
}

void CommandProcessor::set_queue(std::uint64_t size) {
  head_ = tail_ = 0;
  queue_size_ = 0;
  if (size == 0) return;
  if (size > kMaxQueuePackets || (size & (size - 1)) != 0 ||
      queue_base_ % CommandPacket::kBytes != 0) {
    raise_error(
        CommandError::kBadQueue,
        input_error("command queue of " + std::to_string(size) + " packets at " + hex(queue_base_) +
                    ": expected a power of two up to 65536 packets at a multiple of 64"));
    return;
  }
  queue_size_ = size;
}

void CommandProcessor::ring_doorbell(std::uint32_t tail, Tick at) {
  if (queue_size_ == 0) {
    raise_error(CommandError::kBadQueue, input_error("a doorbell rang without a command queue"));
    return;
  }
  if (tail - head_ > queue_size_) {
    raise_error(CommandError::kQueueOverflow,
                input_error("the doorbell says that " + std::to_string(tail - head_) +
                            " packets wait in a command queue of " + std::to_string(queue_size_)));
    return;
  }
  tail_ = tail;
  schedule_fetch(at);
}

void CommandProcessor::clear_error(Tick at) {
  error_ = CommandError::kNone;
  failure_ = nullptr;
  schedule_fetch(at);
}

void CommandProcessor::update_interrupt() {
  interrupt_.write((interrupt_status_ & interrupt_enable_) != 0);
}

bool CommandProcessor::access(tlm::tlm_command command, std::uint64_t address, void* data,
                              std::size_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  return memory->transport_dbg(payload) == bytes;
}

// Launches.

/// Schedules the fetch of the next packet if a packet is queued and neither a kernel nor a fetch is
/// in progress.
void CommandProcessor::schedule_fetch(Tick t) {
  if (running_ || halted() || head_ == tail_ || fetch_at_ != kNever) return;
  fetch_at_ = clock_.after(t, config_.fetch_cycles);
  wake_.at(fetch_at_);
}

void CommandProcessor::process() {
  if (fetch_at_ > now()) {
    wake_.at(fetch_at_);
    return;
  }
  fetch_at_ = kNever;
  if (!running_ && !halted()) start_next();
}

void CommandProcessor::start_next() {
  CommandError step = CommandError::kMemory;
  try {
    read_packet();
    step = CommandError::kBadPacket;
    check_packet();
    step = CommandError::kUnknownKernel;
    const KernelTable::Kernel* kernel = kernels_.find(packet_.kernel);
    if (kernel == nullptr) {
      throw InputError("command packet " + std::to_string(packet_.id) + " names kernel " +
                       hex(packet_.kernel) + ", which does not exist");
    }
    step = CommandError::kMemory;
    const LaunchRequest request = request_of(*kernel);
    step = CommandError::kRefused;
    program_ = kernel->source->make(request, platform_.environment());
    const CtaSchedulerFactory scheduler = apply(planner_.plan(view_of(request, *kernel->source)));
    if (platform_.on_start) platform_.on_start(*program_);
    running_ = true;
    dispatcher_.launch(
        *program_, [this](const std::exception_ptr& error) { kernel_ended(error); }, scheduler);
  } catch (...) {
    complete(step, std::current_exception());
  }
}

void CommandProcessor::read_packet() {
  ++stats_.packets;
  packet_ = CommandPacket{};
  const std::uint64_t at = queue_base_ + head_ % queue_size_ * CommandPacket::kBytes;
  if (!access(tlm::TLM_READ_COMMAND, at, &packet_, CommandPacket::kBytes)) {
    throw InputError("the command packet at " + hex(at) + " cannot be read");
  }
}

void CommandProcessor::check_packet() const {
  const std::string packet = "command packet " + std::to_string(packet_.id);
  if (packet_.type != CommandPacket::kKernelDispatch) {
    throw InputError(packet + " has type " + std::to_string(packet_.type) + "; expected " +
                     std::to_string(CommandPacket::kKernelDispatch) + " (kernel dispatch)");
  }
  if (packet_.arguments % 8 != 0 || packet_.completion % 8 != 0) {
    throw InputError(packet + " has its arguments at " + hex(packet_.arguments) +
                     " and its signal at " + hex(packet_.completion) + "; expected multiples of 8");
  }
}

LaunchRequest CommandProcessor::request_of(const KernelTable::Kernel& kernel) {
  const KernelFacts& facts = kernel.source->facts(kernel.name);
  std::vector<std::byte> block(facts.argument_bytes);
  if (!block.empty() &&
      !access(tlm::TLM_READ_COMMAND, packet_.arguments, block.data(), block.size())) {
    throw InputError("the arguments of command packet " + std::to_string(packet_.id) + ", " +
                     std::to_string(block.size()) + " bytes at " + hex(packet_.arguments) +
                     ", cannot be read");
  }
  LaunchRequest request;
  request.kernel = kernel.name;
  request.grid = {packet_.grid[0], packet_.grid[1], packet_.grid[2]};
  request.block = {packet_.block[0], packet_.block[1], packet_.block[2]};
  request.dynamic_shared_bytes = packet_.dynamic_shared_bytes;
  request.arguments = arguments_of(facts, block);
  return request;
}

LaunchView CommandProcessor::view_of(const LaunchRequest& request, KernelSource& source) const {
  const KernelFacts& facts = source.facts(request.kernel);
  std::vector<std::optional<ArrayLocality>> locality;
  if (planner_.uses_locality()) locality = source.locality(request);
  LaunchView view;
  view.kernel = request.kernel;
  view.grid = grid_of(request.grid);
  view.block = grid_of(request.block);
  view.dynamic_shared_bytes = request.dynamic_shared_bytes;
  view.platform = platform_.context;
  view.memories = platform_.memories;
  for (const Allocation& a : platform_.allocations->all()) {
    view.arrays.push_back({a.name, a.begin, a.bytes});
  }
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    const KernelParameter& p = facts.parameters[i];
    LaunchArgument argument;
    argument.name = p.name;
    argument.bytes = p.bytes;
    argument.read_only = p.read_only;
    if (i < locality.size()) argument.locality = locality[i];
    if (p.bytes <= sizeof argument.value) {
      std::memcpy(&argument.value, request.arguments[i].bytes.data(), p.bytes);
    }
    const Allocation* to =
        p.bytes == sizeof argument.value ? platform_.allocations->find(argument.value, 1) : nullptr;
    if (to != nullptr) {
      argument.array = static_cast<std::size_t>(to - platform_.allocations->all().data());
    }
    view.arguments.push_back(std::move(argument));
  }
  return view;
}

CachingByAllocation CommandProcessor::caching_of(const LaunchPlan& plan) const {
  CachingByAllocation caching;
  for (const ArrayCaching& a : plan.caching) {
    const std::uint32_t number = allocation_number(*platform_.allocations, a.address);
    if (number == 0) {
      throw InputError("launch planner '" + config_.planner + "' chooses caching for " +
                       hex(a.address) + ", which is inside no array");
    }
    if (number >= caching.size()) caching.resize(number + 1);
    caching[number] = a.caching;
  }
  return caching;
}

/// The schedulers that the plan selects; empty: the dispatcher's own.
CtaSchedulerFactory CommandProcessor::apply(const LaunchPlan& plan) {
  CachingByAllocation caching = caching_of(plan);
  if (platform_.cache) {
    platform_.cache(std::move(caching));
  } else if (!caching.empty()) {
    throw InputError(
        "launch planner '" + config_.planner +
        "' chooses caching for single arrays, which no block of this platform has (see "
        "the parameters launch_planner." +
        config_.planner + ".*)");
  }
  CtaSchedulerFactory scheduler;
  if (plan.scheduler) {
    scheduler = [this, chosen = *plan.scheduler] {
      return chosen.parameters.make(chosen.name, platform_.context);
    };
    static_cast<void>(scheduler());  // throws before a page is placed
  }
  for (const PageAssignment& page : plan.pages) platform_.place(page);
  stats_.pages_placed += plan.pages.size();
  return scheduler;
}

/// Called in the dispatcher's process.
void CommandProcessor::kernel_ended(const std::exception_ptr& error) {
  running_ = false;
  if (platform_.on_end) platform_.on_end();
  CommandError code = CommandError::kNone;
  if (error) {
    try {
      std::rethrow_exception(error);
    } catch (const InputError&) {
      code = CommandError::kRefused;  // no CTA has started
    } catch (...) {
      code = CommandError::kKernelFailed;
    }
  }
  complete(code, error);
}

void CommandProcessor::complete(CommandError code, std::exception_ptr why) {
  ++head_;
  std::uint64_t signal = kSignalDone;
  if (code != CommandError::kNone) signal = kSignalError | static_cast<std::uint64_t>(code);
  if (packet_.completion != 0 && packet_.completion % 8 == 0 &&
      !access(tlm::TLM_WRITE_COMMAND, packet_.completion, &signal, sizeof signal) &&
      code == CommandError::kNone) {
    code = CommandError::kMemory;
    why = input_error("the signal of command packet " + std::to_string(packet_.id) + " at " +
                      hex(packet_.completion) + " cannot be written");
  }
  if (code != CommandError::kNone) {
    error_packet_ = packet_.id;
    raise_error(code, std::move(why));
    return;
  }
  last_completed_ = packet_.id;
  ++completed_;
  interrupt_status_ |= command_interrupt::kCompletion;
  update_interrupt();
  schedule_fetch(now());
}

/// Keeps the first error until software clears it. A kernel's failure replaces any other error.
void CommandProcessor::raise_error(CommandError code, std::exception_ptr why) {
  ++stats_.errors;
  if (!halted() || code == CommandError::kKernelFailed) {
    error_ = code;
    failure_ = std::move(why);
  }
  interrupt_status_ |= command_interrupt::kError;
  update_interrupt();
}

void CommandProcessor::describe_waiting(std::vector<Waiting>& out) const {
  if (head_ == tail_) return;
  out.push_back({std::string(name()) + ".queue", tail_ - head_,
                 halted()   ? "software to clear the error register"
                 : running_ ? "the running kernel"
                            : "its fetch"});
}

void CommandProcessor::reset() {
  queue_base_ = queue_size_ = 0;
  head_ = tail_ = 0;
  interrupt_enable_ = interrupt_status_ = 0;
  error_ = CommandError::kNone;
  failure_ = nullptr;
  error_packet_ = last_completed_ = 0;
  completed_ = 0;
  fetch_at_ = kNever;
  running_ = false;
  packet_ = CommandPacket{};
  wake_.cancel();
  update_interrupt();
  stats_ = CommandProcessorStats{};
}

void describe(StatisticsVisitor& v, CommandProcessorStats& s) {
  v.counter("doorbells", s.doorbells, "write", "writes of the doorbell register");
  v.counter("packets", s.packets, "packet", "packets fetched");
  v.counter("errors", s.errors, "error", "errors raised");
  v.counter("pages_placed", s.pages_placed, "page", "pages that launch plans named");
}

void CommandProcessor::register_statistics(StatisticsRegistry& registry) const {
  register_statistics_of(registry, name(), stats_);
}

}  // namespace tessera
