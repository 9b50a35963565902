// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/ids.h"
#include "modules/host/dispatch_messages.h"
#include "modules/kernel/time.h"
#include "policies/sm_parts.h"

namespace tessera {

/// A kernel on the SMs of a GPU.
struct GpuKernel {
  /// `order`: kBegin. `sms`: of the GPU.
  GpuKernel(const DispatchOrder& order, const SmParts& parts, SmId first, std::size_t sms)
      : launch(order.launch),
        program(order.kernel),
        scheduler(order.scheduler),
        each(order.each),
        priority(order.priority),
        part(order.part),
        on_sm(sms),
        parts_(parts),
        first_(first.value / (parts.size() * parts.count()) * parts.size()) {}

  struct OnSm {
    std::vector<CtaId> running;
    bool drained = true;
  };

  bool uses(std::uint32_t sm) const { return parts_.part_of(sm) == part; }
  /// The SM's number for the CTA scheduler, which knows the SMs of the kernel's part only.
  SmId number_of(std::uint32_t sm) const { return SmId(first_ + parts_.number_of(sm)); }
  bool has_more(std::uint32_t sm) const { return scheduler->has_more(number_of(sm)); }
  /// Whether the GPU's CTAs have ended or left, and their stores are performed.
  bool ended() const;

  const LaunchSlot launch;
  KernelProgram* const program;
  const std::shared_ptr<CtaScheduler> scheduler;
  const SmResources each;
  const std::int32_t priority;
  const std::uint32_t part;
  std::vector<OnSm> on_sm;  ///< by SM of the GPU
  bool stopped = false;     ///< deals no more
  std::uint64_t started = 0;
  std::uint64_t started_numbers = 0;
  Tick first_cta_at = kNever;

 private:
  const SmParts& parts_;
  const std::uint32_t first_;  ///< number of the GPU's first SM
};

}  // namespace tessera
