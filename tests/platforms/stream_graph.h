// SPDX-License-Identifier: Apache-2.0
#pragma once

// Host programs whose launches are in streams, and runs of them in child processes.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/json.h"
#include "platforms/simulation.h"
#include "stimuli/ptx/module.h"
#include "stimuli/workload.h"

namespace tessera::test {

/// Columns of bytes in one array: element i of column c is byte i * kColumns + c, so that each line
/// has bytes of all columns. Launches of random streams make a column from another one; each waits
/// for the launches whose values it needs or overwrites, so that the result is the one of running
/// them in order.
class StreamGraph final : public Workload {
 public:
  static constexpr std::uint32_t kColumns = 16;
  static constexpr std::uint32_t kThreads = 128;  ///< of a CTA
  struct Shape {
    std::uint32_t rows = 1000;
    std::uint32_t launches = 24;
    std::uint32_t streams = 4;     ///< beside the default stream
    std::uint32_t most_work = 60;  ///< passes of a launch's loop
  };

  explicit StreamGraph(const Shape& shape);
  StreamGraph() : StreamGraph(Shape{}) {}

  const WorkloadInfo& info() const override { return info_; }
  void run(Device& device, Scale scale, std::uint64_t seed) override;
  std::optional<Verification> verify(Device& device) override;

 private:
  struct Column {
    std::vector<std::uint8_t> values;
    LaunchId writer = 0;
    std::vector<LaunchId> readers;  ///< since then
  };

  const Shape shape_;
  const ptx::Module module_;
  WorkloadInfo info_;
  Address array_ = 0;
  std::vector<Column> columns_;
};

/// A workload that is a function.
class HostProgram final : public Workload {
 public:
  using Run = std::function<void(Device&)>;
  using Check = std::function<std::uint64_t(Device&)>;  ///< returns the number of wrong elements

  HostProgram(Run run, Check check) : run_(std::move(run)), check_(std::move(check)) {}
  const WorkloadInfo& info() const override { return info_; }
  void run(Device& device, Scale, std::uint64_t) override { run_(device); }
  std::optional<Verification> verify(Device& device) override;

 private:
  const Run run_;
  const Check check_;
  WorkloadInfo info_{"host-program", "", "", true};
};

/// How a workload runs in a child process.
struct ChildRun {
  std::string platform;
  std::vector<std::string> sets = {};
  BuildOptions build = {};
  ValueMode values = ValueMode::kCarried;
  std::uint64_t seed = 1;
  std::optional<WindowOptions> window = {};
};

/// stats.json without `host`, from a child process (SystemC elaborates once). An InputError gives
/// {"input_error": text}.
nlohmann::ordered_json run_child(const ChildRun& how,
                                 const std::function<std::unique_ptr<Workload>()>& make);

/// CHECKs that the run is verified.
void check_verified(const nlohmann::ordered_json& stats);

}  // namespace tessera::test
