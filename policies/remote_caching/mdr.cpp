// SPDX-License-Identifier: Apache-2.0
#include "policies/remote_caching.h"
#include "policies/remote_caching/parameters.h"

namespace tessera::remote_caching::mdr {

namespace {

std::unique_ptr<RemoteCaching> make(const PolicyContext&, const HomeParameters& p) {
  return std::make_unique<ReplicationSwitch>(p.install_remote_misses);
}

const PolicyRegistration<RemoteCaching> kRegistered(
    "mdr", "full-replication while the MDR engine says so (NUBA section 5.1)", make);

}  // namespace

}  // namespace tessera::remote_caching::mdr
