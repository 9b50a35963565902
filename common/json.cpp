// SPDX-License-Identifier: Apache-2.0
#include "common/json.h"

template class nlohmann::basic_json<>;
template class nlohmann::basic_json<nlohmann::ordered_map>;
