// SPDX-License-Identifier: Apache-2.0
#include "platforms/firmware_machine.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <memory>
#include <systemc>
#include <thread>
#include <utility>

#include "common/error.h"
#include "common/hex.h"

namespace tessera::firmware {

namespace {

constexpr std::uint64_t kIllegalInstruction = 2;

bool overlap(const Program::Segment& a, const Program::Segment& b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

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

// The terminal.

Terminal::Terminal(Board& board, const VirtualPlatformOptions& options)
    : board_(board), uart_(board.uart), options_(options), input_(options.poll_input != nullptr) {
  uart_.on_output = [this](char c) { sent(c); };
  wake_.bind<&Terminal::process>(*this);
  if (open()) wake_.at(now());
}

bool Terminal::cores_idle() const {
  return std::all_of(board_.cores.begin(), board_.cores.end(),
                     [](const auto& c) { return c->idle(); });
}

void Terminal::sent(char c) {
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

void Terminal::process() {
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

// The machine.

Machine::Machine(const VirtualPlatformOptions& options, std::vector<BoardDevice> devices,
                 const Board::Wires& wires, GpuDevice* gpus)
    : options_(options), make_(load_iss(options.iss)) {
  make_board(std::move(devices), wires);
  terminal_.emplace(*board_, options);
  for (const auto& file : options.programs) load(file);
  board_->set_entry(programs_.front().entry);
  finished_.bind<&Machine::end_run>(*this);
  limit_.bind<&Machine::reach_limit>(*this);
  if (options.limit_ns != 0) limit_.at(options.limit_ns * kTicksPerNs);
  watch_cores();
  debug_.emplace(options, *board_, programs_, debugger_site(), gpus != nullptr);
  if (options.session != nullptr) {
    session_.emplace(*options.session, VpSessionSite{*board_, programs_, options_, result_, gpus,
                                                     [this] { return ended_; },
                                                     [this] { return terminal_->script_runs(); },
                                                     [this] { terminal_->end_script(); }});
  }
}

void Machine::make_board(std::vector<BoardDevice> devices, const Board::Wires& wires) {
  BoardPlan plan;
  plan.harts = options_.harts;
  plan.ram_bytes = options_.ram_bytes;
  plan.devices = std::move(devices);
  RiscvCoreConfig core;
  core.clock_hz = options_.clock_hz;
  core.quantum = options_.quantum;
  board_.emplace(
      "board", plan, core,
      [this](std::uint32_t hart, IssBus& bus) { return std::unique_ptr<Iss>(make_(hart, &bus)); },
      wires);
  board_->finisher.on_end = [this](TestFinisher::End end, std::uint32_t status, Tick at) {
    result_.status = status;
    result_.end = end == TestFinisher::End::kReset ? End::kReset : End::kFinished;
    halt();
    finished_.at(at);
  };
}

void Machine::watch_cores() {
  faults_.resize(options_.harts);
  for (std::uint32_t h = 0; h < options_.harts; ++h) {
    RiscvCore& c = *board_->cores[h];
    c.on_fault = [this, h](const IssFault& f) { faults_[h] = f; };
    c.on_lost = [this, h] {
      result_.why = lost(h);
      finish(End::kLost);
    };
  }
}

DebuggerSite Machine::debugger_site() {
  DebuggerSite site;
  site.places = [this] { return places(); };
  site.last_fault = [this](std::uint32_t hart) { return faults_[hart]; };
  site.ended = [this] { return ended_; };
  site.kill = [this] {
    const bool by_user = options_.interrupted && options_.interrupted();
    finish(by_user ? End::kInterrupted : End::kKilled);
  };
  site.cancelled = options_.interrupted;
  return site;
}

bool Machine::serve() {
  if (session_) session_->serve();
  return session_ && session_->ends();
}

void Machine::serve_ended() {
  if (session_) session_->serve_ended();
}

std::uint64_t Machine::activity() const {
  std::uint64_t sum = 0;
  bool time_decides = board_->clint.timer_runs();
  for (const auto& c : board_->cores) {
    sum += c->stats().instructions;
    time_decides |= c->busy();
  }
  return time_decides ? sum + now() : sum;
}

void Machine::finish(End end) {
  result_.end = end;
  halt();
  end_run();
}

void Machine::violated(std::uint32_t hart, const std::string& what) {
  result_.violations.push_back("core " + std::to_string(hart) + " in " +
                               place(board_->cores[hart]->iss().pc()) + ": " + what);
}

std::string Machine::places() const {
  std::string text;
  for (std::uint32_t h = 0; h < options_.harts; ++h) {
    RiscvCore& c = *board_->cores[h];
    text += (h == 0 ? "" : "\n") + ("core " + std::to_string(h)) +
            (c.idle() ? " waits for an interrupt at " : " is at ") + place(c.iss().pc());
  }
  return text;
}

VirtualPlatformResult& Machine::measure() {
  result_.places = places();
  result_.instructions = 0;
  for (const auto& c : board_->cores) result_.instructions += c->stats().instructions;
  result_.time_ns = now() / kTicksPerNs;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  result_.host_seconds = passed.count();
  debug_->end(exit_status());
  if (session_) result_.host_seconds -= session_->paused_time().count();
  return result_;
}

void Machine::halt() {
  for (const auto& c : board_->cores) c->halt();
}

void Machine::end_run() {
  ended_ = true;
  if (session_) session_->end_run();
  sc_core::sc_pause();
}

unsigned Machine::exit_status() const {
  if (result_.end == End::kReset) return 0;
  return result_.end == End::kFinished ? std::min(result_.status, 255U) : 1;
}

void Machine::load(const VirtualPlatformOptions::File& file) {
  programs_.push_back(read_program(file.file, file.address));
  refuse_overlap(file.file, programs_.back());
  try {
    board_->load(programs_.back());
  } catch (const InputError& e) {
    throw InputError(file.file + ": " + e.what());
  }
}

void Machine::refuse_overlap(const std::string& file, const Program& program) const {
  for (std::size_t p = 0; p + 1 < programs_.size(); ++p) {
    for (const Program::Segment& before : programs_[p].segments) {
      for (const Program::Segment& s : program.segments) {
        if (!overlap(before, s)) continue;
        throw InputError(file + ": its " + std::to_string(s.bytes) + " bytes at " + hex(s.address) +
                         " overlap " + options_.programs[p].file);
      }
    }
  }
}

std::string Machine::place(std::uint64_t pc) const {
  const std::string symbol = symbol_in(programs_, pc);
  return symbol.empty() ? hex(pc) : hex(pc) + " (" + symbol + ")";
}

std::string Machine::lost(std::uint32_t hart) const {
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

}  // namespace tessera::firmware
