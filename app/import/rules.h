// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters of Tessera that are made of GPGPU-Sim's options.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/import/option_values.h"

namespace tessera::import {

using ParameterValue = std::variant<bool, std::uint64_t, std::string>;

/// A parameter's value, or the reason why these options do not determine one.
class Outcome {
 public:
  // Implicit, so that a rule returns what it computes.
  Outcome(bool value) : value_(value) {}
  Outcome(std::uint64_t value) : value_(value) {}
  Outcome(const char* text) : value_(std::string(text)) {}
  static Outcome none(std::string why) {
    Outcome o;
    o.why_ = std::move(why);
    return o;
  }

  /// The same for a parameter that has no effect beside the others.
  static Outcome without_effect(std::string why) {
    Outcome o = none(std::move(why));
    o.has_effect_ = false;
    return o;
  }

  const std::optional<ParameterValue>& value() const { return value_; }
  const std::string& why() const { return why_; }
  bool has_effect() const { return has_effect_; }

 private:
  Outcome() = default;
  std::optional<ParameterValue> value_;
  std::string why_;
  bool has_effect_ = true;
};

/// One parameter of a preset.
struct Rule {
  const char* parameter;
  /// The options that `value` can read; a rule without options is a choice of the importer.
  std::vector<const char*> options;
  Outcome (*value)(const OptionValues&);
  /// Of a choice: its reason.
  const char* why = "";
};

/// In the order of a preset.
const std::vector<Rule>& rules();

/// What a rule does not carry over of an option.
struct Part {
  std::string name;  ///< "set index H"
  std::string why;
};
/// What an option's value became because Tessera's ranges or blocks have no such value.
using Adjustment = std::string;

struct Remarks {
  std::vector<Part> parts;
  std::vector<Adjustment> adjustments;
};

/// Remarks on one option, if it is given.
struct RemarkRule {
  const char* option;
  void (*add)(const OptionValues&, Remarks&);
};

const std::vector<RemarkRule>& remark_rules();

}  // namespace tessera::import
