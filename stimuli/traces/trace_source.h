// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "stimuli/kernel_source.h"
#include "stimuli/traces/trace_program.h"
#include "stimuli/workload.h"

namespace tessera::traces {

/// Device memory for local memory, which the launches of a device share.
class LocalMemories {
 public:
  explicit LocalMemories(Device& device) : device_(device) {}
  /// Memory for warps with this much of a thread, on all slots of the device.
  LocalSlots of(std::uint64_t thread_bytes, const DeviceSlots& slots);

 private:
  Device& device_;
  std::map<std::uint64_t, LocalSlots> all_;  ///< by bytes of a warp
};

/// One kernel of a trace, for launches. It has no parameters.
class TraceSource final : public KernelSource {
 public:
  TraceSource(std::shared_ptr<const KernelSpool> spool, std::shared_ptr<const AddressMap> map,
              std::shared_ptr<LocalMemories> locals)
      : spool_(std::move(spool)), map_(std::move(map)), locals_(std::move(locals)) {}

  const KernelFacts& facts(const std::string& /*kernel*/) override { return facts_; }
  std::unique_ptr<KernelProgram> make(const LaunchRequest& request,
                                      const LaunchEnvironment& environment) override;

 private:
  const std::shared_ptr<const KernelSpool> spool_;
  const std::shared_ptr<const AddressMap> map_;
  const std::shared_ptr<LocalMemories> locals_;
  KernelFacts facts_;
};

}  // namespace tessera::traces
