// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/json_fwd.h"

namespace tessera::app {

/// [{"module", "name", "unit", "description", "kind"}] of the statistics of a stats.json document,
/// from its dictionary: what the simulation gives of a run (PointOutcome::catalogue), for a
/// document from the database of results.
nlohmann::ordered_json catalogue_from(const nlohmann::ordered_json& stats);

}  // namespace tessera::app
