// SPDX-License-Identifier: Apache-2.0
#pragma once

// The PTX interpreter without any timing, against a scalar C++ loop over the same data.

namespace tessera::bench {

struct InterpreterSpeed {
  double warp_instructions_per_second = 0;
  /// CPU time of the interpreter over that of the loop.
  double times_scalar = 0;
};

/// Bound by computing: mm of the suite, 256 x 256 x 256.
InterpreterSpeed interpret_mm();
/// Bound by memory: saxpy of the suite, 4 Mi elements.
InterpreterSpeed interpret_saxpy();

}  // namespace tessera::bench
