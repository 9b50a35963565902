// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "common/json_fwd.h"
#include "studies/results.h"
#include "studies/study.h"

namespace tessera::studies {

/// Null for an empty value.
nlohmann::ordered_json number_or_null(const std::optional<double>& value);

/// A figure's chart and data, measured and published, as in study.json. A correlation chart has no
/// data of its own.
nlohmann::ordered_json figure_entry(const Study& study, const Figure& figure,
                                    const Results& results);

}  // namespace tessera::studies
