// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "policies/policy_choice.h"

namespace tessera {

/// Inputs that compete for one output in one cycle.
struct ArbitrationRequests {
  /// Bit i: input i has a head that can be sent. Two bits or more are set.
  std::uint64_t inputs = 0;
  /// The input that this output served last; any number before the first grant.
  std::uint32_t last = 0;
  /// [input]: arrival time of its head at the block, in any unit; valid for inputs with a bit. Null
  /// unless Arbiter::compares_age().
  const std::uint64_t* arrived = nullptr;
};

/// Selects the input that an output serves: an output of a switch, of a ring's node, or the arrays
/// of an LLC slice.
///
/// Contract: an arbiter has no state of an output, so that one arbiter serves all outputs of its
/// block. It is not called if only one input competes. If there is no space downstream for the
/// selected head, the output waits and calls the arbiter again after a change. Results are equal on
/// every machine.
class Arbiter : public Policy {
 public:
  static constexpr const char* kFamily = "arbiter";
  struct Context {
    std::uint32_t inputs = 8;  ///< of an output, at most 64
  };
  static Context example_context() { return {}; }

  /// Returns one of `requests.inputs`.
  virtual std::uint32_t choose(const ArbitrationRequests& requests) const = 0;
  /// Whether choose() reads `arrived`. Called at elaboration.
  virtual bool compares_age() const { return false; }
};

}  // namespace tessera
