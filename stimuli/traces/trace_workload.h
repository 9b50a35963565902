// SPDX-License-Identifier: Apache-2.0
#pragma once

// A trace as a workload: copies to the device and launches, in the list's order.

#include <memory>
#include <optional>
#include <string>

#include "stimuli/traces/kernel_list.h"
#include "stimuli/workload.h"

namespace tessera::traces {

class TraceWorkload final : public Workload {
 public:
  /// Reads the list and the kernels' headers. Throws InputError.
  explicit TraceWorkload(const std::string& name);

  const WorkloadInfo& info() const override { return info_; }
  /// Spools all kernels, allocates the ranges that they touch, then copies and launches. Reports
  /// what is not modelled on standard error, once. `scale` and `seed` have no effect.
  void run(Device& device, Scale scale, std::uint64_t seed) override;
  /// Empty: a trace has no values.
  std::optional<Verification> verify(Device& device) override;

 private:
  KernelList list_;
  WorkloadInfo info_;
};

}  // namespace tessera::traces
