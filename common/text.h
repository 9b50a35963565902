// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words and beginnings of text.

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

inline bool begins_with(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// "a, b, c".
std::string joined(const std::vector<std::string>& names, std::string_view separator = ", ");

/// The text with the letters A to Z in lower case.
std::string lower_case(std::string_view text);

/// "way" and "entry" become "ways" and "entries"; symbols ("Hz", "ns", "mm2", "fJ/bit") stay.
std::string plural(const std::string& unit);

}  // namespace tessera
