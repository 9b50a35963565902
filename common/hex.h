// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// "0x1f", for messages.
std::string hex(std::uint64_t value);

}  // namespace tessera
