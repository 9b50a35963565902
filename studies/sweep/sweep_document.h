// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/json_fwd.h"
#include "studies/sweep/sweep_runs.h"

namespace tessera::studies {

/// sweep.json, as docs/guide/sweep.md describes it. Equal results give an equal document.
nlohmann::ordered_json sweep_document(const Sweep& sweep, const SweepResult& result);

}  // namespace tessera::studies
