// SPDX-License-Identifier: Apache-2.0
#include "policies/remote_caching.h"

namespace tessera {

namespace {

/// Parameters of each policy of this file.
struct Parameters {
  bool install_remote_misses = true;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.flag("install_remote_misses", p.install_remote_misses,
         "whether the home slice keeps a line that only remote requests fetched (NUBA section 5; "
         "section 3 says it is only forwarded)",
         {"llc.install_remote_misses"});
}

class HomeOnly final : public RemoteCaching {
 public:
  explicit HomeOnly(bool at_home) : at_home_(at_home) {}
  Caching decide(const RemoteAccess&) const override { return {false, at_home_}; }
  bool copies() const override { return false; }

 private:
  const bool at_home_;
};

class FullReplication final : public RemoteCaching {
 public:
  explicit FullReplication(bool at_home) : at_home_(at_home) {}
  Caching decide(const RemoteAccess& access) const override {
    return {access.is_replicable(), at_home_};
  }

 private:
  const bool at_home_;
};

template <class Policy>
std::unique_ptr<RemoteCaching> make(const PolicyContext&, const Parameters& p) {
  return std::make_unique<Policy>(p.install_remote_misses);
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
