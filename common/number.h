// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// A whole number of `unit`: decimal digits alone, or a quantity with a suffix (read_quantity(),
/// also for `why`). None for any other text, and beyond 64 bits.
std::optional<std::uint64_t> read_whole(std::string_view text, const std::string& unit,
                                        std::string& why);

/// An address: "0x80200000", or decimal digits.
std::optional<std::uint64_t> read_address(std::string_view text);

}  // namespace tessera
