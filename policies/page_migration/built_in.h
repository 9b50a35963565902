// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "policies/page_migration.h"

namespace tessera {

std::unique_ptr<PageMigrationPolicy> make_access_counter_moves(const PageMigrationOptions& options);
std::unique_ptr<PageMigrationPolicy> make_first_touch_moves(const PageMigrationOptions& options);
std::unique_ptr<PageMigrationPolicy> make_griffin_moves(const PageMigrationOptions& options);
std::unique_ptr<PageMigrationPolicy> make_replication_moves(const PageMigrationOptions& options);

}  // namespace tessera
