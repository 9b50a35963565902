// SPDX-License-Identifier: Apache-2.0
#include "policies/remote_caching.h"
#include "policies/remote_caching/parameters.h"

namespace tessera::remote_caching::home {

namespace {

class HomeOnly final : public RemoteCaching {
 public:
  explicit HomeOnly(bool at_home) : at_home_(at_home) {}
  Caching decide(const RemoteAccess&) const override { return {false, at_home_}; }
  bool copies() const override { return false; }

 private:
  const bool at_home_;
};

std::unique_ptr<RemoteCaching> make(const PolicyContext&, const HomeParameters& p) {
  return std::make_unique<HomeOnly>(p.install_remote_misses);
}

const PolicyRegistration<RemoteCaching> kRegistered(
    "home", "nothing is cached away from its home (no replication)", make);

}  // namespace

}  // namespace tessera::remote_caching::home
