// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/json.h"

namespace tessera::app {

/// The page of text that `tessera run` prints: what ran, whether it is right, how fast it was,
/// and where the bandwidth went. `verification`: one line about the comparison with the reference.
std::string run_summary(const nlohmann::ordered_json& stats, const std::string& verification,
                        bool utf8);

}  // namespace tessera::app
