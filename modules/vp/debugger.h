// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "modules/vp/gdb_listener.h"
#include "modules/vp/gdb_server.h"
#include "modules/vp/iss.h"
#include "modules/vp/iss_debug.h"
#include "modules/vp/riscv_core.h"

namespace tessera {

/// What a Debugger uses of its machine.
struct DebuggerSite {
  /// Where the cores are, a line each.
  std::function<std::string()> places;
  /// The last exception of a core.
  std::function<IssFault(std::uint32_t hart)> last_fault;
  std::function<bool()> ended;      ///< the run has ended
  std::function<void()> kill;       ///< ends it
  std::function<bool()> cancelled;  ///< the user ends the command
};

/// Joins the cores of a machine to GDB: thread n + 1 is core n. Each core executes its quanta here
/// (RiscvCore::execute).
///
/// While the threads are stopped the calling process does not return, so that simulated time stands
/// still. A stop divides a core's quantum and does not end it: the software, and when it executes,
/// is the same as without a debugger. Exceptions: a core that the debugger holds while others run
/// executes nothing, a step defers interrupts, and a step over WFI does not wait.
class Debugger final : private DebugTarget {
 public:
  /// Port 0: the operating system chooses one. Throws InputError if the port is in use, or the
  /// cores' simulator has no IssDebug.
  Debugger(std::vector<RiscvCore*> cores, std::uint16_t port, DebuggerSite site);

  std::uint16_t port() const { return listener_.port(); }
  /// Waits until a debugger has connected. The first core then stops before its first instruction.
  void wait();
  /// Between the cores' quanta: looks for a break (^C) and for a debugger that connects.
  void poll();
  /// All cores wait and nothing can raise an interrupt: stops, with a message for the console.
  void stop_stuck(const std::string& message);
  /// The software has ended.
  void exit(unsigned status) { server_.exit(status); }

 private:
  using Point = std::tuple<GdbPoint, std::uint64_t, std::uint64_t>;

  /// Instructions of all cores between two looks for a break.
  static constexpr std::uint64_t kPollInterval = 100'000;

  IssStop execute(std::uint32_t hart, std::uint64_t quantum);
  IssStop run_to_end(std::uint32_t hart, std::uint64_t quantum);
  void stop_lost(std::uint32_t hart);
  void serve(const GdbStop& stop);
  void clear_points();
  GdbStop describe_break(std::uint32_t hart) const;
  IssDebug& debug(std::uint32_t hart) const { return *cores_[hart]->iss().debug(); }
  std::size_t access(unsigned thread, tlm::tlm_command command, std::uint64_t address,
                     unsigned char* data, std::size_t bytes);
  void apply(const Point& point, bool on);

  // DebugTarget.
  unsigned threads() const override { return static_cast<unsigned>(cores_.size()); }
  std::string describe_thread(unsigned thread) override;
  bool read_register(unsigned thread, unsigned number, std::uint64_t& value) override;
  bool write_register(unsigned thread, unsigned number, std::uint64_t value) override;
  std::size_t read_memory(unsigned thread, std::uint64_t address, unsigned char* data,
                          std::size_t bytes) override;
  bool write_memory(unsigned thread, std::uint64_t address, const unsigned char* data,
                    std::size_t bytes) override;
  bool set_point(GdbPoint kind, std::uint64_t address, std::uint64_t bytes) override;
  bool clear_point(GdbPoint kind, std::uint64_t address, std::uint64_t bytes) override;
  std::optional<std::string> command(const std::string& text) override;

  const std::vector<RiscvCore*> cores_;
  const DebuggerSite site_;
  GdbListener listener_;
  GdbServer server_;
  std::set<Point> points_;
  std::vector<bool> held_;
  std::uint32_t hart_ = 0;  ///< that executes
  std::uint64_t unpolled_ = 0;
  bool stop_first_ = false;
};

}  // namespace tessera
