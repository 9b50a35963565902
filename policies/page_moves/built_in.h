// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "policies/page_moves.h"

namespace tessera {

std::unique_ptr<PageMovePolicy> make_access_counter_moves(const PageMoveOptions& options);
std::unique_ptr<PageMovePolicy> make_first_touch_moves(const PageMoveOptions& options);
std::unique_ptr<PageMovePolicy> make_griffin_moves(const PageMoveOptions& options);
std::unique_ptr<PageMovePolicy> make_replication_moves(const PageMoveOptions& options);

}  // namespace tessera
