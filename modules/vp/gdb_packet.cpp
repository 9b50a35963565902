// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/gdb_packet.h"

#include <array>

#include "common/hex_bytes.h"

namespace tessera::gdb {

namespace {

constexpr char kEscape = 0x7d;
constexpr char kEscapeMask = 0x20;
constexpr unsigned kRegisterBytes = 8;

}  // namespace

std::optional<std::uint64_t> number(std::string_view text) {
  if (text.empty() || text.size() > 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const auto d = hex_digit(c);
    if (!d) return std::nullopt;
    value = value << 4 | *d;
  }
  return value;
}

std::string number_text(std::uint64_t value) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[value & 15]);
    value >>= 4;
  } while (value != 0);
  return text;
}

std::string byte(unsigned value) {
  const auto one = static_cast<unsigned char>(value);
  return hex_bytes(&one, 1);
}

std::string text_in_hex(std::string_view text) { return hex_bytes(text.data(), text.size()); }

std::string register_text(std::uint64_t value) {
  std::array<unsigned char, kRegisterBytes> bytes{};
  for (unsigned char& b : bytes) {
    b = static_cast<unsigned char>(value & 0xff);
    value >>= 8;
  }
  return hex_bytes(bytes.data(), bytes.size());
}

std::optional<std::uint64_t> register_value(std::string_view text) {
  const auto bytes = bytes_of_hex(text);
  if (!bytes || bytes->size() != kRegisterBytes) return std::nullopt;
  std::uint64_t value = 0;
  for (unsigned i = kRegisterBytes; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>((*bytes)[i]);
  }
  return value;
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(by, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::optional<Range> range_of(const std::string& text) {
  const auto parts = split(text, ',');
  if (parts.size() != 2) return std::nullopt;
  const auto address = number(parts[0]);
  const auto bytes = number(parts[1]);
  if (!address || !bytes) return std::nullopt;
  return Range{*address, *bytes};
}

unsigned checksum(std::string_view packet) {
  unsigned sum = 0;
  for (const char c : packet) sum += static_cast<unsigned char>(c);
  return sum & 0xff;
}

std::string escaped(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    if (c == '#' || c == '$' || c == '*' || c == kEscape) {
      out += kEscape;
      out += static_cast<char>(c ^ kEscapeMask);
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<std::string> unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kEscape) {
      out += text[i];
    } else if (++i < text.size()) {
      out += static_cast<char>(text[i] ^ kEscapeMask);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace tessera::gdb
