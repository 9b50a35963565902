// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera {

/// The pages of an allocation.
struct AllocationPages {
  std::uint64_t first = 0;  ///< virtual page number
  std::uint64_t count = 1;
};

}  // namespace tessera
