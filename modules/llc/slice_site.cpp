// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/slice_site.h"

#include "modules/llc/llc_slice.h"
#include "policies/registry.h"

namespace tessera {

std::unique_ptr<LlcSlice> make_llc_slice(const char* name, const LlcSliceConfig& config,
                                         const AddressMap& map, TransactionPool& pool,
                                         const SliceSite& site) {
  return make_policy<LlcSlice>(site.role, {name, config, map, pool, site});
}

void check_slice_role(const std::string& role) {
  static_cast<void>(PolicyRegistry<LlcSlice>::instance().get(role));
}

}  // namespace tessera
