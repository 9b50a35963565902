// SPDX-License-Identifier: Apache-2.0
#pragma once

// The locality table of a kernel (LADM) as text and as JSON, for `tessera analyze`.

#include <string>

#include "common/json_fwd.h"
#include "stimuli/ptx/analysis/locality_table.h"

namespace tessera::app {

/// "a", or "a+8" for a pointer inside a parameter or variable.
std::string origin_label(const ptx::PointerOrigin& origin);

/// "locality of kernel mm" and the table. Empty if the kernel accesses no global memory.
std::string locality_text(const ptx::LocalityTable& table);

/// {"loops": [...], "structures": [...], "unknown": [...]}.
nlohmann::ordered_json locality_document(const ptx::LocalityTable& table);

}  // namespace tessera::app
