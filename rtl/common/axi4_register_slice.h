// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "rtl/common/design.h"

namespace tessera {

/// Queues of two transfers on all five channels of AXI4, between the pins of an interface above and
/// those of one below. What transfers on one side at an edge is VALID on the other side after it;
/// each channel can transfer at each edge.
class Axi4Queues {
 public:
  /// The edge: takes the transfers on both sides, and sets the outputs of both.
  void step(Axi4Pins& above, Axi4Pins& below);
  void reset(Axi4Pins& above, Axi4Pins& below);
  /// Whether a transfer is in a queue, or READY does not have its value yet.
  bool busy() const;

 private:
  template <class Pins>
  struct Queue {
    std::array<Pins, 2> entries;
    unsigned count = 0;
    void step(Pins& from, Pins& to);
  };

  Queue<Axi4AddressPins> aw_;
  Queue<Axi4WritePins> w_;
  Queue<Axi4ResponsePins> b_;
  Queue<Axi4AddressPins> ar_;
  Queue<Axi4ReadPins> r_;
  bool in_reset_ = true;
};

/// A register slice of AXI4 in C++.
class Axi4RegisterSlice final : public Design {
 public:
  explicit Axi4RegisterSlice(const Axi4Shape& shape) {
    below = Port::kAxi4;
    above_shape = below_shape = shape;
    knows_busy = true;
  }

  void set_reset(bool active) override { in_reset_ = active; }
  void step(Tick) override {
    if (in_reset_) {
      queues_.reset(axi4_above, axi4_below);
    } else {
      queues_.step(axi4_above, axi4_below);
    }
  }
  bool busy() const override { return queues_.busy(); }

 private:
  Axi4Queues queues_;
  bool in_reset_ = false;
};

}  // namespace tessera
