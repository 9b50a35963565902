// SPDX-License-Identifier: Apache-2.0
#include "policies/remote_caching.h"

#include "policies/registry.h"

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
std::unique_ptr<RemoteCaching> make() {
  return std::make_unique<Policy>();
}

using Factory = std::unique_ptr<RemoteCaching> (*)();

PolicyRegistry<Factory>& registry() {
  static PolicyRegistry<Factory> all("remote caching", {{"full-replication", make<FullReplication>},
                                                        {"home", make<HomeOnly>},
                                                        {"mdr", make<ReplicationSwitch>}});
  return all;
}

}  // namespace

std::unique_ptr<RemoteCaching> make_remote_caching(const std::string& name) {
  return registry().get(name)();
}

void register_remote_caching(const std::string& name, Factory factory) {
  registry().add(name, factory);
}

std::vector<std::string> remote_caching_names() { return registry().names(); }

}  // namespace tessera
