// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/l1_role.h"

#include "modules/sm/l1_cache.h"
#include "policies/registry.h"

namespace tessera {

std::unique_ptr<L1Cache> make_l1_cache(const char* name, const L1Config& config,
                                       const AddressMap& map, const L1RoleSite& site) {
  return make_policy<L1Cache>(site.role, {name, config, map, site});
}

}  // namespace tessera
