// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_device.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

#include "common/error.h"
#include "common/json.h"
#include "modules/host/cpu_core.h"
#include "modules/mmu/uvm_driver.h"
#include "platforms/execution_window.h"
#include "platforms/topology/system_facts.h"

namespace tessera {

namespace {

/// f(address, offset, bytes) for each part of [address, address + bytes) within one unit.
template <class F>
void for_each_part(Address address, std::uint64_t bytes, std::uint64_t unit, F f) {
  for (std::uint64_t done = 0; done < bytes;) {
    const Address at = address + done;
    const std::uint64_t part = std::min(bytes - done, unit - at % unit);
    f(at, done, part);
    done += part;
  }
}

}  // namespace

GpuDevice::GpuDevice(const GpuConfig& config, std::function<void(const LaunchRequest&)> run_launch)
    : config_(config),
      run_launch_(std::move(run_launch)),
      allocations_(config.system.page_bytes),
      planner_(config.launch_planner.make(config.dispatch.planner, facts_of(config))),
      of_queue_(config.dispatch.queues) {}

void GpuDevice::attach(System& system) {
  system_ = &system;
  cpu_cores_ = system.cpu_cores();
  system.uvm().on_page_mapped = [this](std::uint64_t page, std::uint64_t physical) {
    page_mapped(page, physical);
  };
  // Allocations are rounded up to pages: the last page includes bytes after the allocation's end.
  system.page_table().allocation_of = [this](std::uint64_t virtual_address) {
    const Allocation* const a = allocations_.nearest_below(virtual_address);
    return a == nullptr ? 0U : allocation_number(allocations_, a->begin);
  };
  system.on_page_copied = [this](std::uint64_t from, std::uint64_t to) { page_copied(from, to); };
  host_ = std::make_unique<HostInterface>(
      "host", config_.dispatch, kernels_, *planner_, system.dispatcher(), launch_platform(),
      [this](tlm::tlm_command command, Address address, unsigned char* data, std::uint64_t bytes) {
        return access_untimed(command, address, data, bytes);
      });
  if (config_.host.copies != HostCopies::kNone) {
    const umh::CoherenceLinkConfig& link = config_.hierarchy.link;
    CopyEngineSite links;
    links.clock_hz = link.clock_hz;
    links.bytes_per_cycle = link.bytes_per_cycle;
    links.latency_ns = link.latency_ns;
    links.count = link.shared ? 1 : config_.system.gpus;
    copy_engine_ = std::make_unique<CopyEngine>("copy_engine", config_.host, links);
  }
  host_->on_launch_ended = [this](std::uint32_t queue, const std::exception_ptr& error) {
    launch_ended(queue, error);
  };
}

CommandProcessorSite GpuDevice::launch_platform() {
  CommandProcessorSite p;
  p.context = facts_of(config_);
  p.memories = memories();
  p.allocations = &allocations_;
  p.make = [this](KernelSource& source, const LaunchRequest& request) {
    return source.make(
        request,
        LaunchEnvironment{values_ == ValueMode::kFunctional ? &memory_ : nullptr,
                          on_race_,
                          {config_.system.sms, config_.sm.max_warps, config_.system.page_bytes}});
  };
  p.run_untimed = [this](KernelProgram& program) { return run_untimed_kernel(program); };
  p.place = [this](const PageAssignment& a) { system_->uvm().place(a.virtual_page, a.memory); };
  if (system_->caches_arrays()) {
    p.check_caching = [this](const CachingByAllocation& caching) {
      system_->check_caching(caching);
    };
    p.cache = [this](GpuId gpu, const CachingByAllocation& caching, bool alone) {
      system_->set_caching(gpu, caching, alone);
    };
  }
  p.on_start = [this](std::uint32_t queue, LaunchSlot slot, const KernelProgram& program) {
    LaunchId& launch = of_queue_[queue];
    const bool firmware = launch == 0;
    if (firmware) launch = kFirmwareLaunches + ++firmware_launches_;
    if (!on_kernel_start) return;
    if (firmware) {
      on_kernel_start({launch, slot, "queue " + std::to_string(queue), now()}, program);
    } else {
      const Submitted& s = submitted_.at(launch);
      on_kernel_start({launch, slot, s.stream, s.ready_at}, program);
    }
  };
  p.on_turn = [this](std::uint32_t queue) {
    if (on_kernel_turn) on_kernel_turn(of_queue_[queue]);
  };
  p.on_gpu_end = [this](std::uint32_t queue, GpuId gpu, Tick first_cta_at) {
    if (on_kernel_gpu_end) on_kernel_gpu_end(of_queue_[queue], gpu, first_cta_at);
  };
  p.on_end = [this](std::uint32_t queue, const KernelEnd& end) {
    if (!system_->dispatcher().runs()) system_->kernel_ended();
    if (on_kernel_end) on_kernel_end(of_queue_[queue], end);
    if (of_queue_[queue] > kFirmwareLaunches) of_queue_[queue] = 0;
  };
  return p;
}

bool GpuDevice::access_untimed(tlm::tlm_command command, Address address, unsigned char* data,
                               std::uint64_t bytes) {
  if (bytes == 0 || allocations_.find(address, bytes) == nullptr) return false;
  if (command == tlm::TLM_WRITE_COMMAND) {
    write_untimed(address, data, bytes);
  } else {
    read_untimed(data, address, bytes);
  }
  return true;
}

LaunchId GpuDevice::submit(const LaunchRequest& request, const LaunchOrder& order) {
  const KernelHandle kernel = kernels_.add(request.source, request.kernel);
  const KernelFacts& facts = request.source->facts(request.kernel);
  if (order.priority < std::numeric_limits<std::int16_t>::min() ||
      order.priority > std::numeric_limits<std::int16_t>::max()) {
    throw InputError("a priority of " + std::to_string(order.priority) +
                     ": expected -32768 to 32767");
  }
  Submitted s;
  s.stream = order.stream;
  s.arguments =
      argument_block(request.kernel, facts.parameters, facts.argument_bytes, request.arguments);
  CommandPacket& packet = s.packet;
  packet.type = CommandPacket::kKernelDispatch;
  packet.kernel = kernel;
  packet.grid = {request.grid.x, request.grid.y, request.grid.z};
  packet.block = {request.block.x, request.block.y, request.block.z};
  packet.dynamic_shared_bytes = request.dynamic_shared_bytes;
  packet.priority = static_cast<std::int16_t>(order.priority);
  const LaunchId launch = streams_.add(order);
  submitted_.emplace(launch, std::move(s));
  submit_ready();
  return launch;
}

/// Each launch that waits for no other gets a command queue, as long as one is free.
void GpuDevice::submit_ready() {
  for (std::uint32_t queue = 0; queue < of_queue_.size(); ++queue) {
    if (of_queue_[queue] != 0) continue;
    const std::optional<LaunchId> launch = streams_.next_ready();
    if (!launch) return;
    streams_.begin(*launch);
    of_queue_[queue] = *launch;
    Submitted& s = submitted_.at(*launch);
    s.ready_at = now();
    host_->submit(queue, s.packet, s.arguments);
  }
}

void GpuDevice::launch_ended(std::uint32_t queue, const std::exception_ptr& error) {
  const LaunchId launch = std::exchange(of_queue_[queue], 0);
  submitted_.erase(launch);
  streams_.end(launch);
  if (!error) submit_ready();
  if (on_launch_ended) on_launch_ended(error);
}

bool GpuDevice::allocated(std::uint64_t virtual_address) const {
  // Allocations are rounded up to pages, because accesses after an allocation's last byte are
  // refused at issue.
  const Allocation* a = allocations_.nearest_below(virtual_address);
  const std::uint64_t page = config_.system.page_bytes;
  return a != nullptr && virtual_address < (a->end() + page - 1) / page * page;
}

AllocationPages GpuDevice::allocation(std::uint64_t virtual_address) const {
  const Allocation& a = *allocations_.nearest_below(virtual_address);
  const std::uint64_t page = config_.system.page_bytes;
  return {a.begin / page, (a.end() + page - 1) / page - a.begin / page};
}

Address GpuDevice::allocate(const std::string& name, std::uint64_t bytes) {
  // Before it is allocated: software can go on after a refusal. A page after each allocation stays
  // free (Allocations).
  const std::uint64_t page = config_.system.page_bytes;
  const std::uint64_t total = geometry_of(config_).total_bytes();
  const std::uint64_t left = total - (allocations_.top() - Allocations::kBase);
  if (bytes > left || (bytes + page - 1) / page * page + page > left) {
    throw InputError("allocation '" + name + "' of " + std::to_string(bytes) +
                     " bytes does not fit device memory of " + std::to_string(total) +
                     " bytes; see system.channel_bytes");
  }
  const Allocation& a = allocations_.allocate(name, bytes);
  memory_.cover(allocations_.top());
  if (config_.host.copies == HostCopies::kUnifiedMemory) {
    const AllocationPages pages = allocation(a.begin);
    managed_.allocate(pages.first, pages.count);
  }
  return a.begin;
}

void GpuDevice::check(const char* what, Address address, std::uint64_t bytes) const {
  if (bytes == 0 || allocations_.find(address, bytes) != nullptr) return;
  std::ostringstream out;
  out << "the host program " << what << " " << bytes << " bytes at 0x" << std::hex << address
      << ", which is not inside an allocation";
  throw RunError(out.str());
}

void GpuDevice::debug(tlm::tlm_command command, std::uint64_t physical, unsigned char* data,
                      std::uint64_t bytes) {
  for_each_part(physical, bytes, config_.system.line_bytes,
                [&](Address at, std::uint64_t offset, std::uint64_t part) {
                  system_->memory().access(command, at, data + offset, static_cast<unsigned>(part));
                });
}

void GpuDevice::launch(const LaunchRequest& request) {
  prepare_launch();
  run_launch_(request);
}

LaunchId GpuDevice::enqueue(const LaunchRequest& request, const LaunchOrder& order) {
  prepare_launch();
  if (on_enqueue && !on_enqueue(request, order)) return 0;
  return submit(request, order);
}

void GpuDevice::synchronise() {
  if (outstanding() != 0 && wait_for_launches) wait_for_launches();
}

void GpuDevice::prepare_launch() {
  if (!launched_ && copy_engine_) copied_back_before_ = copy_engine_->stats().bytes_to_host;
  launched_ = true;
  unread_ = true;
  if (config_.host.copies == HostCopies::kUnifiedMemory) {
    copy(managed_.launch() * config_.system.page_bytes, true);
  }
}

/// Waits for a copy. No effect without bytes.
void GpuDevice::copy(std::uint64_t bytes, bool to_device) {
  if (!copy_engine_ || !run_until || bytes == 0) return;
  bool done = false;
  copy_engine_->copy(bytes, to_device, [&done] {
    done = true;
    sc_core::sc_pause();
  });
  run_until([&done] { return done; });
}

void GpuDevice::copy_for_access(bool write, Address address, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t page = config_.system.page_bytes;
  if (config_.host.copies == HostCopies::kMemcpy) {
    copy(bytes, write);
  } else if (config_.host.copies == HostCopies::kUnifiedMemory) {
    const std::uint64_t first = address / page;
    copy(managed_.host_access(first, (address + bytes - 1) / page - first + 1) * page, false);
  }
}

CpuCore* GpuDevice::timed_core() {
  return cpu_cores_.empty() || !run_until ? nullptr : cpu_cores_.front();
}

void GpuDevice::submit_to_cpu(CpuCore& core, tlm::tlm_command command, std::uint64_t physical,
                              unsigned char* data, std::uint64_t bytes,
                              std::function<void()> ended) {
  const bool write = command == tlm::TLM_WRITE_COMMAND;
  CpuOperation op;
  op.kind = CpuOperation::Kind::kStore;
  if (!write) {
    op.kind = config_.hierarchy.synchronisation == Synchronisation::kDynamic
                  ? CpuOperation::Kind::kSynchronisedLoad
                  : CpuOperation::Kind::kLoad;
  }
  op.address = physical;
  op.bytes = bytes;
  if (write) op.data.assign(data, data + bytes);
  core.submit(std::move(op), [this, data, write, ended = std::move(ended)](const CpuOperation& o) {
    if (!write && values_ == ValueMode::kCarried) {
      std::copy(o.data.begin(), o.data.end(), data);
    }
    if (!write) count_first_read();
    ended();
  });
}

void GpuDevice::access_by_cpu(tlm::tlm_command command, Address address, unsigned char* data,
                              std::uint64_t bytes) {
  const Tick begin = now();
  std::size_t pending = 0;
  for_each_part(address, bytes, config_.system.page_bytes,
                [&](Address at, std::uint64_t offset, std::uint64_t part) {
                  const auto physical = system_->uvm().translate(at);
                  if (!physical) return;  // the driver has not placed the page
                  ++pending;
                  submit_to_cpu(*timed_core(), command, *physical, data + offset, part, [&pending] {
                    if (--pending == 0) sc_core::sc_pause();
                  });
                });
  run_until([&pending] { return pending == 0; });
  access_ticks_ += now() - begin;
}

UvmDriver& GpuDevice::uvm() { return system_->uvm(); }

std::uint32_t GpuDevice::memories() const {
  return static_cast<std::uint32_t>(system_->page_table().pages_per_channel().size());
}

std::uint32_t GpuDevice::gpu_of(SmId sm) const {
  return sm.value / (config_.system.sms / config_.system.gpus);
}

bool GpuDevice::kernels_run() const { return system_->dispatcher().runs(); }

bool GpuDevice::access_by_software(std::uint32_t hart, tlm::tlm_command command, Address address,
                                   unsigned char* data, std::uint64_t bytes,
                                   std::function<void()> done) {
  if (bytes == 0 || allocations_.find(address, bytes) == nullptr) return false;
  const auto core = static_cast<std::uint32_t>(hart % cpu_cores_.size());
  const RequesterId requester(RequesterKind::kCpuCore, core);
  const bool functional = values_ == ValueMode::kFunctional;
  const bool write = command == tlm::TLM_WRITE_COMMAND;
  if (functional && write) memory_.write(address, data, bytes);
  const auto parts = std::make_shared<std::size_t>(0);
  for_each_part(address, bytes, config_.system.page_bytes,
                [&](Address, std::uint64_t, std::uint64_t) { ++*parts; });
  const Tick begin = now();
  const bool outside = !kernels_run();
  const std::function<void()> ended = [=, call = std::move(done)] {
    if (--*parts != 0) return;
    if (outside) access_ticks_ += now() - begin;
    if (functional && !write) memory_.read(data, address, bytes);
    call();
  };
  for_each_part(address, bytes, config_.system.page_bytes,
                [&](Address at, std::uint64_t offset, std::uint64_t part) {
                  submit_to_cpu(*cpu_cores_[core], command, *system_->uvm().touch(at, requester),
                                data + offset, part, ended);
                });
  return true;
}

/// Executes a kernel on the flat memory if kernels take no time.
bool GpuDevice::run_untimed_kernel(KernelProgram& program) {
  if (!untimed_kernels_) return false;
  if (system_->dispatcher().runs()) {
    throw InputError("kernel '" + program.name() +
                     "' is to run without time while other kernels run");
  }
  gather_values();
  program.use_flat_memory(&memory_);
  run_untimed(whole_kernel(program), [](std::uint64_t, const Executed&) {});
  scatter_values();
  return true;
}

/// The host program has results of the last launch, for the first time.
void GpuDevice::count_first_read() {
  if (!unread_) return;
  unread_ = false;
  ++first_reads_;
  first_read_ns_ += (now() - system_->dispatcher().drained_at()) / kTicksPerNs;
}

void GpuDevice::add_host_figures(nlohmann::ordered_json& derived, double time_ns,
                                 bool window) const {
  CopyEngineStats copies;
  if (copy_engine_) copies = copy_engine_->stats();
  derived.update({{"runtime_ns", nullptr},
                  {"copied_bytes", copies.bytes_to_device + copies.bytes_to_host},
                  {"copied_back_bytes", copies.bytes_to_host - copied_back_before_},
                  {"first_read_ns", nullptr},
                  {"host_access_ns", nullptr}});
  if (!window || !copy_engine_) {
    derived["runtime_ns"] = time_ns + static_cast<double>(copies.to_device_ns + copies.to_host_ns);
  }
  // DRAM's bytes include those of the host's accesses, which are outside of the kernels' time.
  nlohmann::ordered_json& utilisation = derived["dram_utilisation"];
  if (window) {
    if (access_ticks_ != 0) utilisation = nullptr;
    return;
  }
  const double access_ns =
      static_cast<double>(access_ticks_) * 1e9 / static_cast<double>(kTicksPerSecond);
  derived["host_access_ns"] = access_ns;
  if (access_ticks_ != 0) {
    utilisation = utilisation.get<double>() * time_ns / (time_ns + access_ns);
  }
  if (first_reads_ != 0) {
    derived["first_read_ns"] =
        static_cast<double>(first_read_ns_) / static_cast<double>(first_reads_);
  }
}

void GpuDevice::write(Address to, const void* from, std::uint64_t bytes) {
  check("writes", to, bytes);
  synchronise();
  copy_for_access(true, to, bytes);
  write_untimed(to, from, bytes);
  if (!launched_ || timed_core() == nullptr) return;
  // The operation only reads the data.
  access_by_cpu(tlm::TLM_WRITE_COMMAND, to, static_cast<unsigned char*>(const_cast<void*>(from)),
                bytes);
}

void GpuDevice::write_without_values(Address to, std::uint64_t bytes) {
  check("writes", to, bytes);
  synchronise();
  copy_for_access(true, to, bytes);
  if (!launched_ || timed_core() == nullptr) return;
  constexpr std::uint64_t kPart = std::uint64_t{1} << 20;
  std::vector<unsigned char> part(std::min(bytes, kPart));
  for_each_part(to, bytes, kPart, [&](Address at, std::uint64_t, std::uint64_t n) {
    access_by_cpu(tlm::TLM_WRITE_COMMAND, at, part.data(), n);
  });
}

void GpuDevice::poke(Address to, const void* from, std::uint64_t bytes) {
  check("writes", to, bytes);
  write_untimed(to, from, bytes);
}

void GpuDevice::peek(void* to, Address from, std::uint64_t bytes) {
  check("reads", from, bytes);
  read_untimed(to, from, bytes);
}

void GpuDevice::write_untimed(Address to, const void* from, std::uint64_t bytes) {
  if (values_ == ValueMode::kFunctional) return memory_.write(to, from, bytes);
  // The model only reads the data; the const_cast is needed because the payload's pointer is not
  // const.
  auto* source = static_cast<unsigned char*>(const_cast<void*>(from));
  for_each_part(to, bytes, config_.system.page_bytes,
                [&](Address at, std::uint64_t offset, std::uint64_t part) {
                  if (const auto physical = system_->uvm().translate(at)) {
                    debug(tlm::TLM_WRITE_COMMAND, *physical, source + offset, part);
                  } else {
                    memory_.write(at, source + offset, part);
                  }
                });
}

void GpuDevice::defer(Address to, std::uint64_t bytes, Contents contents) {
  check("writes", to, bytes);
  synchronise();
  copy_for_access(true, to, bytes);
  memory_.defer(to, bytes, std::move(contents));
}

void GpuDevice::read(void* to, Address from, std::uint64_t bytes) {
  check("reads", from, bytes);
  synchronise();
  copy_for_access(false, from, bytes);
  if (copy_engine_ && run_until) count_first_read();
  read_untimed(to, from, bytes);
  if (timed_core() == nullptr) return;
  access_by_cpu(tlm::TLM_READ_COMMAND, from, static_cast<unsigned char*>(to), bytes);
}

void GpuDevice::read_untimed(void* to, Address from, std::uint64_t bytes) {
  if (values_ == ValueMode::kFunctional) return memory_.read(to, from, bytes);
  auto* target = static_cast<unsigned char*>(to);
  for_each_part(from, bytes, config_.system.page_bytes,
                [&](Address at, std::uint64_t offset, std::uint64_t part) {
                  if (const auto physical = system_->uvm().translate(at)) {
                    debug(tlm::TLM_READ_COMMAND, *physical, target + offset, part);
                  } else {
                    memory_.read(target + offset, at, part);
                  }
                });
}

/// f(virtual address, physical address) of each placed page.
template <class F>
void GpuDevice::for_each_placed_page(F f) {
  const std::uint64_t page = config_.system.page_bytes;
  for (const Allocation& a : allocations_.all()) {
    for (Address at = a.begin; at < a.end(); at += page) {
      if (const auto physical = system_->uvm().translate(at)) f(at, *physical);
    }
  }
}

void GpuDevice::gather_values() {
  if (values_ == ValueMode::kFunctional) return;
  std::vector<unsigned char> bytes(config_.system.page_bytes);
  for_each_placed_page([&](Address page, std::uint64_t physical) {
    debug(tlm::TLM_READ_COMMAND, physical, bytes.data(), bytes.size());
    memory_.write(page, bytes.data(), bytes.size());
  });
}

void GpuDevice::scatter_values() {
  if (values_ == ValueMode::kFunctional) return;
  std::vector<unsigned char> bytes(config_.system.page_bytes);
  for_each_placed_page([&](Address page, std::uint64_t physical) {
    memory_.read(bytes.data(), page, bytes.size());
    debug(tlm::TLM_WRITE_COMMAND, physical, bytes.data(), bytes.size());
  });
}

void GpuDevice::page_mapped(std::uint64_t virtual_page, std::uint64_t physical) {
  if (values_ == ValueMode::kFunctional) return;
  // Moves the page's bytes from the host to the channel, which holds them from now on.
  const std::uint64_t page = config_.system.page_bytes;
  std::vector<unsigned char> bytes(page);
  memory_.read(bytes.data(), virtual_page * page, page);
  debug(tlm::TLM_WRITE_COMMAND, physical, bytes.data(), page);
  memory_.discard(virtual_page * page, page);
}

void GpuDevice::page_copied(std::uint64_t from, std::uint64_t to) {
  if (values_ == ValueMode::kFunctional) return;
  std::vector<unsigned char> bytes(config_.system.page_bytes);
  debug(tlm::TLM_READ_COMMAND, from, bytes.data(), bytes.size());
  debug(tlm::TLM_WRITE_COMMAND, to, bytes.data(), bytes.size());
}
}  // namespace tessera
