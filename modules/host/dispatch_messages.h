// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages between the CtaDispatcher and its part in each GPU (GpuDispatcher).

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include "common/ids.h"
#include "modules/host/flush_stages.h"
#include "modules/host/partial_kernel.h"
#include "modules/kernel/time.h"
#include "modules/sm/sm_resources.h"
#include "policies/cta_scheduler.h"

namespace tessera {

/// A command of the CtaDispatcher to a GPU's part.
struct DispatchOrder {
  enum class Kind : std::uint8_t {
    kBegin,  ///< deal the kernel's CTAs
    kStop,   ///< deal no more, and release the CTAs that run
    kFlush,  ///< run a flush stage
    kAbort,  ///< a kernel has failed: deal no more
  };
  Kind kind = Kind::kBegin;
  LaunchSlot launch;  ///< kBegin; kFlush: for which write-backs are counted

  // kBegin.
  KernelProgram* kernel = nullptr;
  SmResources each;                          ///< of a CTA
  std::int32_t priority = 0;                 ///< lower numbers first
  std::uint32_t part = 0;                    ///< of the SMs, which the kernel uses
  std::shared_ptr<CtaScheduler> scheduler;   ///< begun; this GPU's own
  std::shared_ptr<SkippedCtas> skipped;      ///< null if there are none
  std::function<void(bool alone)> on_begin;  ///< called in the GPU's domain. Can be empty

  // kFlush.
  FlushMode mode = FlushMode::kAlone;
  std::size_t stage = 0;
};

/// A message of a GPU's part to the CtaDispatcher.
struct DispatchReport {
  enum class Kind : std::uint8_t {
    kEnded,    ///< the GPU's CTAs have ended or left, and their stores are performed
    kFlushed,  ///< the flush stage has ended
    kFailed,   ///< an SM has reported a failure
  };
  Kind kind = Kind::kEnded;

  // kEnded.
  LaunchSlot launch;
  GpuId gpu;
  std::uint64_t started = 0;          ///< CTAs of the GPU
  std::uint64_t started_numbers = 0;  ///< sum of their numbers
  Tick first_cta_at = kNever;         ///< when the first one began; kNever: none

  Tick wrote_back_until = 0;  ///< kFlushed: StageFlush::wrote_back_until()

  // kFailed.
  std::exception_ptr error;
  Tick failed_at = kNever;
  SmId failed_sm;
};

}  // namespace tessera
