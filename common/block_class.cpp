// SPDX-License-Identifier: Apache-2.0
#include "common/block_class.h"

#include <cctype>
#include <cstddef>

namespace tessera {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// `inner`: digits before a letter are indices as well.
std::string with_stars(const std::string& name, bool inner) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    // A digit that belongs to a name ("l1") has no letter pair before it.
    const bool level = i >= 1 && name[i - 1] == 'l' && (i == 1 || !is_letter(name[i - 2]));
    const bool before_letter = i + 1 < name.size() && is_letter(name[i + 1]);
    if (!is_digit(name[i]) || level || (before_letter && !inner)) {
      out += name[i];
    } else if (out.empty() || out.back() != '*') {
      out += '*';
    }
  }
  return out;
}

}  // namespace

std::string block_class(const std::string& name) { return with_stars(name, true); }

std::string block_class_title(const std::string& name) { return with_stars(name, false); }

}  // namespace tessera
