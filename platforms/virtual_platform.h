// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/json_fwd.h"
#include "modules/kernel/parameters.h"
#include "modules/vp/board_registers.h"
#include "stimuli/workload.h"

namespace tessera {

class SessionChannel;
struct VirtualPlatformResult;

/// A step of a script at the UART: when software has sent `expect` (since the step before), the
/// line delivers `send`.
struct UartStep {
  std::string expect;
  std::string send;
};

struct VirtualPlatformOptions {
  struct File {
    std::string file;
    std::uint64_t address = 0x80000000;  ///< of an image that is no ELF file
  };
  /// The first one is entered.
  std::vector<File> programs;
  std::uint32_t harts = 1;
  std::uint64_t ram_bytes = std::uint64_t{128} << 20;
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t quantum = 1000;  ///< RiscvCoreConfig
  std::vector<UartStep> script;
  /// Simulated time after which the run ends; 0: no limit.
  std::uint64_t limit_ns = 0;
  /// PTX files whose kernels software can launch.
  std::vector<std::string> kernels;
  /// Kernels are executed without time until software writes DETAIL (GpuServices).
  bool fast = false;
  /// GpuMemoryPortConfig.
  std::uint64_t link_latency_ns = 450;
  std::uint64_t link_bytes_per_second = 31'500'000'000;

  /// The instruction-set simulator: a shared object with "tessera_make_iss".
  std::string iss;
  /// Called for each character that software sends.
  std::function<void(char)> on_output;
  /// Appends the characters for the UART that have come since the last call; false at their end.
  /// Can be empty.
  std::function<bool(std::string&)> poll_input;
  /// Waits until there is input, at most so long: called while all cores are idle and simulated
  /// time is ahead of the host's. Empty: the run sleeps so long.
  std::function<void(std::chrono::nanoseconds most)> wait_for_input;
  /// True ends the run, also one that is paused. Can be empty.
  std::function<bool()> interrupted;

  /// The TCP port at which the run waits for a debugger; 0: any. None: no debugger.
  std::optional<std::uint16_t> gdb_port;
  /// Called with the port. Can be empty.
  std::function<void(std::uint16_t)> on_gdb_port;
  /// Instruction trace; empty: none.
  std::string trace_file;
  std::optional<std::uint32_t> trace_core;  ///< none: all cores
  std::string trace_from;                   ///< symbol or address; empty: the first instruction
  /// Requests of clients that inspect and steer the run; null: none. With clients, the machine
  /// stays there after the run's end, until interrupted(). It must be true after
  /// SessionChannel::quits().
  SessionChannel* session = nullptr;
  bool session_paused = false;  ///< with `session`: the run begins paused
  /// Of the GPUs' platform, for clients.
  std::vector<ListedParameter> platform_parameters;
  /// Called when the run has ended and stays there for clients. Can be empty.
  std::function<void(const VirtualPlatformResult&)> on_session_stays;
};

struct VirtualPlatformResult {
  enum class End : std::uint8_t {
    kFinished,  ///< by the test finisher
    kReset,     ///< the same, which asks for a reset
    kLimit,     ///< limit_ns
    kInterrupted,
    kStuck,   ///< all cores wait for an interrupt, and nothing can raise one
    kLost,    ///< an exception without a handler
    kKilled,  ///< by the debugger
  };
  End end = End::kInterrupted;
  std::uint32_t status = 0;  ///< of the test finisher
  std::string why;           ///< kStuck, kLost: cores with pc, symbol and cause
  std::string places;        ///< where the cores are at the end
  /// Violations of rules of drivers: the rule, the core, its pc and symbol.
  std::vector<std::string> violations;
  std::uint64_t instructions = 0;
  std::uint64_t time_ns = 0;
  double host_seconds = 0;
};

/// "finished", for people.
const char* text_of(VirtualPlatformResult::End end);

/// Runs programs on the cores and devices of modules/vp/board.h, without GPUs. Throws InputError
/// for files and options, RunError if the simulator fails. One a process.
VirtualPlatformResult run_virtual_platform(const VirtualPlatformOptions& options);

/// The same as the host program of a platform's GPUs: a workload for Simulation::run(). It is
/// verified if the software has ended with status 0.
///
/// On the bus beside Board's devices: the command processor of the GPUs
/// (docs/blocks/command-processor.md), GpuServices, FaultQueue, and device memory by virtual
/// address (GpuMemoryPort). Their statistics and those of cores and devices are in the result.
class FirmwareWorkload final : public Workload {
 public:
  static constexpr std::uint64_t kCommandAddress = board_map::kCommandProcessorAddress;
  static constexpr std::uint32_t kCommandInterrupt = board_map::kCommandProcessorInterrupt;
  static constexpr std::uint64_t kServicesAddress = board_map::kGpuServicesAddress;
  static constexpr std::uint64_t kFaultsAddress = board_map::kFaultQueueAddress;
  static constexpr std::uint32_t kFaultsInterrupt = board_map::kFaultQueueInterrupt;

  /// `options` must outlive the workload.
  explicit FirmwareWorkload(const VirtualPlatformOptions& options);
  ~FirmwareWorkload() override;

  const WorkloadInfo& info() const override { return info_; }
  void run(Device& device, Scale scale, std::uint64_t seed) override;
  std::optional<Verification> verify(Device& device) override;
  const VirtualPlatformResult& result() const;
  /// What cores and GPUs did over simulated time, for "timeline" of stats.json; null for a run that
  /// has failed before its begin.
  nlohmann::ordered_json timeline() const;

 private:
  class Impl;
  const VirtualPlatformOptions& options_;
  WorkloadInfo info_;
  std::unique_ptr<Impl> impl_;
  const VirtualPlatformResult none_;  ///< of a run that has failed before its begin
};

}  // namespace tessera
