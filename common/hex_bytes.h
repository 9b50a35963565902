// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// The value of a hexadecimal digit, of either case.
std::optional<unsigned> hex_digit(char c);

/// Two lower-case digits a byte, in the order of the bytes.
std::string hex_bytes(const void* data, std::size_t bytes);

/// The bytes of such a text; none if it has another character, or an odd number of them.
std::optional<std::string> bytes_of_hex(std::string_view text);

}  // namespace tessera
