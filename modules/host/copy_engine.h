// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "modules/host/copy_engine_config.h"
#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"

namespace tessera {

/// The links of a CopyEngine.
struct CopyEngineSite {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t bytes_per_cycle = 16;
  std::uint64_t latency_ns = 140;
  std::uint32_t count = 1;  ///< links that carry equal parts of a copy
};

/// Copies between the host's memory and the memories of GPUs: the time of each, without messages
/// and without bytes. The host program waits for its copies, so that they never share a link with a
/// kernel.
///
/// Timing: copies run one at a time, in order. A copy takes `setup_ns`, then the latency of a link
/// and the longer of two times: that of its part on a link, in whole cycles, and that of all its
/// bytes at `memory_bytes_per_second`.
class CopyEngine final : public BlockBase<HostCopyConfig, CopyEngineStats, CopyEngineSite> {
 public:
  CopyEngine(const sc_core::sc_module_name& name, const HostCopyConfig& config,
             const CopyEngineSite& site);

  /// `done` is called in the engine's process when the copy has ended.
  void copy(std::uint64_t bytes, bool to_device, std::function<void()> done);
  /// Time of a copy of so many bytes.
  Tick duration(std::uint64_t bytes) const;

  bool idle() const override { return queue_.empty(); }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  struct Copy {
    std::uint64_t bytes = 0;
    bool to_device = false;
    std::function<void()> done;
  };
  void process();

  const CopyEngineSite site_;
  const ClockDomain clock_;
  std::deque<Copy> queue_;  ///< the first one runs
  ProcessTimer wake_;
};

}  // namespace tessera
