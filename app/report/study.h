// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/json_fwd.h"

namespace tessera::app {

/// A study.json document as text: measured and published values by figure, then the claims with
/// their verdicts.
std::string study_text(const nlohmann::ordered_json& document);

/// The claims as a Markdown table, with the command in the heading (without its options, which are
/// in the document).
std::string study_markdown(const nlohmann::ordered_json& document, const std::string& command);

}  // namespace tessera::app
