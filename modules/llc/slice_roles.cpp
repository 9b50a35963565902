// SPDX-License-Identifier: Apache-2.0
#include "modules/core/named_factories.h"
#include "modules/llc/llc_slice.h"

namespace tessera {

namespace {

NamedFactories<SliceRoleFactory>& roles() {
  static NamedFactories<SliceRoleFactory> all("slice role");
  return all;
}

}  // namespace

bool register_slice_role(const std::string& name, SliceRoleFactory factory) {
  return roles().add(name, factory);
}

std::vector<std::string> slice_role_names() { return roles().names(); }

std::unique_ptr<LlcSlice> make_llc_slice(const char* name, const LlcSliceConfig& config,
                                         const AddressMap& map, TransactionPool& pool,
                                         const SliceSite& site) {
  return roles().get(site.role)(name, config, map, pool, site);
}

}  // namespace tessera
