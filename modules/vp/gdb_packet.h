// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Texts in packets of GDB's remote serial protocol (GDB manual, appendix E).
namespace tessera::gdb {

struct Range {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// A whole text of hexadecimal digits, 16 at most.
std::optional<std::uint64_t> number(std::string_view text);
/// Without leading zeros.
std::string number_text(std::uint64_t value);
/// Two digits.
std::string byte(unsigned value);
/// The characters of a text, two digits each.
std::string text_in_hex(std::string_view text);
/// Eight bytes, the lowest one first.
std::string register_text(std::uint64_t value);
std::optional<std::uint64_t> register_value(std::string_view text);
/// "ADDRESS,BYTES".
std::optional<Range> range_of(const std::string& text);
/// The parts between separators, also empty ones.
std::vector<std::string> split(const std::string& text, char by);
/// Of the characters between '$' and '#'.
unsigned checksum(std::string_view packet);
/// Binary data in a packet. None: it ends within an escape.
std::string escaped(const std::string& bytes);
std::optional<std::string> unescaped(const std::string& text);

}  // namespace tessera::gdb
