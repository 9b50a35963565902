// SPDX-License-Identifier: Apache-2.0
#pragma once

// nlohmann-json. Its two document types are instantiated once (json.cpp) instead of in every source
// that uses them, which saves a tenth of the build time.

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
