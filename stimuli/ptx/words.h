// SPDX-License-Identifier: Apache-2.0
#pragma once

// Questions about the words of an instruction.

#include <algorithm>
#include <initializer_list>
#include <string>

#include "common/text.h"
#include "stimuli/ptx/syntax.h"

namespace tessera::ptx {

inline bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}

inline bool has_modifier(const Instruction& i, const char* word) {
  return std::find(i.modifiers.begin(), i.modifiers.end(), word) != i.modifiers.end();
}

/// Whether the instruction has a modifier of another space than global memory.
inline bool is_elsewhere(const Instruction& i) {
  return std::any_of(i.modifiers.begin(), i.modifiers.end(), [](const std::string& m) {
    return is_one_of(m, {"local", "const"}) || begins_with(m, "shared") || begins_with(m, "param");
  });
}

}  // namespace tessera::ptx
