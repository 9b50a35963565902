// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options of GPGPU-Sim and of Accel-Sim's trace-driven front end.

#include <string>
#include <vector>

namespace tessera::import {

enum class Treatment {
  kMapped,   ///< parameters are made of it (rules.h)
  kBuiltIn,  ///< one of its values is what Tessera does without a parameter
  kNone,     ///< nothing in Tessera depends on it
  kRefused,  ///< a file with it is refused
};

struct OptionRow {
  const char* name;
  Treatment treatment;
  /// kMapped: the value of a file without it, as GPGPU-Sim; empty: then Tessera's parameters keep
  /// their values. kBuiltIn: the value that Tessera corresponds to.
  const char* value;
  /// kMapped: why no parameter depends on it, of options that others can switch off. kBuiltIn: what
  /// Tessera does. kNone and kRefused: why.
  const char* text;
  /// Whether it means 1 if no value follows.
  bool flag = false;
};

/// Sorted by name.
const std::vector<OptionRow>& option_rows();
/// Null: GPGPU-Sim has no option of this name.
const OptionRow* find_option(const std::string& name);

}  // namespace tessera::import
