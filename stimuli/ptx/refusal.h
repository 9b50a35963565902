// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "common/error.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// Error for an unsupported instruction. what(): "FILE:LINE: 'TEXT' is not supported: WHY".
class Refusal : public InputError {
 public:
  /// `where`: "FILE:LINE".
  Refusal(const std::string& where, unsigned line, std::string text, std::string why)
      : InputError(where + ": '" + text + "' is not supported: " + why),
        line_(line & ((1u << kFileShift) - 1)),
        text_(std::move(text)),
        why_(std::move(why)) {}

  /// Line number in its file.
  unsigned line() const { return line_; }
  /// Text of the instruction.
  const std::string& text() const { return text_; }
  const std::string& why() const { return why_; }

 private:
  unsigned line_;
  std::string text_;
  std::string why_;
};

}  // namespace tessera::ptx
