// SPDX-License-Identifier: Apache-2.0
#include "common/number.h"

#include <charconv>
#include <system_error>

#include "common/quantity.h"
#include "common/text.h"

namespace tessera {

namespace {

std::optional<std::uint64_t> digits(std::string_view text, int base) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || after != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint64_t> read_whole(std::string_view text, const std::string& unit,
                                        std::string& why) {
  if (const auto number = digits(text, 10)) return number;
  const std::optional<Quantity> quantity = read_quantity(text, unit, why);
  return quantity ? quantity->whole() : std::nullopt;
}

std::optional<std::uint64_t> read_address(std::string_view text) {
  const bool hexadecimal = begins_with(text, "0x") || begins_with(text, "0X");
  return hexadecimal ? digits(text.substr(2), 16) : digits(text, 10);
}

}  // namespace tessera
