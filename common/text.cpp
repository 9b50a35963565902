// SPDX-License-Identifier: Apache-2.0
#include "common/text.h"

#include <algorithm>
#include <cctype>

namespace tessera {

std::string joined(const std::vector<std::string>& names, std::string_view separator) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out += separator;
    out += name;
  }
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string plural(const std::string& unit) {
  const bool word = unit.size() > 2 && std::all_of(unit.begin(), unit.end(),
                                                   [](char c) { return c >= 'a' && c <= 'z'; });
  if (!word) return unit;
  if (ends_with(unit, "ry")) return unit.substr(0, unit.size() - 1) + "ies";
  return unit + (unit.back() == 's' ? "es" : "s");
}

}  // namespace tessera
