// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/time.h"

namespace tessera {

/// A model with one clock, evaluated cycle by cycle: a Verilated design, or C++ that behaves like
/// one. Owns or references the structs of pins.
class RtlModel {
 public:
  virtual ~RtlModel() = default;

  /// Reset input, in the polarity "active". Takes effect at the next step().
  virtual void set_reset(bool active) = 0;
  /// One clock cycle with the present inputs: the clock rises and falls. Then copies all outputs to
  /// the pins. `t`: of the edge, for waveforms.
  virtual void step(Tick t) = 0;
  /// False if the model does not change its state or outputs without inputs: its clock can stop.
  /// After a reset, true until READY has its value.
  virtual bool busy() const = 0;
};

}  // namespace tessera
