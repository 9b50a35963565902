// SPDX-License-Identifier: Apache-2.0
#pragma once

// The names of nlohmann-json's types, for headers. Every source that includes the library itself
// (common/json.h) pays 1 to 2 s of compile time, even if it uses no document. A struct that holds a
// document as a value: common/kept_json.h.

#include <nlohmann/json_fwd.hpp>
