// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/json_fwd.h"

namespace tessera::app {

/// The summary that `tessera run` prints: run, verification, speed and use of bandwidth.
/// `verification`: one line with the result of the comparison with the CPU reference.
std::string run_summary(const nlohmann::ordered_json& stats, const std::string& verification,
                        bool utf8);

}  // namespace tessera::app
