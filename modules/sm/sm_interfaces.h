// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <systemc>

#include "common/ids.h"
#include "modules/core/flush.h"
#include "modules/core/time.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// An SM as the CTA dispatcher sees it.
class CtaSinkIf : public virtual sc_core::sc_interface {
 public:
  /// Starts a CTA at the SM's clock edge after `at` (at > now). The dispatcher has checked that
  /// there is room. The kernel outlives its CTAs.
  virtual void start_cta(KernelProgram& kernel, CtaId cta, Tick at) = 0;
  /// CTAs of that shape that an empty SM holds; 0 when one does not fit.
  virtual unsigned resident_ctas(const CtaResources& resources) const = 0;
};

/// An SM as whoever moves pages sees it.
class QuiesceIf : public virtual sc_core::sc_interface {
 public:
  /// From the next edge on, no access enters the memory system; `drained` is called (in the SM's
  /// process) when none is under way.
  virtual void quiesce(std::function<void()> drained) = 0;
  /// Forgets all translations; accesses go on from the next edge.
  virtual void resume() = 0;
};

/// The dispatcher as an SM sees it. What an SM says takes effect after the present time, so that
/// the order in which SMs run does not matter.
class DispatchEventsIf : public virtual sc_core::sc_interface {
 public:
  /// A CTA's warps have ended and its loads have returned: its resources are free.
  virtual void cta_finished(SmId sm) = 0;
  /// The SM has no CTA and no outstanding store.
  virtual void sm_drained(SmId sm) = 0;
  /// The kernel did on that SM what it must not (RunError). The run ends.
  virtual void kernel_failed(SmId sm, std::exception_ptr error) = 0;
};

}  // namespace tessera
