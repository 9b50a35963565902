// SPDX-License-Identifier: Apache-2.0
#include "platforms/virtual_platform.h"

#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <systemc>
#include <utility>

#include "common/error.h"
#include "common/json.h"
#include "modules/kernel/sc_time.h"
#include "modules/mmu/page_table.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/vp/doorbell_rule.h"
#include "modules/vp/fault_queue.h"
#include "modules/vp/gpu_memory_port.h"
#include "modules/vp/gpu_services.h"
#include "platforms/firmware_machine.h"
#include "platforms/gpu_device.h"
#include "platforms/machine_timeline.h"
#include "platforms/supervisor.h"
#include "stimuli/ptx/link.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"
#include "stimuli/runner/symbols.h"

namespace tessera {

const char* text_of(VirtualPlatformResult::End end) {
  using End = VirtualPlatformResult::End;
  switch (end) {
    case End::kFinished:
      return "finished";
    case End::kReset:
      return "reset";
    case End::kLimit:
      return "time limit";
    case End::kInterrupted:
      return "interrupted";
    case End::kStuck:
      return "all cores wait";
    case End::kLost:
      return "exception without a handler";
    case End::kKilled:
      return "killed by the debugger";
  }
  return "";
}

namespace {

using firmware::Machine;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + BoardPlan::kPage - 1) / BoardPlan::kPage * BoardPlan::kPage;
}

}  // namespace

VirtualPlatformResult run_virtual_platform(const VirtualPlatformOptions& options) {
  constexpr Tick kSlice = 1'000'000 * kTicksPerNs;
  set_time_resolution();
  Machine machine(options, {}, {}, nullptr);
  machine.debug().wait();
  Tick slice_end = kSlice;
  while (!machine.ended()) {
    machine.serve();
    if (options.interrupted && options.interrupted()) break;
    sc_core::sc_start(to_sc_time(slice_end - now()));
    machine.debug().poll();
    if (now() < slice_end) continue;  // ended, or paused
    slice_end += kSlice;
    if (machine.ended() || sc_core::sc_pending_activity()) continue;
    machine.debug().stop_stuck(machine.places());
    VirtualPlatformResult& result = machine.measure();
    result.end = VirtualPlatformResult::End::kStuck;
    result.why = result.places;
    return result;
  }
  machine.measure();
  machine.serve_ended();
  return machine.result();
}

// With GPUs.

class FirmwareWorkload::Impl {
 public:
  Impl(const VirtualPlatformOptions& options, GpuDevice& device)
      : device_(device),
        loader_(kernels::ModuleLoader::make(device)),
        timeline_(options.harts, device.gpus(), !options.fast) {
    for (const std::string& file : options.kernels) modules_.push_back(ptx::parse_file(file));
    HostInterface& host = device.host();
    CommandProcessor& processor = host.command_processor;
    BoardDevice command;
    command.range = {"gpu", kCommandAddress,
                     whole_pages(std::uint64_t{processor.config().queues} * kCommandQueueStride)};
    command.compatible = "tessera,command-processor";
    command.interrupt = kCommandInterrupt;
    BoardDevice services;
    services.range = {"gpu-services", kServicesAddress, BoardPlan::kPage};
    services.compatible = "tessera,gpu-services";
    BoardDevice faults;
    faults.range = {"gpu-faults", kFaultsAddress, BoardPlan::kPage};
    faults.compatible = "tessera,fault-queue";
    faults.interrupt = kFaultsInterrupt;
    BoardDevice memory;
    memory.range = {"gpu-memory", Allocations::kBase, kDeviceMemory, false, true};
    memory.compatible = "tessera,gpu-memory";
    machine_.emplace(options, std::vector<BoardDevice>{command, services, faults, memory},
                     Board::Wires{{kCommandInterrupt, processor.interrupt.operator->()},
                                  {kFaultsInterrupt, &fault_wire_}},
                     &device);
    make_services(!options.fast);
    device.run_kernels_untimed(options.fast);
    make_fault_queue();
    make_memory_port(options);
    make_rule();
    watch_cores();
    watch_kernels();
    host.software_memory = [this](tlm::tlm_command access, Address address, unsigned char* data,
                                  std::uint64_t bytes) {
      return access_ram(access, address, data, bytes);
    };
    // Software that waits for a person is not a deadlock, unless a kernel runs.
    device.software_activity = [this, &processor] {
      return machine_->activity() + (machine_->waits_for_input() && processor.idle() ? now() : 0);
    };
    BoardBus& bus = machine_->board().bus;
    bus.out[Board::kFirstDevice]->bind(rule_->in);
    rule_->out.bind(processor.mmio);
    bus.out[Board::kFirstDevice + 1]->bind(services_->in);
    bus.out[Board::kFirstDevice + 2]->bind(faults_->in);
    bus.out[Board::kFirstDevice + 3]->bind(memory_->in);
    find_blocks();
    if (device.on_block) {
      for (const Block* b : blocks_) device.on_block(*b);
      device.on_block(processor);
    }
  }

  /// What waits, a line each.
  std::string waiting() const { return Supervisor::describe(blocks_); }
  Machine& machine() { return *machine_; }
  /// The run has ended, now. Its results.
  VirtualPlatformResult& measure() {
    timeline_.end(now());
    return machine_->measure();
  }
  const MachineTimeline& timeline() const { return timeline_; }

 private:
  static constexpr std::uint64_t kDeviceMemory = board_map::kGpuMemoryBytes;
  static_assert(board_map::kGpuMemoryAddress == Allocations::kBase);

  void make_services(bool detailed) {
    GpuServicesSite site;
    site.read = [this](std::uint64_t address, unsigned char* data, std::uint64_t bytes) {
      return access_ram(tlm::TLM_READ_COMMAND, address, data, bytes);
    };
    site.kernel = [this](const std::string& name) { return find_kernel(name); };
    site.allocate = [this](std::uint64_t bytes) { return allocate(bytes); };
    site.statistic = [this](const std::string& name) -> std::optional<std::uint64_t> {
      const auto value =
          device_.statistics == nullptr ? std::nullopt : device_.statistics->number(name);
      if (!value || *value < 0) return std::nullopt;
      return static_cast<std::uint64_t>(*value);
    };
    site.set_detailed = [this](bool on) {
      if (device_.kernels_run() || !device_.host().command_processor.idle()) return false;
      device_.run_kernels_untimed(!on);
      timeline_.set_detail(on, now());
      return true;
    };
    services_.emplace("gpu_services", std::move(site), detailed);
  }
  void make_fault_queue() {
    FaultQueueSite site;
    site.memories = device_.memories();
    site.page_bytes = device_.page_bytes();
    site.hand_over = [this](bool software) {
      if (!software) return device_.uvm().hand_faults_to(nullptr);
      device_.uvm().hand_faults_to([this](const PageFault& f) { faults_->push(record_of(f)); });
    };
    site.place = [this](std::uint64_t address, std::uint32_t memory) {
      device_.uvm().place(address / device_.page_bytes(), ChannelId(memory));
    };
    site.on_wait = [this](const SoftwareFault& fault, bool waits) {
      if (fault.sm != SoftwareFault::kNoSm) timeline_.set_fault(fault.gpu, waits, now());
    };
    faults_.emplace("gpu_faults", std::move(site));
    faults_->interrupt.bind(fault_wire_);
  }
  SoftwareFault record_of(const PageFault& f) const {
    const std::uint64_t page = device_.page_bytes();
    SoftwareFault record;
    record.address = f.page * page;
    if (f.toucher.is_sm()) {
      record.sm = f.toucher.index();
      record.gpu = device_.gpu_of(f.toucher.sm());
    }
    record.local = f.local.value;
    record.array = f.allocation.first * page;
    record.array_bytes = f.allocation.count * page;
    return record;
  }
  void make_memory_port(const VirtualPlatformOptions& options) {
    GpuMemoryPortConfig config;
    config.latency_ns = options.link_latency_ns;
    config.bytes_per_second = options.link_bytes_per_second;
    GpuMemoryPortSite site;
    site.harts = options.harts;
    site.access = [this](tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                         std::uint64_t bytes) {
      return device_.access_untimed(command, address, data, bytes);
    };
    site.timed = [this] { return !device_.runs_kernels_untimed(); };
    if (device_.has_cpu()) {
      site.access_by_cpu = [this](std::uint32_t hart, tlm::tlm_command command,
                                  std::uint64_t address, unsigned char* data, std::uint64_t bytes,
                                  GpuMemoryPortSite::Done done) {
        return device_.access_by_software(hart, command, address, data, bytes, std::move(done));
      };
    }
    memory_.emplace("gpu_memory", config, std::move(site));
  }
  void make_rule() {
    DoorbellRuleSite site;
    site.offset = static_cast<std::uint64_t>(CommandRegister::kTail);
    site.stride = kCommandQueueStride;
    site.violated = [this](std::uint32_t hart, std::uint32_t queue) {
      machine_->violated(hart, "rule doorbell-fence: the doorbell of queue " +
                                   std::to_string(queue) +
                                   " has been written without a fence since the one before");
    };
    site.on_doorbell = [this](std::uint32_t hart, std::uint32_t queue, Tick at) {
      timeline_.doorbell(hart, queue, at);
    };
    rule_.emplace("doorbell_rule", std::move(site));
  }
  void watch_cores() {
    for (std::uint32_t h = 0; h < machine_->board().cores.size(); ++h) {
      RiscvCore& c = *machine_->board().cores[h];
      c.on_activity = [this, h](CoreActivity activity, Tick at) {
        timeline_.set_activity(h, activity, at);
      };
      c.on_access = [this, h](Tick begin, Tick end) { timeline_.access(h, begin, end); };
      c.on_interrupt = [this, h](std::uint64_t risen) { timeline_.interrupt(h, risen, now()); };
      c.on_fault = [this, h, &c, before = std::move(c.on_fault)](const IssFault& f) {
        timeline_.exception(h, f.cause, c.time_at(c.iss().instructions()));
        before(f);
      };
    }
  }
  /// Beside the simulation, which watches them for its own records.
  void watch_kernels() {
    device_.on_kernel_start = [this, before = std::move(device_.on_kernel_start)](
                                  const StartedLaunch& launch, const KernelProgram& program) {
      timeline_.start_kernel(launch, program.name());
      if (before) before(launch, program);
    };
    device_.on_kernel_turn = [this, before = std::move(device_.on_kernel_turn)](LaunchId launch) {
      timeline_.begin_kernel(launch, now());
      if (before) before(launch);
    };
    device_.on_kernel_gpu_end = [this](LaunchId launch, GpuId gpu, Tick first_cta_at) {
      timeline_.end_on_gpu(launch, gpu, first_cta_at, now());
    };
    device_.on_kernel_end = [this, before = std::move(device_.on_kernel_end)](
                                LaunchId launch, const KernelEnd& end) {
      timeline_.end_kernel(launch, now());
      if (before) before(launch, end);
    };
  }
  void find_blocks() {
    Board& board = machine_->board();
    for (const auto& c : board.cores) blocks_.push_back(c.get());
    for (Block* b : std::initializer_list<Block*>{
             &board.bus, &board.rom, &board.ram, &board.finisher, &board.clint, &board.plic,
             &board.uart, &*services_, &*faults_, &*memory_, &*rule_}) {
      blocks_.push_back(b);
    }
  }
  bool access_ram(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                  std::uint64_t bytes) {
    BoardMemory& ram = machine_->board().ram;
    const std::uint64_t offset = address - BoardPlan::kRamAddress;
    if (offset >= ram.config().bytes || bytes > ram.config().bytes - offset) return false;
    unsigned char* const at = ram.bytes() + offset;
    if (command == tlm::TLM_READ_COMMAND) {
      std::memcpy(data, at, bytes);
    } else if (command == tlm::TLM_WRITE_COMMAND) {
      std::memcpy(at, data, bytes);
    }
    return true;
  }
  /// 0 if no file, or more than one kernel, has the name.
  std::uint64_t find_kernel(const std::string& name) {
    for (const ptx::Module& m : modules_) {
      const std::vector<std::string> found = kernels::find_symbols(name, m.entries());
      if (found.size() == 1) return device_.kernels().add(loader_->source(m), found.front());
    }
    return 0;
  }
  std::optional<std::uint64_t> allocate(std::uint64_t bytes) {
    try {
      return device_.allocate("firmware " + std::to_string(++allocations_), bytes);
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  GpuDevice& device_;
  const std::shared_ptr<kernels::ModuleLoader> loader_;
  std::vector<ptx::Module> modules_;
  MachineTimeline timeline_;
  std::optional<Machine> machine_;
  sc_core::sc_signal<bool> fault_wire_{"gpu_faults_interrupt"};
  std::optional<GpuServices> services_;
  std::optional<FaultQueue> faults_;
  std::optional<GpuMemoryPort> memory_;
  std::optional<DoorbellRule> rule_;
  std::vector<Block*> blocks_;
  std::uint64_t allocations_ = 0;
};

FirmwareWorkload::FirmwareWorkload(const VirtualPlatformOptions& options) : options_(options) {
  info_.name = options.programs.front().file;
  info_.description = "software on RISC-V cores";
  info_.family = "firmware";
}

FirmwareWorkload::~FirmwareWorkload() = default;

void FirmwareWorkload::run(Device& device, Scale, std::uint64_t) {
  auto* const gpus = dynamic_cast<GpuDevice*>(&device);
  if (gpus == nullptr) throw InputError("firmware needs the GPUs of a platform");
  if (gpus->copy_engine() != nullptr) {
    throw InputError(
        "the cores access device memory themselves: a platform whose driver copies (host.copies) "
        "has no place for them");
  }
  impl_ = std::make_unique<Impl>(options_, *gpus);
  Machine& machine = impl_->machine();
  machine.debug().wait();
  try {
    gpus->run_until([&machine] { return machine.serve() || machine.ended(); });
    if (!machine.ended()) gpus->end_if_interrupted();
  } catch (const RunError& e) {
    VirtualPlatformResult& result = impl_->measure();
    result.end = VirtualPlatformResult::End::kStuck;
    std::string text = std::string(e.what()) + "\n" + machine.places();
    const std::string waiting = impl_->waiting();
    if (!waiting.empty()) text += "\n" + waiting;
    result.why = text;
    machine.serve_ended();
    result.why.clear();
    throw RunError(text);
  } catch (...) {
    impl_->measure();
    throw;
  }
  impl_->measure();
}

std::optional<Verification> FirmwareWorkload::verify(Device&) {
  // Here, where an interrupt that ends the session does not interrupt the run.
  impl_->machine().serve_ended();
  const VirtualPlatformResult& r = impl_->machine().result();
  Verification v;
  v.by_software = true;
  v.passed =
      r.end == VirtualPlatformResult::End::kFinished && r.status == 0 && r.violations.empty();
  if (!r.violations.empty()) {
    v.messages.push_back(r.violations.front());
  } else if (!r.why.empty()) {
    v.messages.push_back(r.why);
  } else if (r.end != VirtualPlatformResult::End::kFinished) {
    v.messages.emplace_back("the software has not ended by itself");
  } else if (r.status != 0) {
    v.messages.push_back("the software ended with status " + std::to_string(r.status));
  }
  return v;
}

const VirtualPlatformResult& FirmwareWorkload::result() const {
  return impl_ ? impl_->machine().result() : none_;
}

nlohmann::ordered_json FirmwareWorkload::timeline() const {
  return impl_ ? impl_->timeline().to_json() : nlohmann::ordered_json();
}

}  // namespace tessera
