// SPDX-License-Identifier: Apache-2.0
#include "policies/remote_caching.h"
#include "policies/remote_caching/parameters.h"

namespace tessera::remote_caching::full_replication {

namespace {

class FullReplication final : public RemoteCaching {
 public:
  explicit FullReplication(bool at_home) : at_home_(at_home) {}
  Caching decide(const RemoteAccess& access) const override {
    return {access.is_replicable(), at_home_};
  }

 private:
  const bool at_home_;
};

std::unique_ptr<RemoteCaching> make(const PolicyContext&, const HomeParameters& p) {
  return std::make_unique<FullReplication>(p.install_remote_misses);
}

const PolicyRegistration<RemoteCaching> kRegistered(
    "full-replication",
    "read-only lines of the own GPU are cached at their requesters, too (NUBA section 5.2)", make);

}  // namespace

}  // namespace tessera::remote_caching::full_replication
