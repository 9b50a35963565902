// SPDX-License-Identifier: Apache-2.0
#pragma once

// The PTX interpreter without timing, compared with a scalar C++ loop over the same data.

namespace tessera::bench {

struct InterpreterSpeed {
  double warp_instructions_per_second = 0;
  /// CPU time of the interpreter divided by that of the loop.
  double times_scalar = 0;
};

/// Compute-bound: mm of the suite, 256 x 256 x 256.
InterpreterSpeed interpret_mm();
/// Memory-bound: saxpy of the suite, 4 Mi elements.
InterpreterSpeed interpret_saxpy();

}  // namespace tessera::bench
