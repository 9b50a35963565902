// SPDX-License-Identifier: Apache-2.0
#include "common/hex.h"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace tessera {

std::string hex(std::uint64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%" PRIx64, value);
  return text.data();
}

}  // namespace tessera
