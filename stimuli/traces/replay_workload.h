// SPDX-License-Identifier: Apache-2.0
#pragma once

// A captured run as a workload: its host program and its launches.

#include <memory>
#include <optional>
#include <string>

#include "stimuli/traces/capture_file.h"
#include "stimuli/workload.h"

namespace tessera::traces {

class ReplayWorkload final : public Workload {
 public:
  /// Reads the file's contents. Throws InputError.
  explicit ReplayWorkload(const std::string& path);
  ~ReplayWorkload() override;

  const WorkloadInfo& info() const override { return info_; }
  /// `scale` and `seed` have no effect.
  void run(Device& device, Scale scale, std::uint64_t seed) override;
  /// Repeats the host's reads. Empty: a captured run has no values.
  std::optional<Verification> verify(Device& device) override;

 private:
  class Player;

  const std::shared_ptr<const CaptureFile> file_;
  WorkloadInfo info_;
  std::shared_ptr<Player> player_;
};

}  // namespace tessera::traces
