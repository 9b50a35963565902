// SPDX-License-Identifier: Apache-2.0
#include "policies/page_migration.h"

#include "policies/page_migration/built_in.h"
#include "policies/registry.h"

namespace tessera {

namespace {

using Factory = std::unique_ptr<PageMigrationPolicy> (*)(const PageMigrationOptions&);

PolicyRegistry<Factory>& registry() {
  static PolicyRegistry<Factory> all(
      "page moves",
      {{"access-counter", make_access_counter_moves},
       {"first-touch-migration", make_first_touch_moves},
       {"griffin", make_griffin_moves},
       {"none", [](const PageMigrationOptions&) { return std::unique_ptr<PageMigrationPolicy>(); }},
       {"replication", make_replication_moves}});
  return all;
}

}  // namespace

std::unique_ptr<PageMigrationPolicy> make_page_migration(const std::string& name,
                                                         const PageMigrationOptions& options) {
  return registry().get(name)(options);
}

std::vector<std::string> page_migration_names() { return registry().names(); }

}  // namespace tessera
