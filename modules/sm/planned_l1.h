// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Details of a planned L1.
struct PlannedL1 {
  std::string role = "local";        ///< L1RoleSite::role
  std::uint32_t transfer_bytes = 4;  ///< L1RoleSite::transfer_bytes
};

}  // namespace tessera
