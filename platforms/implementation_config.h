// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "modules/kernel/parameters.h"

namespace tessera {

/// Which implementation stands in for each family of blocks (modules/plan/block_family.h).
struct ImplementationConfig {
  std::map<std::string, std::string> by_kind;  ///< a kind that is not here: "tlm"
};

void describe(ParameterVisitor& v, ImplementationConfig& c);

/// The implementation of one block: its own ("system.gpu0.llc3.impl"), or its kind's.
std::string implementation_of(const ImplementationConfig& config, const std::string& kind,
                              const std::vector<ParameterSetting>& overrides,
                              const std::string& path);

}  // namespace tessera
