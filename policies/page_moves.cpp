// SPDX-License-Identifier: Apache-2.0
#include "policies/page_moves.h"

#include "policies/page_moves/built_in.h"
#include "policies/registry.h"

namespace tessera {

namespace {

using Factory = std::unique_ptr<PageMovePolicy> (*)(const PageMoveOptions&);

PolicyRegistry<Factory>& registry() {
  static PolicyRegistry<Factory> all(
      "page moves",
      {{"access-counter", make_access_counter_moves},
       {"first-touch-migration", make_first_touch_moves},
       {"griffin", make_griffin_moves},
       {"none", [](const PageMoveOptions&) { return std::unique_ptr<PageMovePolicy>(); }},
       {"replication", make_replication_moves}});
  return all;
}

}  // namespace

std::unique_ptr<PageMovePolicy> make_page_moves(const std::string& name,
                                                const PageMoveOptions& options) {
  return registry().get(name)(options);
}

std::vector<std::string> page_moves_names() { return registry().names(); }

}  // namespace tessera
