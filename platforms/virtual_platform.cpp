// SPDX-License-Identifier: Apache-2.0
#include "platforms/virtual_platform.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <systemc>
#include <thread>
#include <utility>

#include "common/error.h"
#include "common/hex.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"
#include "modules/mmu/page_table.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/vp/board.h"
#include "modules/vp/doorbell_rule.h"
#include "modules/vp/elf_file.h"
#include "modules/vp/fault_queue.h"
#include "modules/vp/gpu_memory_port.h"
#include "modules/vp/gpu_services.h"
#include "platforms/gpu_device.h"
#include "platforms/host_pace.h"
#include "platforms/machine_debug.h"
#include "platforms/supervisor.h"
#include "platforms/vp_session.h"
#include "stimuli/ptx/link.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"
#include "stimuli/runner/symbols.h"

namespace tessera {

namespace {

/// The function of the shared object. The object stays loaded.
MakeIss* load_iss(const std::string& file) {
  void* const object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    throw InputError("the instruction-set simulator cannot be loaded: " + std::string(dlerror()) +
                     "\nOn Debian: apt-get install libunicorn-dev libfdt-dev, then build again");
  }
  void* const make = dlsym(object, "tessera_make_iss");
  if (make == nullptr) throw InputError(file + " has no instruction-set simulator");
  return reinterpret_cast<MakeIss*>(make);
}

const char* cause_text(std::uint64_t cause) {
  static constexpr std::array<const char*, 16> kTexts = {
      "misaligned fetch",    "fetch access fault",
      "illegal instruction", "breakpoint",
      "misaligned load",     "load access fault",
      "misaligned store",    "store access fault",
      "call from user mode", "call from supervisor mode",
      "exception 10",        "call from machine mode",
      "fetch page fault",    "load page fault",
      "exception 14",        "store page fault"};
  return cause < kTexts.size() ? kTexts[cause] : "exception";
}

}  // namespace

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

// Not in the unnamed namespace, because FirmwareWorkload::Impl has a Machine.
namespace firmware {

/// The UART's far end. While it is open (for input, or a session's clients), idle cores do not run
/// ahead of the host's time.
class Terminal {
 public:
  Terminal(Board& board, const VirtualPlatformOptions& options)
      : board_(board), uart_(board.uart), options_(options), input_(options.poll_input != nullptr) {
    uart_.on_output = [this](char c) { sent(c); };
    wake_.bind<&Terminal::process>(*this);
    if (open()) wake_.at(now());
  }
  bool open() const { return input_ || options_.session != nullptr; }
  bool script_runs() const { return step_ < options_.script.size(); }
  void end_script() { step_ = options_.script.size(); }
  bool cores_idle() const {
    return std::all_of(board_.cores.begin(), board_.cores.end(),
                       [](const auto& c) { return c->idle(); });
  }

 private:
  static constexpr Tick kInterval = 100'000 * kTicksPerNs;

  void sent(char c) {
    if (options_.on_output) options_.on_output(c);
    if (step_ >= options_.script.size()) return;
    seen_ += c;
    const UartStep& s = options_.script[step_];
    const std::size_t n = s.expect.size();
    if (seen_.size() < n || seen_.compare(seen_.size() - n, n, s.expect) != 0) return;
    for (const char k : s.send) uart_.receive(k);
    seen_.clear();
    ++step_;
  }
  void process() {
    if (input_) {
      std::string input;
      input_ = options_.poll_input(input);
      for (const char c : input) uart_.receive(c);
    }
    if (!open()) return;
    const auto wait = pace_.wait(cores_idle() && !script_runs(), now(), HostPace::Clock::now());
    if (wait.count() != 0 && input_ && options_.wait_for_input) {
      options_.wait_for_input(wait);
    } else if (wait.count() != 0) {
      std::this_thread::sleep_for(wait);
    }
    wake_.at(now() + kInterval);
  }

  Board& board_;
  Uart16550& uart_;
  const VirtualPlatformOptions& options_;
  bool input_;  ///< poll_input has not ended
  HostPace pace_;
  std::size_t step_ = 0;
  std::string seen_;
  ProcessTimer wake_;
};

/// The machine with its programs, until they end.
class Machine {
 public:
  using End = VirtualPlatformResult::End;

  /// `devices`, `wires`: of the GPUs. `gpus`: null without GPUs.
  Machine(const VirtualPlatformOptions& options, std::vector<BoardDevice> devices,
          const Board::Wires& wires, GpuDevice* gpus)
      : options_(options), make_(load_iss(options.iss)) {
    BoardPlan plan;
    plan.harts = options.harts;
    plan.ram_bytes = options.ram_bytes;
    plan.devices = std::move(devices);
    RiscvCoreConfig core;
    core.clock_hz = options.clock_hz;
    core.quantum = options.quantum;
    board_.emplace(
        "board", plan, core,
        [this](std::uint32_t hart, IssBus& bus) { return std::unique_ptr<Iss>(make_(hart, &bus)); },
        wires);
    terminal_.emplace(*board_, options);
    for (const auto& file : options.programs) load(file);
    board_->set_entry(programs_.front().entry);
    board_->finisher.on_end = [this](TestFinisher::End end, std::uint32_t status, Tick at) {
      result_.status = status;
      result_.end = end == TestFinisher::End::kReset ? End::kReset : End::kFinished;
      halt();
      finished_.at(at);
    };
    finished_.bind<&Machine::end_run>(*this);
    limit_.bind<&Machine::reach_limit>(*this);
    if (options.limit_ns != 0) limit_.at(options.limit_ns * kTicksPerNs);
    faults_.resize(options.harts);
    for (std::uint32_t h = 0; h < options.harts; ++h) {
      RiscvCore& c = *board_->cores[h];
      c.on_fault = [this, h](const IssFault& f) { faults_[h] = f; };
      c.on_lost = [this, h] {
        result_.why = lost(h);
        finish(End::kLost);
      };
    }
    DebuggerSite site;
    site.place = [this](std::uint64_t pc) { return place(pc); };
    site.last_fault = [this](std::uint32_t hart) { return faults_[hart]; };
    site.ended = [this] { return ended_; };
    site.kill = [this] {
      const bool by_user = options_.interrupted && options_.interrupted();
      finish(by_user ? End::kInterrupted : End::kKilled);
    };
    site.cancelled = options.interrupted;
    debug_.emplace(options, *board_, programs_, std::move(site), gpus != nullptr);
    if (options.session != nullptr) {
      session_.emplace(*options.session, VpSessionSite{*board_, programs_, options_, result_, gpus,
                                                       [this] { return ended_; },
                                                       [this] { return terminal_->script_runs(); },
                                                       [this] { terminal_->end_script(); }});
    }
  }

  Board& board() { return *board_; }
  bool ended() const { return ended_; }
  MachineDebug& debug() { return *debug_; }
  /// Between SystemC's steps: answers a session's requests, and waits while the run is paused.
  /// Whether the run is to end.
  bool serve() {
    if (session_) session_->serve();
    return session_ && session_->ends();
  }
  /// After the end: until the session ends, too.
  void serve_ended() {
    if (session_) session_->serve_ended();
  }
  /// Software waits for a person.
  bool waits_for_input() const { return terminal_->open() && terminal_->cores_idle(); }
  /// Changes whenever a core does something.
  std::uint64_t activity() const {
    std::uint64_t sum = 0;
    for (const auto& c : board_->cores) sum += c->stats().instructions;
    return sum;
  }
  void finish(End end) {
    result_.end = end;
    halt();
    end_run();
  }
  /// Notes a violation by a core.
  void violated(std::uint32_t hart, const std::string& what) {
    result_.violations.push_back("core " + std::to_string(hart) + " in " +
                                 place(board_->cores[hart]->iss().pc()) + ": " + what);
  }
  /// Where the cores are, a line each.
  std::string places() const {
    std::string text;
    for (std::uint32_t h = 0; h < options_.harts; ++h) {
      RiscvCore& c = *board_->cores[h];
      text += (h == 0 ? "" : "\n") + ("core " + std::to_string(h)) +
              (c.idle() ? " waits for an interrupt at " : " is at ") + place(c.iss().pc());
    }
    return text;
  }
  VirtualPlatformResult& measure() {
    result_.places = places();
    result_.instructions = activity();
    result_.time_ns = now() / kTicksPerNs;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    result_.host_seconds = passed.count();
    debug_->end(exit_status());
    if (session_) result_.host_seconds -= session_->paused_time().count();
    return result_;
  }
  const VirtualPlatformResult& result() const { return result_; }

 private:
  void reach_limit() { finish(End::kLimit); }
  void halt() {
    for (const auto& c : board_->cores) c->halt();
  }
  void end_run() {
    ended_ = true;
    if (session_) session_->end_run();
    sc_core::sc_pause();
  }
  /// Of the process that a debugger sees.
  unsigned exit_status() const {
    if (result_.end == End::kReset) return 0;
    return result_.end == End::kFinished ? std::min(result_.status, 255U) : 1;
  }
  void load(const VirtualPlatformOptions::File& file) {
    programs_.push_back(read_program(file.file, file.address));
    try {
      board_->load(programs_.back());
    } catch (const InputError& e) {
      throw InputError(file.file + ": " + e.what());
    }
  }
  /// "0x80000010 (main+0x8)".
  std::string place(std::uint64_t pc) const {
    for (const Program& p : programs_) {
      const std::string symbol = p.symbol_at(pc);
      if (!symbol.empty()) return hex(pc) + " (" + symbol + ")";
    }
    return hex(pc);
  }
  std::string lost(std::uint32_t hart) const {
    const IssFault& f = faults_[hart];
    std::string text =
        "core " + std::to_string(hart) + ": " + cause_text(f.cause) + " at " + place(f.pc);
    if (f.cause == kIllegalInstruction) {
      text += ", instruction " + hex(f.value);
    } else if (f.value != 0) {
      text += ", address " + hex(f.value);
    }
    return text + "; the trap vector leads to " + hex(board_->cores[hart]->iss().pc()) +
           ", where no code is";
  }

  static constexpr std::uint64_t kIllegalInstruction = 2;

  const VirtualPlatformOptions& options_;
  MakeIss* const make_;
  std::optional<Board> board_;
  std::optional<Terminal> terminal_;
  std::vector<Program> programs_;
  std::vector<IssFault> faults_;  ///< the last one of each core
  VirtualPlatformResult result_;
  bool ended_ = false;
  ProcessTimer limit_;
  ProcessTimer finished_;
  std::optional<MachineDebug> debug_;
  std::optional<VpSession> session_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace firmware

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
      : device_(device), loader_(kernels::ModuleLoader::make(device)) {
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
      if (device_.kernels_run()) return false;
      device_.run_kernels_untimed(!on);
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
    rule_.emplace("doorbell_rule", std::move(site));
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
    VirtualPlatformResult& result = machine.measure();
    result.end = VirtualPlatformResult::End::kStuck;
    std::string text = std::string(e.what()) + "\n" + machine.places();
    const std::string waiting = impl_->waiting();
    if (!waiting.empty()) text += "\n" + waiting;
    result.why = text;
    machine.serve_ended();
    result.why.clear();
    throw RunError(text);
  } catch (...) {
    machine.measure();
    throw;
  }
  machine.measure();
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

const VirtualPlatformResult& FirmwareWorkload::result() const { return impl_->machine().result(); }

}  // namespace tessera
