// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <systemc>

#include "common/ids.h"
#include "modules/kernel/time.h"
#include "modules/protocol/flush.h"
#include "modules/protocol/platform_interfaces.h"
#include "modules/sm/sm_resources.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// Receives a CTA that an SM has released; nullptr if the CTA had ended.
using CtaReleased = std::function<void(std::unique_ptr<CtaProgram> program)>;

/// Interface through which the CTA dispatcher controls an SM.
class CtaSinkIf : public virtual sc_core::sc_interface {
 public:
  /// Starts a CTA at the first clock edge of the SM at or after `at` (at > now). Precondition: the
  /// SM has resources for the CTA. The kernel must outlive its CTAs.
  virtual void start_cta(KernelProgram& kernel, LaunchedCta cta, Tick at) = 0;
  /// Takes over a CTA that another SM or the functional runner has released, at the first clock
  /// edge of the SM at or after `at` (at > now). Precondition: the CTA has not ended, and the SM
  /// has resources for it. The L1 is flushed, because it can hold lines that the CTA has written
  /// elsewhere.
  virtual void adopt_cta(KernelProgram& kernel, std::unique_ptr<CtaProgram> program,
                         LaunchedCta cta, Tick at) = 0;
  /// From the SM's next edge on, the warps of that CTA (which has started here) issue nothing. When
  /// they have no outstanding access, the SM frees the CTA's resources and calls `released` (in the
  /// SM's process); it does not call cta_finished.
  virtual void release_cta(LaunchedCta cta, CtaReleased released) = 0;
  /// What an empty SM has.
  virtual SmResources capacity() const = 0;
};

/// Interface through which an SM notifies the dispatcher. Calls take effect after the present time,
/// so that the order in which SMs run does not matter.
class DispatchEventsIf : public virtual sc_core::sc_interface {
 public:
  /// A CTA's warps have ended and its loads have returned: its resources are free.
  virtual void cta_finished(SmId sm, LaunchedCta cta) = 0;
  /// The SM has no CTA and no outstanding store of a launch.
  virtual void sm_drained(SmId sm, LaunchSlot launch) = 0;
  /// The kernel has performed an illegal operation on that SM (RunError). The run ends.
  virtual void kernel_failed(SmId sm, std::exception_ptr error) = 0;
};

}  // namespace tessera
