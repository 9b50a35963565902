// SPDX-License-Identifier: Apache-2.0
#include "common/hex_bytes.h"

namespace tessera {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::string hex_bytes(const void* data, std::size_t bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  const auto* const from = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve(2 * bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    text += kDigits[from[i] >> 4];
    text += kDigits[from[i] & 15];
  }
  return text;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = hex_digit(text[i]);
    const auto low = hex_digit(text[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes += static_cast<char>(*high << 4 | *low);
  }
  return bytes;
}

}  // namespace tessera
