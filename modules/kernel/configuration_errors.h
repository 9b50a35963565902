// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Appends an error unless `value` is 1 to `most`.
void require_from_one(std::vector<std::string>& errors, const char* name, std::uint64_t value,
                      std::uint64_t most);

/// SC_FATAL "/tessera/core/configuration" that lists a block's errors, one in a line; nothing if
/// there is none.
void refuse_configuration(const std::string& block, const std::vector<std::string>& errors);

/// A configuration that a block can be built from: refuse_configuration() of its own errors.
template <class Config, class... Arguments>
const Config& sound(const std::string& block, const Config& config, Arguments... arguments) {
  refuse_configuration(block, config.validate(arguments...));
  return config;
}

}  // namespace tessera
