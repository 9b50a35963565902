// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "policies/policy_choice.h"

namespace tessera {

/// Inputs that compete for one output in one cycle.
struct ArbitrationRequests {
  /// Bit i: input i has a head that can go. Two bits or more.
  std::uint64_t inputs = 0;
  /// The input that this output served last; any number before the first.
  std::uint32_t last = 0;
  /// [input]: when its head came to the block, in any unit, of inputs with a bit. Null unless
  /// Arbiter::compares_age().
  const std::uint64_t* arrived = nullptr;
};

/// Decides which input an output serves: of a switch, a ring's node, or the arrays of an LLC slice.
///
/// Contract: an arbiter has no state of an output; one serves all outputs of its block. It is not
/// asked where one input competes. If the head that it chooses finds no room downstream, the output
/// waits, and asks again when something has changed. Answers are the same on every machine.
class Arbiter : public Policy {
 public:
  static constexpr const char* kFamily = "arbiter";
  struct Context {
    std::uint32_t inputs = 8;  ///< of an output, at most 64
  };
  static Context example_context() { return {}; }

  /// One of `requests.inputs`.
  virtual std::uint32_t choose(const ArbitrationRequests& requests) const = 0;
  /// Whether choose() reads `arrived`. Asked at elaboration.
  virtual bool compares_age() const { return false; }
};

}  // namespace tessera
