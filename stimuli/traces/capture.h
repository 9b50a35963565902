// SPDX-License-Identifier: Apache-2.0
#pragma once

// Captures a run: a workload between the platform and another workload, which records the host
// program's operations and each instruction that an SM issues (docs/guide/captured-traces.md). It
// changes nothing of what the platform sees, so that the run takes the same cycles.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "stimuli/traces/capture_writer.h"
#include "stimuli/traces/captured_run.h"
#include "stimuli/workload.h"

namespace tessera::traces {

/// What is recorded so far. Not for several threads.
class CaptureSession {
 public:
  /// `header`: the first fields of CapturedRun. Throws InputError if the file cannot be made.
  CaptureSession(const std::string& path, CapturedRun header)
      : run_(std::move(header)), writer_(path, run_), host_(&run_.host) {}

  CapturedRun& run() { return run_; }
  CaptureWriter& writer() { return writer_; }
  /// Adds an operation of the host program.
  void add(HostOperation operation) { host_->push_back(std::move(operation)); }
  /// Where add() adds to from now on; returns what it was. Not null.
  std::vector<HostOperation>* record_to(std::vector<HostOperation>* operations) {
    return std::exchange(host_, operations);
  }
  /// The index of an operation with these contents.
  std::uint32_t intern(const CapturedOperation& operation);

 private:
  CapturedRun run_;
  CaptureWriter writer_;
  std::vector<HostOperation>* host_;
  std::unordered_map<std::string, std::uint32_t> operations_;
};

class CapturedWorkload final : public Workload {
 public:
  /// `inner` must outlive it.
  CapturedWorkload(Workload& inner, const std::string& path, CapturedRun header);
  ~CapturedWorkload() override;

  const WorkloadInfo& info() const override { return inner_.info(); }
  void run(Device& device, Scale scale, std::uint64_t seed) override;
  std::optional<Verification> verify(Device& device) override;
  const std::vector<OutputFile>& output_files() const override { return inner_.output_files(); }
  std::vector<WorkloadFigure> figures(const std::vector<LaunchTime>* launches) const override {
    return inner_.figures(launches);
  }
  /// After a complete run: completes the file, which does not exist otherwise. Throws RunError.
  void finish() { session_.writer().finish(session_.run()); }

 private:
  Workload& inner_;
  CaptureSession session_;
  std::unique_ptr<Device> device_;  ///< between the platform's and `inner_`
};

/// `source`, whose program of the launch `launch` of the session's run is recorded.
std::shared_ptr<KernelSource> captured(CaptureSession& session, std::uint64_t launch,
                                       std::shared_ptr<KernelSource> source);

}  // namespace tessera::traces
