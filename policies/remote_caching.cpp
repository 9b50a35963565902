// SPDX-License-Identifier: Apache-2.0
#include "policies/remote_caching.h"

namespace tessera {

namespace {

class HomeOnly final : public RemoteCaching {
 public:
  Caching decide(const RemoteAccess&) const override { return {}; }
  bool copies() const override { return false; }
};

class FullReplication final : public RemoteCaching {
 public:
  Caching decide(const RemoteAccess& access) const override { return {access.is_replicable()}; }
};

template <class Policy>
std::unique_ptr<RemoteCaching> make(const PolicyContext&) {
  return std::make_unique<Policy>();
}

const PolicyRegistration<RemoteCaching> kFullReplication(
    "full-replication",
    "read-only lines of the own GPU are cached at their requesters, too (NUBA section 5.2)",
    make<FullReplication>);
const PolicyRegistration<RemoteCaching> kHome(
    "home", "nothing is cached away from its home (no replication)", make<HomeOnly>);
const PolicyRegistration<RemoteCaching> kMdr(
    "mdr", "full-replication while the MDR engine says so (NUBA section 5.1)",
    make<ReplicationSwitch>);

}  // namespace

}  // namespace tessera
