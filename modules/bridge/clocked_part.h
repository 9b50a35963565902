// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/time.h"

namespace tessera {

/// A part of an RTL block that acts on the model's pins at its clock edges: a transactor or a
/// checker. Pins are plain members of a struct, which RtlModel copies to and from the model.
///
/// RtlClock calls all parts in the steps of the edge at t:
///
/// 1. drive(t) sets the model's inputs for this edge: what has arrived by t.
/// 2. sample(t) reads all pins as they are at the edge: a channel whose VALID and READY are set
///    transfers. It must not change a pin.
/// 3. The clock rises and falls.
/// 4. collect(t) reads the model's outputs, which are those of the next edge. A part that sets an
///    output channel's READY takes the transfer of the next edge, and can forward it as a message
///    that arrives at that edge.
///
/// All outputs of the model must come from registers: they do not depend on inputs of the same
/// cycle. AMBA AXI4 (A3.2.1) demands the same.
class ClockedPart {
 public:
  virtual ~ClockedPart() = default;

  virtual void drive(Tick /*t*/) {}
  virtual void sample(Tick /*t*/) {}
  /// Called again at the same t if a TLM message that arrives at t ends a wait (RtlClock::wake()).
  virtual void collect(Tick /*t*/) {}
  /// Whether the part needs no clock: nothing waits for a pin, or for a message that has a known
  /// time. A part that waits only for TLM messages needs none.
  virtual bool quiet() const { return true; }
  /// The model's reset has begun (before drive() of the first edge in reset) or ended.
  virtual void on_reset(bool /*active*/) {}
};

}  // namespace tessera
