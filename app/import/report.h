// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/import/import.h"
#include "common/json_fwd.h"

namespace tessera::import {

/// What became of each option, one a line.
std::string report_text(const Import& imported);
/// The same with the preset, as one document.
nlohmann::ordered_json report_document(const Import& imported);

}  // namespace tessera::import
