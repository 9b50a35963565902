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
  Caching decide(const RemoteAccess& access) const override { return {access.read_only}; }
};

class Within final : public RemoteCaching {
 public:
  Within(const RemoteCaching& policy, SliceId first, SliceId end)
      : policy_(policy), first_(first), end_(end) {}
  Caching decide(const RemoteAccess& access) const override {
    const bool inside = access.home.value >= first_.value && access.home.value < end_.value;
    return inside ? policy_.decide(access) : Caching{};
  }
  bool copies() const override { return policy_.copies(); }

 private:
  const RemoteCaching& policy_;
  const SliceId first_;
  const SliceId end_;
};

template <class Policy>
std::unique_ptr<RemoteCaching> make(const PolicyContext&) {
  return std::make_unique<Policy>();
}

const PolicyRegistration<RemoteCaching> kFullReplication(
    "full-replication", "read-only lines are cached at their requesters, too (NUBA section 5.2)",
    make<FullReplication>);
const PolicyRegistration<RemoteCaching> kHome(
    "home", "nothing is cached away from its home (no replication)", make<HomeOnly>);
const PolicyRegistration<RemoteCaching> kMdr(
    "mdr", "full-replication while the MDR engine says so (NUBA section 5.1)",
    make<ReplicationSwitch>);

}  // namespace

std::unique_ptr<RemoteCaching> make_caching_within(const RemoteCaching& policy, SliceId first,
                                                   SliceId end) {
  return std::make_unique<Within>(policy, first, end);
}

}  // namespace tessera
