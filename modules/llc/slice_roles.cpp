// SPDX-License-Identifier: Apache-2.0
#include "common/error.h"
#include "modules/llc/llc_slice.h"
#include "policies/registry.h"

namespace tessera {

namespace {

PolicyRegistry<SliceRoleFactory>& registry() {
  static PolicyRegistry<SliceRoleFactory> all("slice role", {});
  return all;
}

}  // namespace

bool register_slice_role(const std::string& name, SliceRoleFactory factory) {
  registry().add(name, factory);
  return true;
}

std::vector<std::string> slice_role_names() { return registry().names(); }

std::unique_ptr<LlcSlice> make_llc_slice(const char* name, const LlcSliceConfig& config,
                                         const AddressMap& map, TransactionPool& pool,
                                         const SliceSite& site) {
  return registry().get(site.role)(name, config, map, pool, site);
}

}  // namespace tessera
