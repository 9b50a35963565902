// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <systemc>

#include "common/ids.h"
#include "modules/core/flush.h"
#include "modules/core/time.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// Takes a CTA that an SM has released; nullptr: the CTA had ended.
using CtaReleased = std::function<void(std::unique_ptr<CtaProgram> program)>;

/// An SM as the CTA dispatcher sees it.
class CtaSinkIf : public virtual sc_core::sc_interface {
 public:
  /// Starts a CTA at the SM's clock edge after `at` (at > now). The dispatcher has checked that
  /// there is room. The kernel outlives its CTAs.
  virtual void start_cta(KernelProgram& kernel, CtaId cta, Tick at) = 0;
  /// Takes over a CTA that another SM or the functional runner has released, at the SM's clock edge
  /// after `at` (> now). It has not ended; the SM has room for it. The L1 is flushed, because it
  /// may hold lines that the CTA has written elsewhere.
  virtual void adopt_cta(std::unique_ptr<CtaProgram> program, CtaId cta, Tick at) = 0;
  /// From the SM's next edge on, the warps of that CTA (which has started here) issue nothing. When
  /// no access of theirs is outstanding, the SM frees the CTA's resources and calls `released` (in
  /// the SM's process); it does not call cta_finished.
  virtual void release_cta(CtaId cta, CtaReleased released) = 0;
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
