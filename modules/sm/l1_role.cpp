// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/l1_role.h"

#include "modules/core/named_factories.h"
#include "modules/sm/l1_cache.h"

namespace tessera {

namespace {

NamedFactories<L1RoleFactory>& roles() {
  static NamedFactories<L1RoleFactory> all("L1 role");
  return all;
}

}  // namespace

bool register_l1_role(const std::string& name, L1RoleFactory factory) {
  return roles().add(name, factory);
}

std::vector<std::string> l1_role_names() { return roles().names(); }

std::unique_ptr<L1Cache> make_l1_cache(const sc_core::sc_module_name& name, const L1Config& config,
                                       const AddressMap& map, const L1RoleSite& site) {
  return roles().get(site.role)(name, config, map, site);
}

}  // namespace tessera
