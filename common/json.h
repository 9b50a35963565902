// SPDX-License-Identifier: Apache-2.0
#pragma once

// nlohmann-json, whose two document types are compiled once (json.cpp) and not in every source that
// names them: a tenth of the build.

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
