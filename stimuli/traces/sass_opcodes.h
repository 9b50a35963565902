// SPDX-License-Identifier: Apache-2.0
#pragma once

// SASS opcodes as an SM of the model sees them. docs/guide/traces.md has the table.

#include <string_view>

#include "stimuli/traces/trace_instruction.h"

namespace tessera::traces {

struct SassOpcode {
  /// Action, unit, cost, access, space, scope, read_only, asynchronous and lane_bytes. `opcode` is
  /// not set.
  TraceOperation operation;
  bool known = true;      ///< in the table; otherwise it counts as an ALU operation
  bool generic = false;   ///< the first address decides on the space
  bool bulk = false;      ///< TMA: the record has the fields of a bulk copy
  bool has_flag = false;  ///< a warpgroup MMA: a commit-group flag precedes the width
};

/// `opcode`: with its modifiers ("LDG.E.64.SYS").
SassOpcode classify_sass(std::string_view opcode);

/// Bytes per lane by the first modifier that is a number of bits, or U and such a number; 4 if
/// there is none. Numbers of bits are 8, 16, 32, 64, 128 and 256.
unsigned sass_lane_bytes(std::string_view opcode);

}  // namespace tessera::traces
