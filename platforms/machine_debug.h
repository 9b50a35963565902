// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/vp/board.h"
#include "modules/vp/debugger.h"
#include "modules/vp/elf_file.h"
#include "modules/vp/instruction_trace.h"
#include "platforms/virtual_platform.h"

namespace tessera {

/// The debugger and the instruction trace of a virtual platform, as far as its options request
/// them.
class MachineDebug {
 public:
  /// `with_gpus`: nobody calls poll(). All arguments must outlive the object. Throws InputError.
  MachineDebug(const VirtualPlatformOptions& options, Board& board,
               const std::vector<Program>& programs, DebuggerSite site, bool with_gpus);

  /// Before the first instruction.
  void wait();
  void poll();
  /// All cores wait, and nothing can raise an interrupt.
  void stop_stuck(const std::string& places);
  /// After the run. Throws RunError if the trace could not be written.
  void end(unsigned status);

 private:
  void begin_trace();
  void trace(std::uint32_t hart, std::optional<std::uint64_t> from);
  std::optional<std::uint64_t> trace_start() const;
  std::optional<TraceSymbol> symbol_of(std::uint64_t pc) const;
  void process();

  const VirtualPlatformOptions& options_;
  Board& board_;
  const std::vector<Program>& programs_;
  std::ofstream trace_file_;
  std::unique_ptr<InstructionTrace> trace_;
  std::unique_ptr<Debugger> debugger_;
  const bool with_gpus_;
  std::chrono::steady_clock::time_point polled_;
  ProcessTimer wake_;
};

}  // namespace tessera
