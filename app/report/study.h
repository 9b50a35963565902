// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/json.h"

namespace tessera::app {

/// A study.json document for a terminal: figure by figure, measured beside published, then the
/// claims with their verdicts.
std::string study_text(const nlohmann::ordered_json& document);

/// The claims as a Markdown table, headed by the command that made it (without its options, which
/// the document knows).
std::string study_markdown(const nlohmann::ordered_json& document, const std::string& command);

}  // namespace tessera::app
