// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "policies/page_placement.h"

namespace tessera {

std::unique_ptr<PagePlacement> make_first_touch_placement();
std::unique_ptr<PagePlacement> make_round_robin_placement();

}  // namespace tessera
