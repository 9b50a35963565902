// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "modules/vp/board.h"
#include "modules/vp/elf_file.h"
#include "modules/vp/iss.h"
#include "platforms/host_pace.h"
#include "platforms/machine_debug.h"
#include "platforms/virtual_platform.h"
#include "platforms/vp_session.h"

namespace tessera {

class GpuDevice;

namespace firmware {

/// The UART's far end. While it is open (for input, or a session's clients), idle cores do not run
/// ahead of the host's time.
class Terminal {
 public:
  Terminal(Board& board, const VirtualPlatformOptions& options);

  bool open() const { return input_ || options_.session != nullptr; }
  bool script_runs() const { return step_ < options_.script.size(); }
  void end_script() { step_ = options_.script.size(); }
  bool cores_idle() const;

 private:
  static constexpr Tick kInterval = 100'000 * kTicksPerNs;

  void sent(char c);
  void process();

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
          const Board::Wires& wires, GpuDevice* gpus);

  Board& board() { return *board_; }
  bool ended() const { return ended_; }
  MachineDebug& debug() { return *debug_; }
  /// Between SystemC's steps: answers a session's requests, and waits while the run is paused.
  /// Whether the run is to end.
  bool serve();
  /// After the end: until the session ends, too.
  void serve_ended();
  /// Software waits for a person.
  bool waits_for_input() const { return terminal_->open() && terminal_->cores_idle(); }
  /// Changes whenever a core does something, and with time while a core's time or a timer runs.
  std::uint64_t activity() const;
  void finish(End end);
  /// Notes a violation by a core.
  void violated(std::uint32_t hart, const std::string& what);
  /// Where the cores are, a line each.
  std::string places() const;
  VirtualPlatformResult& measure();
  const VirtualPlatformResult& result() const { return result_; }

 private:
  void make_board(std::vector<BoardDevice> devices, const Board::Wires& wires);
  void watch_cores();
  DebuggerSite debugger_site();
  void reach_limit() { finish(End::kLimit); }
  void halt();
  void end_run();
  /// Of the process that a debugger sees.
  unsigned exit_status() const;
  void load(const VirtualPlatformOptions::File& file);
  /// Throws InputError if it overlaps a program that is loaded.
  void refuse_overlap(const std::string& file, const Program& program) const;
  /// "0x80000010 (main+0x8)".
  std::string place(std::uint64_t pc) const;
  std::string lost(std::uint32_t hart) const;

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

}  // namespace tessera
