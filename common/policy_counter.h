// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// A counter of a policy. It is reported among the statistics of the block that uses the policy.
struct PolicyCounter {
  std::string name;  ///< unique in that block
  std::string unit;
  std::string description;
  const std::uint64_t* value = nullptr;  ///< lives as long as the policy
};

}  // namespace tessera
