// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera {

/// `condition`, which seldom holds: what depends on it is laid out behind the code that runs. An
/// access runs through more code than a host's first-level instruction cache holds, and a line of
/// it that is half foreign to the access is half wasted. Changes no result.
inline bool unlikely(bool condition) {
  return __builtin_expect(static_cast<long>(condition), 0) != 0;
}

}  // namespace tessera
