// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interface of the command (and of other front ends) to a platform: a resolved configuration,
// and a simulation that runs one workload on it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/json_fwd.h"
#include "modules/kernel/domain_windows.h"
#include "modules/kernel/parameters.h"
#include "modules/kernel/stats.h"
#include "platforms/gpu_config.h"
#include "platforms/signal_recording.h"
#include "platforms/timeline/timeline_options.h"
#include "platforms/traffic_options.h"
#include "stimuli/workload.h"

namespace tessera {

struct RunResult;

enum class ValueMode { kCarried, kFunctional };

struct PresetInfo {
  std::string name;
  std::string description;
  std::string file;
};

/// The presets of platforms/presets, sorted by name. Directory: TESSERA_PRESETS_DIR in the
/// environment, the source tree, or ${prefix}/share/tessera/presets.
std::vector<PresetInfo> platform_presets();
std::vector<std::string> preset_names();

/// A configuration with all defaults, presets and overrides applied and checked.
struct ResolvedConfig {
  std::string platform;  ///< the preset's name, or the JSON file's path
  GpuConfig gpu;
  /// Settings of single instances ("system.gpu0.llc3.sets").
  std::vector<ParameterSetting> overrides;
  /// What the user's files (not the presets, not --set) say otherwise than the presets do.
  std::vector<ParameterSetting> given;
  /// The settings of --set, in their order: whole paths, values in the parameters' units.
  std::vector<ParameterSetting> chosen;
  /// Where values of parameters come from, by path, as the platform's files say ("sources").
  std::map<std::string, std::string> sources;

  /// `chosen` as {path: value}.
  nlohmann::ordered_json settings() const;
  /// Nested JSON of all parameters, as `tessera config` prints it.
  nlohmann::ordered_json to_json() const;
  std::vector<ListedParameter> parameters() const;
};

/// `platform`: a preset's name or a JSON file (which can have "base": another). `sets`:
/// "path=value" overrides. Throws InputError with all errors.
ResolvedConfig resolve_config(const std::string& platform, const std::vector<std::string>& sets);

/// Progress of a run.
struct Progress {
  std::string phase;  ///< "kernel 2: mm"
  std::uint64_t ctas_done = 0;
  std::uint64_t ctas_total = 0;
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
};

/// Part of a workload that is simulated in detail, in thread instructions (docs/guide/windows.md).
/// The rest is executed without timing, so that the result can be verified.
struct WindowOptions {
  std::uint64_t skip = 0;    ///< before the window
  std::uint64_t detail = 0;  ///< in the window; 0: up to the workload's end
  /// Whether the workload goes on after the window. If not, its result is not verified.
  bool rest = true;
};

struct RunOptions {
  Scale scale = Scale::kSmall;
  std::uint64_t seed = 1;
  ValueMode values = ValueMode::kFunctional;
  /// Empty: the whole workload is simulated in detail.
  std::optional<WindowOptions> window = {};
  /// Checks the kernels for races (docs/guide/races.md) and lists them in stats.json ("races").
  bool check_races = false;
  /// Counts the accesses of instructions, allocations and pages ("profile" of stats.json,
  /// docs/guide/profile.md).
  bool profile = false;
  /// Called for each race, with its description. Can be empty.
  std::function<void(const std::string&)> on_race;
  /// Statistics over time ("series" of stats.json, platforms/series_recorder.h), in intervals of so
  /// many nanoseconds; 0: none.
  std::uint64_t series_interval_ns = 0;
  /// Command line and version of the run, for stats.json. `commit`: of the command's source.
  std::string commit = "unknown";
  std::vector<std::string> command_line;
  /// Called about ten times per second of host time. Can be empty.
  std::function<void(const Progress&)> on_progress;
  /// Polled at the same rate; true ends the run early and keeps the measurements. Can be empty.
  std::function<bool()> interrupted;
};

/// Version of stats.json: incremented if a key changes its meaning or is removed.
inline constexpr int kStatsSchema = 1;

/// Build options of a platform beside its configuration.
struct BuildOptions {
  /// Splices a base-protocol checker into every socket.
  bool check_protocol = false;
  /// For tests: SystemOptions::keep_replicas.
  bool keep_replicas = false;
  /// For tests: DomainRunner::run_in_reverse().
  bool reverse_processes = false;
  /// SystemOptions::domains.
  NodeLevel domains = NodeLevel::kSystem;
  /// SystemOptions::windows. Needs values in carried mode, because the flat memory of functional
  /// mode is shared without latency.
  std::optional<DomainWindows> windows = {};
  /// Of blocks that are RTL.
  SignalRecording recording = {};
  /// SystemOptions::timeline. Not with `windows`.
  std::optional<TimelineOptions> timeline = {};
  /// SystemOptions::traffic. Not with `windows`.
  std::vector<TrafficRecording> traffic = {};
};

/// Builds the platform (SystemC elaborates once: at most one Simulation per process) and runs
/// workloads on it.
class Simulation {
 public:
  explicit Simulation(const ResolvedConfig& config, const BuildOptions& build = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Runs the workload's host program and verifies it. Throws InputError for bad input. If the run
  /// fails, the result has the failure and the statistics up to it. Once per Simulation.
  RunResult run(Workload& workload, const RunOptions& options);

  const StatisticsRegistry& statistics() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
