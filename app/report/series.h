// SPDX-License-Identifier: Apache-2.0
#pragma once

// Statistics of a run over time: the section "series" of stats.json, which `tessera run --series`
// records, as columns of levels and classes of blocks (docs/guide/series.md).

#include <string>

#include "common/json_fwd.h"

namespace tessera::app {

/// {"begin_ns": [...], "end_ns": [...], "columns": [{"name", "unit", "description", "values":
/// [...]}]}, each list with one entry per interval. A value is null if the interval has no event of
/// the kind (a hit rate without lookups). `raw`: also one column for each recorded statistic,
/// "CLASS.STATISTIC". Throws InputError if the document has no series.
nlohmann::ordered_json series_document(const nlohmann::ordered_json& stats, bool raw);

/// The same as CSV: begin_ns, end_ns, then the columns; null is empty.
std::string series_csv(const nlohmann::ordered_json& document);

}  // namespace tessera::app
