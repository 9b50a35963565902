// SPDX-License-Identifier: Apache-2.0
// "none": a page stays where it was placed.
#include "policies/page_migration.h"

namespace tessera::page_migration::none {

namespace {

std::unique_ptr<PageMigrationPolicy> make(const PolicyContext&) { return nullptr; }

const PolicyRegistration<PageMigrationPolicy> kRegistered("none", "pages stay where they are",
                                                          make);

}  // namespace

}  // namespace tessera::page_migration::none
