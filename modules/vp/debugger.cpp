// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/debugger.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "modules/vp/riscv_registers.h"

namespace tessera {

namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kIllegal = 2;  ///< mcause
constexpr std::uint64_t kBreakpoint = 3;
constexpr unsigned kMachine = 3;
constexpr unsigned kMppShift = 11;
constexpr unsigned kSppShift = 8;
constexpr unsigned kMstatus = RiscvRegister::kCsr0 + 0x300;

constexpr const char* kHelp =
    "monitor time   the simulated time\n"
    "monitor pc     where all cores are\n"
    "monitor help   this list\n";

IssWatch watch_of(GdbPoint point) {
  if (point == GdbPoint::kWriteWatchpoint) return IssWatch::kStores;
  return point == GdbPoint::kReadWatchpoint ? IssWatch::kLoads : IssWatch::kBoth;
}

GdbPoint point_of(IssWatch watch) {
  if (watch == IssWatch::kStores) return GdbPoint::kWriteWatchpoint;
  return watch == IssWatch::kLoads ? GdbPoint::kReadWatchpoint : GdbPoint::kAccessWatchpoint;
}

bool is_breakpoint(GdbPoint point) {
  return point == GdbPoint::kSoftwareBreakpoint || point == GdbPoint::kHardwareBreakpoint;
}

}  // namespace

Debugger::Debugger(std::vector<RiscvCore*> cores, std::uint16_t port, DebuggerSite site)
    : cores_(std::move(cores)),
      site_(std::move(site)),
      listener_(port),
      server_(*this, riscv_target_description()),
      held_(cores_.size()) {
  server_.cancelled = site_.cancelled;
  for (std::uint32_t h = 0; h < cores_.size(); ++h) {
    if (cores_[h]->iss().debug() == nullptr) {
      throw InputError("the instruction-set simulator cannot be debugged");
    }
    cores_[h]->execute = [this, h](std::uint64_t quantum) { return execute(h, quantum); };
  }
}

void Debugger::wait() {
  constexpr int kIntervalMs = 100;
  while (!site_.cancelled || !site_.cancelled()) {
    const int socket = listener_.accept(kIntervalMs);
    if (socket < 0) continue;
    server_.connect(socket);
    stop_first_ = true;
    return;
  }
}

// Execution.

IssStop Debugger::execute(std::uint32_t hart, std::uint64_t quantum) {
  hart_ = hart;
  if (std::exchange(stop_first_, false)) serve({hart + 1, GdbStop::kTrap, std::nullopt, 0});
  if (unpolled_ >= kPollInterval) poll();
  if (site_.ended()) return IssStop::kStopped;
  if (held_[hart]) return IssStop::kHeld;
  const std::uint64_t before = cores_[hart]->iss().instructions();
  const IssStop stop = run_to_end(hart, quantum);
  unpolled_ += cores_[hart]->iss().instructions() - before;
  if (stop == IssStop::kLost && server_.connected()) stop_lost(hart);
  return stop;
}

IssStop Debugger::run_to_end(std::uint32_t hart, std::uint64_t quantum) {
  Iss& iss = cores_[hart]->iss();
  const std::uint64_t before = iss.instructions();
  IssStop stop = iss.run(quantum);
  while (stop == IssStop::kBreak) {
    if (site_.ended()) return IssStop::kStopped;
    hart_ = hart;  // others may have executed in an access of this one
    serve(describe_break(hart));
    if (site_.ended()) return IssStop::kStopped;
    if (held_[hart]) return IssStop::kHeld;
    const std::uint64_t done = iss.instructions() - before;
    stop = debug(hart).resume(quantum - std::min(done, quantum));
  }
  return stop;
}

GdbStop Debugger::describe_break(std::uint32_t hart) const {
  const IssBreak b = debug(hart).last_break();
  GdbStop stop;
  stop.thread = hart + 1;
  stop.address = b.address;
  if (b.kind == IssBreak::Kind::kWatchpoint) {
    stop.point = point_of(b.watch);
  } else if (b.kind == IssBreak::Kind::kBreakpoint) {
    const bool hardware = std::any_of(points_.begin(), points_.end(), [&b](const Point& p) {
      return std::get<0>(p) == GdbPoint::kHardwareBreakpoint && std::get<1>(p) == b.address;
    });
    stop.point = hardware ? GdbPoint::kHardwareBreakpoint : GdbPoint::kSoftwareBreakpoint;
  }
  return stop;
}

/// Shows the core as it was when it took the exception for which there is no handler.
void Debugger::stop_lost(std::uint32_t hart) {
  const IssFault fault = site_.last_fault(hart);
  IssDebug& d = debug(hart);
  std::uint64_t handler = 0;
  std::uint64_t mode = 0;
  std::uint64_t status = 0;
  d.read_register(RiscvRegister::kPc, handler);
  d.read_register(RiscvRegister::kPrivilege, mode);
  d.read_register(kMstatus, status);
  d.write_register(RiscvRegister::kPrivilege,
                   mode == kMachine ? status >> kMppShift & 3 : status >> kSppShift & 1);
  d.write_register(RiscvRegister::kPc, fault.pc);
  GdbStop stop;
  stop.thread = hart + 1;
  stop.signal = GdbStop::kFault;
  if (fault.cause == kIllegal) stop.signal = GdbStop::kIllegal;
  if (fault.cause == kBreakpoint) stop.signal = GdbStop::kTrap;
  serve(stop);
  d.write_register(RiscvRegister::kPrivilege, mode);
  d.write_register(RiscvRegister::kPc, handler);
}

void Debugger::poll() {
  unpolled_ = 0;
  if (stop_first_ || site_.ended()) return;
  if (!server_.connected()) {
    const int socket = listener_.accept(0);
    if (socket < 0) return;
    server_.connect(socket);
  } else if (!server_.poll()) {
    if (!server_.connected()) clear_points();
    return;
  }
  serve({hart_ + 1, GdbStop::kInterrupt, std::nullopt, 0});
}

void Debugger::stop_stuck(const std::string& message) {
  if (!server_.connected()) return;
  server_.print(message + "\nNothing can raise an interrupt.\n");
  serve({hart_ + 1, GdbStop::kInterrupt, std::nullopt, 0});
}

void Debugger::serve(const GdbStop& stop) {
  for (std::uint32_t h = 0; h < cores_.size(); ++h) debug(h).step(false);
  const GdbResume resume = server_.serve(stop);
  if (resume.kind == GdbResume::Kind::kKill) return site_.kill();
  if (resume.kind == GdbResume::Kind::kDetach) return clear_points();
  for (std::uint32_t h = 0; h < cores_.size(); ++h) {
    held_[h] = resume.actions[h] == GdbAction::kStop;
    if (resume.actions[h] != GdbAction::kStep) continue;
    debug(h).step(true);
    cores_[h]->wake();
  }
}

void Debugger::clear_points() {
  held_.assign(cores_.size(), false);
  for (std::uint32_t h = 0; h < cores_.size(); ++h) debug(h).step(false);
  for (const Point& p : std::exchange(points_, {})) apply(p, false);
}

// DebugTarget.

std::string Debugger::describe_thread(unsigned thread) {
  const RiscvCore& core = *cores_[thread - 1];
  std::string text = "core " + std::to_string(thread - 1);
  if (core.idle()) return text + ", waits for an interrupt";
  std::uint64_t mode = 0;
  debug(thread - 1).read_register(RiscvRegister::kPrivilege, mode);
  return text + (mode == kMachine ? ", machine mode"
                 : mode == 0      ? ", user mode"
                                  : ", supervisor mode");
}

bool Debugger::read_register(unsigned thread, unsigned number, std::uint64_t& value) {
  return debug(thread - 1).read_register(number, value);
}

bool Debugger::write_register(unsigned thread, unsigned number, std::uint64_t value) {
  if (!debug(thread - 1).write_register(number, value)) return false;
  if (number == RiscvRegister::kPc) cores_[thread - 1]->wake();
  return true;
}

/// By pages, as the thread's translation has them, through debug transactions: an access without
/// time and without effects on devices.
std::size_t Debugger::access(unsigned thread, tlm::tlm_command command, std::uint64_t address,
                             unsigned char* data, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const std::uint64_t at = address + done;
    const auto physical = debug(thread - 1).translate(at);
    if (!physical) break;
    const std::size_t part = std::min<std::size_t>(bytes - done, kPageBytes - at % kPageBytes);
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(*physical);
    payload.set_data_ptr(data + done);
    payload.set_data_length(static_cast<unsigned>(part));
    payload.set_streaming_width(static_cast<unsigned>(part));
    const std::size_t accessed = cores_[thread - 1]->bus->transport_dbg(payload);
    done += std::min(accessed, part);
    if (accessed < part) break;
  }
  return done;
}

std::size_t Debugger::read_memory(unsigned thread, std::uint64_t address, unsigned char* data,
                                  std::size_t bytes) {
  return access(thread, tlm::TLM_READ_COMMAND, address, data, bytes);
}

bool Debugger::write_memory(unsigned thread, std::uint64_t address, const unsigned char* data,
                            std::size_t bytes) {
  // TLM's pointer is not const, also where the target only reads.
  auto* const from = const_cast<unsigned char*>(data);
  const std::size_t done = access(thread, tlm::TLM_WRITE_COMMAND, address, from, bytes);
  for (std::uint32_t h = 0; h < cores_.size(); ++h) debug(h).forget_code();
  return done == bytes;
}

void Debugger::apply(const Point& point, bool on) {
  const auto& [kind, address, bytes] = point;
  for (std::uint32_t h = 0; h < cores_.size(); ++h) {
    IssDebug& d = debug(h);
    if (is_breakpoint(kind)) {
      on ? d.add_breakpoint(address) : d.remove_breakpoint(address);
    } else {
      on ? d.add_watchpoint(address, bytes, watch_of(kind))
         : d.remove_watchpoint(address, bytes, watch_of(kind));
    }
  }
}

bool Debugger::set_point(GdbPoint kind, std::uint64_t address, std::uint64_t bytes) {
  const Point point(kind, address, is_breakpoint(kind) ? 0 : bytes);
  if (points_.insert(point).second) apply(point, true);
  return true;
}

bool Debugger::clear_point(GdbPoint kind, std::uint64_t address, std::uint64_t bytes) {
  const Point point(kind, address, is_breakpoint(kind) ? 0 : bytes);
  if (points_.erase(point) == 0) return true;
  const GdbPoint other = kind == GdbPoint::kSoftwareBreakpoint ? GdbPoint::kHardwareBreakpoint
                                                               : GdbPoint::kSoftwareBreakpoint;
  if (is_breakpoint(kind) && points_.count(Point(other, address, 0)) != 0) return true;
  apply(point, false);
  return true;
}

std::optional<std::string> Debugger::command(const std::string& text) {
  if (text == "time") {
    const RiscvCore& core = *cores_[hart_];
    const Tick t = std::max(now(), cores_[hart_]->time_at(cores_[hart_]->iss().instructions()));
    return std::string(core.name()) + ": " + std::to_string(t / kTicksPerNs) + " ns\n";
  }
  if (text == "pc") return site_.places() + "\n";
  if (text == "help") return kHelp;
  return "there is no command '" + text + "':\n" + kHelp;
}

}  // namespace tessera
