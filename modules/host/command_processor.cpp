// SPDX-License-Identifier: Apache-2.0
#include "modules/host/command_processor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "common/hex.h"
#include "modules/kernel/report.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera {

namespace {

constexpr unsigned kRegisterBytes = 8;

std::exception_ptr input_error(const std::string& text) {
  return std::make_exception_ptr(InputError(text));
}

CtaGrid grid_of(const Dim3& d) { return {d.x, d.y, d.z}; }

void check(const CommandPacket& p) {
  const std::string packet = "command packet " + std::to_string(p.id);
  if (p.type != CommandPacket::kKernelDispatch) {
    throw InputError(packet + " has type " + std::to_string(p.type) + "; expected " +
                     std::to_string(CommandPacket::kKernelDispatch) + " (kernel dispatch)");
  }
  if (p.arguments % 8 != 0 || p.completion % 8 != 0) {
    throw InputError(packet + " has its arguments at " + hex(p.arguments) + " and its signal at " +
                     hex(p.completion) + "; expected multiples of 8");
  }
}

/// Mask of the register's 64 bits that the access enables; 0 for a bad access, whose response
/// status is set.
std::uint64_t byte_mask(tlm::tlm_generic_payload& payload, std::size_t queues) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if ((length != 4 && length != kRegisterBytes) || payload.get_streaming_width() < length) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return 0;
  }
  if (address % length != 0 || address / kCommandQueueStride >= queues ||
      address % kCommandQueueStride >= kCommandRegisterBytes) {
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
                                   CommandProcessorSite site)
    : BlockBase(name, config, Unvalidated{}),
      mmio("mmio"),
      memory("memory"),
      interrupt("interrupt"),
      clock_(config.clock_hz),
      kernels_(kernels),
      planner_(planner),
      dispatcher_(dispatcher),
      site_(std::move(site)),
      queues_(config.queues),
      interrupt_("interrupt_level") {
  mmio.register_b_transport(this, &CommandProcessor::blocking);
  mmio.register_transport_dbg(this, &CommandProcessor::debug);
  interrupt.bind(interrupt_);
  wake_.bind<&CommandProcessor::process>(*this);
}

// Registers.

void CommandProcessor::blocking(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  const std::uint64_t mask = byte_mask(payload, queues_.size());
  if (payload.get_response_status() != tlm::TLM_OK_RESPONSE) return;
  CommandQueue& q = queues_[payload.get_address() / kCommandQueueStride];
  const std::uint64_t offset = payload.get_address() % kCommandQueueStride;
  const auto r = static_cast<CommandRegister>(offset / kRegisterBytes * kRegisterBytes);
  const auto first = static_cast<unsigned>(offset % kRegisterBytes);
  const unsigned length = payload.get_data_length();
  std::uint64_t value = q.read(r, queues_.size());
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
    if (!write_register(q, r, value, mask, now() + delay.value())) {
      payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
  }
}

/// Reads any range of a queue's registers. Writes are refused, because they would have side
/// effects.
unsigned CommandProcessor::debug(int, tlm::tlm_generic_payload& payload) {
  const std::uint64_t queue = payload.get_address() / kCommandQueueStride;
  const std::uint64_t offset = payload.get_address() % kCommandQueueStride;
  const unsigned length = payload.get_data_length();
  if (queue >= queues_.size() || offset >= kCommandRegisterBytes ||
      length > kCommandRegisterBytes - offset) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return 0;
  }
  if (!payload.is_read()) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return 0;
  }
  for (unsigned i = 0; i < length; ++i) {
    const std::uint64_t at = offset + i;
    const auto r = static_cast<CommandRegister>(at / kRegisterBytes * kRegisterBytes);
    payload.get_data_ptr()[i] = static_cast<unsigned char>(queues_[queue].read(r, queues_.size()) >>
                                                           8 * (at % kRegisterBytes));
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return length;
}

/// `written`: bits that the access enables. Returns false if the register is not writable, or not
/// writable in the current state.
bool CommandProcessor::write_register(CommandQueue& q, CommandRegister r, std::uint64_t value,
                                      std::uint64_t written, Tick at) {
  constexpr std::uint64_t kInterrupts = command_interrupt::kCompletion | command_interrupt::kError;
  switch (r) {
    case CommandRegister::kQueueBase:
    case CommandRegister::kQueueSize:
      if (!q.idle()) return false;
      if (r == CommandRegister::kQueueBase) {
        q.base = value;
      } else if ((written & 0xffffffffU) != 0) {
        set_queue(q, value);
      }
      return true;
    case CommandRegister::kTail:
      if ((written & 0xffffffffU) == 0) return true;
      ++stats_.doorbells;
      ring_doorbell(q, static_cast<std::uint32_t>(value), at);
      return true;
    case CommandRegister::kInterruptEnable:
      q.interrupt_enable = value & kInterrupts;
      update_interrupt();
      return true;
    case CommandRegister::kInterruptStatus:
      // Bits outside the enabled bytes acknowledge no interrupt.
      q.interrupt_status &= ~(value & written);
      update_interrupt();
      return true;
    case CommandRegister::kError:
      if (q.error == CommandError::kKernelFailed) return false;
      q.error = CommandError::kNone;
      q.failure = nullptr;
      schedule_fetch(q, at);
      return true;
    default:
      return false;
  }
}

void CommandProcessor::set_queue(CommandQueue& q, std::uint64_t size) {
  q.head = q.tail = 0;
  q.size = 0;
  if (size == 0) return;
  if (size > kCommandMaxQueuePackets || (size & (size - 1)) != 0 ||
      q.base % CommandPacket::kBytes != 0) {
    raise_error(
        q, CommandError::kBadQueue,
        input_error("command queue of " + std::to_string(size) + " packets at " + hex(q.base) +
                    ": expected a power of two up to 65536 packets at a multiple of 64"));
    return;
  }
  q.size = size;
}

void CommandProcessor::ring_doorbell(CommandQueue& q, std::uint32_t tail, Tick at) {
  if (q.size == 0) {
    raise_error(q, CommandError::kBadQueue, input_error("a doorbell rang without a command queue"));
    return;
  }
  if (tail - q.head > q.size) {
    raise_error(q, CommandError::kQueueOverflow,
                input_error("the doorbell says that " + std::to_string(tail - q.head) +
                            " packets wait in a command queue of " + std::to_string(q.size)));
    return;
  }
  q.tail = tail;
  schedule_fetch(q, at);
}

void CommandProcessor::update_interrupt() {
  interrupt_.write(std::any_of(queues_.begin(), queues_.end(),
                               [](const CommandQueue& q) { return q.interrupts(); }));
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

/// Schedules the fetch of the queue's next packet if a packet is queued and neither a kernel of the
/// queue nor a fetch is in progress.
void CommandProcessor::schedule_fetch(CommandQueue& q, Tick t) {
  if (q.running || q.halted() || q.head == q.tail || q.fetching) return;
  q.fetching = true;
  const Tick due = clock_.after(t, config_.fetch_cycles);
  fetches_.push(due, number_of(q), number_of(q));
  wake_.at(due);
}

void CommandProcessor::process() {
  while (fetches_.due(now())) {
    CommandQueue& q = queues_[fetches_.pop()];
    q.fetching = false;
    if (!q.running && !q.halted()) start_next(q);
  }
  wake_.at(fetches_.next_due());
}

void CommandProcessor::start_next(CommandQueue& q) {
  CommandError step = CommandError::kMemory;
  try {
    read_packet(q);
    step = CommandError::kBadPacket;
    check(q.packet);
    step = CommandError::kUnknownKernel;
    const KernelTable::Kernel* kernel = kernels_.find(q.packet.kernel);
    if (kernel == nullptr) {
      throw InputError("command packet " + std::to_string(q.packet.id) + " names kernel " +
                       hex(q.packet.kernel) + ", which does not exist");
    }
    step = CommandError::kMemory;
    const LaunchRequest request = request_of(q.packet, *kernel);
    step = CommandError::kRefused;
    q.program = nullptr;  // releases what the next program can use
    q.program = site_.make(*kernel->source, request);
    if (site_.run_untimed && site_.run_untimed(*q.program)) {
      complete(q, CommandError::kNone, nullptr);
      return;
    }
    KernelLaunch launch = launch_of(q, planner_.plan(view_of(request, *kernel->source)));
    q.running = true;
    const LaunchSlot slot = dispatcher_.launch(std::move(launch));
    if (site_.on_start) site_.on_start(number_of(q), slot, *q.program);
  } catch (...) {
    complete(q, step, std::current_exception());
  }
}

void CommandProcessor::read_packet(CommandQueue& q) {
  ++stats_.packets;
  q.packet = CommandPacket{};
  const std::uint64_t at = q.base + q.head % q.size * CommandPacket::kBytes;
  if (!access(tlm::TLM_READ_COMMAND, at, &q.packet, CommandPacket::kBytes)) {
    throw InputError("the command packet at " + hex(at) + " cannot be read");
  }
}

LaunchRequest CommandProcessor::request_of(const CommandPacket& packet,
                                           const KernelTable::Kernel& kernel) {
  const KernelFacts& facts = kernel.source->facts(kernel.name);
  std::vector<std::byte> block(facts.argument_bytes);
  if (!block.empty() &&
      !access(tlm::TLM_READ_COMMAND, packet.arguments, block.data(), block.size())) {
    throw InputError("the arguments of command packet " + std::to_string(packet.id) + ", " +
                     std::to_string(block.size()) + " bytes at " + hex(packet.arguments) +
                     ", cannot be read");
  }
  LaunchRequest request;
  request.kernel = kernel.name;
  request.grid = {packet.grid[0], packet.grid[1], packet.grid[2]};
  request.block = {packet.block[0], packet.block[1], packet.block[2]};
  request.dynamic_shared_bytes = packet.dynamic_shared_bytes;
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
  view.platform = site_.context;
  view.memories = site_.memories;
  for (const Allocation& a : site_.allocations->all()) {
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
        p.bytes == sizeof argument.value ? site_.allocations->find(argument.value, 1) : nullptr;
    if (to != nullptr) {
      argument.array = static_cast<std::size_t>(to - site_.allocations->all().data());
    }
    view.arguments.push_back(std::move(argument));
  }
  return view;
}

CachingByAllocation CommandProcessor::caching_of(const LaunchPlan& plan) const {
  CachingByAllocation caching;
  for (const ArrayCaching& a : plan.caching) {
    const std::uint32_t number = allocation_number(*site_.allocations, a.address);
    if (number == 0) {
      throw InputError("launch planner '" + config_.planner + "' chooses caching for " +
                       hex(a.address) + ", which is inside no array");
    }
    if (number >= caching.size()) caching.resize(number + 1);
    caching[number] = a.caching;
  }
  return caching;
}

/// The launch of the queue's program as planned. Places pages.
KernelLaunch CommandProcessor::launch_of(CommandQueue& q, const LaunchPlan& plan) {
  KernelLaunch launch;
  launch.kernel = q.program.get();
  launch.priority = q.packet.priority;
  CachingByAllocation caching = caching_of(plan);
  if (site_.check_caching) {
    site_.check_caching(caching);
    launch.on_begin = [this, caching = std::move(caching)](GpuId gpu, bool alone) {
      site_.cache(gpu, caching, alone);
    };
  } else if (!caching.empty()) {
    throw InputError(
        "launch planner '" + config_.planner +
        "' chooses caching for single arrays, which no block of this platform has (see "
        "the parameters launch_planner." +
        config_.planner + ".*)");
  }
  if (plan.scheduler) {
    launch.make_scheduler = [this, chosen = *plan.scheduler](std::uint32_t parts) {
      PolicyContext context = site_.context;
      context.tree.sms /= parts;
      return chosen.parameters.make(chosen.name, context);
    };
    static_cast<void>(launch.make_scheduler(1));  // throws before a page is placed
  }
  launch.on_turn = [this, &q] {
    if (site_.on_turn) site_.on_turn(number_of(q));
  };
  launch.on_gpu_end = [this, &q](GpuId gpu, Tick first_cta_at) {
    if (site_.on_gpu_end) site_.on_gpu_end(number_of(q), gpu, first_cta_at);
  };
  launch.on_end = [this, &q](const KernelEnd& end) { kernel_ended(q, end); };
  for (const PageAssignment& page : plan.pages) site_.place(page);
  stats_.pages_placed += plan.pages.size();
  return launch;
}

/// Called in the dispatcher's process.
void CommandProcessor::kernel_ended(CommandQueue& q, const KernelEnd& end) {
  q.running = false;
  if (site_.on_end) site_.on_end(number_of(q), end);
  CommandError code = CommandError::kNone;
  if (end.error) {
    try {
      std::rethrow_exception(end.error);
    } catch (const InputError&) {
      code = CommandError::kRefused;  // no CTA has started
    } catch (...) {
      code = CommandError::kKernelFailed;
    }
  }
  complete(q, code, end.error);
}

void CommandProcessor::complete(CommandQueue& q, CommandError code, std::exception_ptr why) {
  ++q.head;
  const CommandPacket& packet = q.packet;
  std::uint64_t signal = kCommandSignalDone;
  if (code != CommandError::kNone) signal = kCommandSignalError | static_cast<std::uint64_t>(code);
  if (packet.completion != 0 && packet.completion % 8 == 0 &&
      !access(tlm::TLM_WRITE_COMMAND, packet.completion, &signal, sizeof signal) &&
      code == CommandError::kNone) {
    code = CommandError::kMemory;
    why = input_error("the signal of command packet " + std::to_string(packet.id) + " at " +
                      hex(packet.completion) + " cannot be written");
  }
  if (code != CommandError::kNone) {
    q.error_packet = packet.id;
    raise_error(q, code, std::move(why));
    return;
  }
  q.last_completed = packet.id;
  ++q.completed;
  q.interrupt_status |= command_interrupt::kCompletion;
  update_interrupt();
  schedule_fetch(q, now());
}

/// Keeps the first error until software clears it. A kernel's failure replaces any other error.
void CommandProcessor::raise_error(CommandQueue& q, CommandError code, std::exception_ptr why) {
  ++stats_.errors;
  if (!q.halted() || code == CommandError::kKernelFailed) {
    q.error = code;
    q.failure = std::move(why);
  }
  q.interrupt_status |= command_interrupt::kError;
  update_interrupt();
}

bool CommandProcessor::idle() const {
  return std::all_of(queues_.begin(), queues_.end(),
                     [](const CommandQueue& q) { return q.idle(); });
}

void CommandProcessor::describe_waiting(std::vector<Waiting>& out) const {
  for (const CommandQueue& q : queues_) {
    if (q.head == q.tail) continue;
    const std::string number = number_of(q) == 0 ? "" : std::to_string(number_of(q));
    out.push_back({std::string(name()) + ".queue" + number, q.tail - q.head, WaitKind::kOrdering,
                   q.halted()  ? "software to clear the error register"
                   : q.running ? "the running kernel"
                               : "its fetch"});
  }
}

void CommandProcessor::reset() {
  for (CommandQueue& q : queues_) {
    std::unique_ptr<KernelProgram> program = std::move(q.program);
    q = CommandQueue{};
    q.program = std::move(program);  // SMs can still hold its CTAs
  }
  fetches_.clear();
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

}  // namespace tessera
