// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words of a line, and numbers in them.

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "stimuli/traces/record_decoder.h"

namespace tessera::traces {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// At most 40 characters of a text, for a message.
inline std::string clipped(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out(text.substr(0, kMost));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
  }
  return text.size() > kMost ? out + "..." : out;
}

inline std::string quoted(std::string_view text) { return "'" + clipped(text) + "'"; }

[[noreturn]] inline void fail_expected(std::string_view what, std::string_view found) {
  throw FormatError("expected " + std::string(what) + ", found " +
                    (found.empty() ? "the end of the line" : quoted(found)));
}

/// The whole text as a number of base 10 or 16 ("0x" is optional); false if it is none.
template <class T>
bool read_number(std::string_view text, int base, T& out) {
  if (base == 16 && text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.remove_prefix(2);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

/// Reads the words of a line one after the other.
class Tokens {
 public:
  explicit Tokens(std::string_view line) : left_(line) {}

  /// The next word; empty at the end.
  std::string_view next() {
    while (!left_.empty() && is_blank(left_.front())) left_.remove_prefix(1);
    std::size_t end = 0;
    while (end < left_.size() && !is_blank(left_[end])) ++end;
    const std::string_view word = left_.substr(0, end);
    left_.remove_prefix(end);
    return word;
  }
  /// The next word as a number. Throws FormatError that names `what`.
  template <class T>
  T number(std::string_view what, int base = 10) {
    const std::string_view word = next();
    T value = 0;
    if (!read_number(word, base, value)) fail_expected(what, word);
    return value;
  }

 private:
  std::string_view left_;
};

}  // namespace tessera::traces
