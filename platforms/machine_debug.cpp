// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine_debug.h"

#include <utility>

#include "common/error.h"
#include "common/number.h"
#include "modules/kernel/sc_time.h"

namespace tessera {

MachineDebug::MachineDebug(const VirtualPlatformOptions& options, Board& board,
                           const std::vector<Program>& programs, DebuggerSite site, bool with_gpus)
    : options_(options), board_(board), programs_(programs), with_gpus_(with_gpus) {
  wake_.bind<&MachineDebug::process>(*this);
  if (!options.trace_file.empty()) begin_trace();
  if (!options.gdb_port) return;
  std::vector<RiscvCore*> cores;
  for (const auto& c : board.cores) cores.push_back(c.get());
  debugger_ = std::make_unique<Debugger>(std::move(cores), *options.gdb_port, std::move(site));
}

void MachineDebug::wait() {
  if (!debugger_) return;
  if (options_.on_gdb_port) options_.on_gdb_port(debugger_->port());
  debugger_->wait();
  if (with_gpus_) wake_.at(now());
}

void MachineDebug::poll() {
  if (debugger_) debugger_->poll();
}

/// A kernel of the GPUs takes long on the host, and the cores can wait meanwhile.
void MachineDebug::process() {
  constexpr Tick kInterval = 1000 * kTicksPerNs;
  constexpr std::chrono::milliseconds kHostInterval(20);
  const auto time = std::chrono::steady_clock::now();
  if (time - polled_ >= kHostInterval) {
    poll();
    polled_ = std::chrono::steady_clock::now();
  }
  wake_.at(now() + kInterval);
}

void MachineDebug::stop_stuck(const std::string& places) {
  if (debugger_) debugger_->stop_stuck(places);
}

void MachineDebug::end(unsigned status) {
  if (debugger_) debugger_->exit(status);
  if (!trace_) return;
  trace_file_.flush();
  if (!trace_file_) throw RunError(options_.trace_file + ": the trace cannot be written");
}

// The trace.

void MachineDebug::begin_trace() {
  trace_file_.open(options_.trace_file, std::ios::binary | std::ios::trunc);
  if (!trace_file_) throw InputError(options_.trace_file + ": cannot be written");
  InstructionTraceSite site;
  site.symbol = [this](std::uint64_t pc) { return symbol_of(pc); };
  site.device = [this](std::uint64_t physical) {
    const BoardRange* const range = board_.bus.find(physical);
    return range == nullptr || range->memory ? std::string() : range->name;
  };
  site.time_ns = [this](std::uint32_t hart, std::uint64_t instructions) {
    return board_.cores[hart]->time_at(instructions) / kTicksPerNs;
  };
  site.write = [this](const std::string& line) {
    trace_file_.write(line.data(), static_cast<std::streamsize>(line.size()));
  };
  const auto harts = static_cast<std::uint32_t>(board_.cores.size());
  trace_ = std::make_unique<InstructionTrace>(harts, std::move(site));
  const auto from = trace_start();
  if (!options_.trace_core) {
    for (std::uint32_t h = 0; h < harts; ++h) trace(h, from);
  } else if (*options_.trace_core < harts) {
    trace(*options_.trace_core, from);
  } else {
    throw InputError("there is no core " + std::to_string(*options_.trace_core) + " to trace");
  }
}

void MachineDebug::trace(std::uint32_t hart, std::optional<std::uint64_t> from) {
  Iss& iss = board_.cores[hart]->iss();
  if (iss.debug() == nullptr) throw InputError("the instruction-set simulator has no trace");
  iss.debug()->set_on_instruction(
      [this, hart](const IssInstruction& i) { trace_->instruction(hart, i); }, from);
  iss.debug()->set_on_trap(
      [this, hart, &iss](const IssFault& f) { trace_->trap(hart, f, iss.instructions()); });
}

/// A symbol's address, or the number.
std::optional<std::uint64_t> MachineDebug::trace_start() const {
  if (options_.trace_from.empty()) return std::nullopt;
  for (const Program& p : programs_) {
    for (const auto& [address, name] : p.symbols) {
      if (name == options_.trace_from) return address;
    }
  }
  if (const auto address = read_address(options_.trace_from)) return address;
  throw InputError("no program has a symbol '" + options_.trace_from + "' to begin the trace at");
}

std::optional<TraceSymbol> MachineDebug::symbol_of(std::uint64_t pc) const {
  for (const Program& p : programs_) {
    const auto after = p.symbols.upper_bound(pc);
    if (after == p.symbols.begin()) continue;
    const auto& [begin, name] = *std::prev(after);
    const std::uint64_t end = after == p.symbols.end() ? ~std::uint64_t{0} : after->first;
    return TraceSymbol{name, begin, end};
  }
  return std::nullopt;
}

}  // namespace tessera
