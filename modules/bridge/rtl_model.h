// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "modules/kernel/time.h"

namespace tessera {

/// A model with one clock, evaluated cycle by cycle: a Verilated design, or C++ that behaves like
/// one. Owns or references the structs of pins.
class RtlModel {
 public:
  virtual ~RtlModel() = default;

  /// Reset input, in the polarity "active". Takes effect at the next step().
  virtual void set_reset(bool active) = 0;
  /// One clock cycle with the present inputs, up to the rising edge. Then copies all outputs to the
  /// pins. `t`: of the edge, for waveforms.
  virtual void step(Tick t) = 0;
  /// False if the model does not change its state or outputs without inputs: its clock can stop.
  /// After a reset, true until READY has its value.
  virtual bool busy() const = 0;

  /// The signals of the cycles from now on go to an FST file, until end_waves(). `half_period`: of
  /// the clock. False: the model has no waveforms.
  virtual bool begin_waves(const std::string& /*file*/, Tick /*half_period*/) { return false; }
  virtual void end_waves() {}
  /// Writes the coverage of all cycles in Verilator's format. False: the model counts none.
  virtual bool write_coverage(const std::string& /*file*/) { return false; }
};

}  // namespace tessera
