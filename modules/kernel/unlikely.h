// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera {

/// Marks a condition that seldom holds, so that the compiler places the dependent code out of line.
/// An access executes more code than the host's first-level instruction cache holds; out-of-line
/// code does not take part of its lines. Changes no result.
inline bool unlikely(bool condition) {
  return __builtin_expect(static_cast<long>(condition), 0) != 0;
}

}  // namespace tessera
