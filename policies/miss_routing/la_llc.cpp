// SPDX-License-Identifier: Apache-2.0
// "la-llc": LA-LLC (remote-core paper, section IV-B). Misses go to the slice, which forwards a read
// hit to the last sharer (modules/llc/roles/last_sharer.h).
#include "policies/miss_routing.h"

namespace tessera::miss_routing::la_llc {

namespace {

class ToLocalityAwareHome final : public MissRouting {
 public:
  std::string slice_role() const override { return "last_sharer"; }
  ProbeTargets route(const ReadMiss&) override { return {}; }
};

std::unique_ptr<MissRouting> make(const MissRoutingContext&) {
  return std::make_unique<ToLocalityAwareHome>();
}

const PolicyRegistration<MissRouting> kRegistered(
    "la-llc", "the line's LLC slice forwards a hit to the line's last sharer (remote-core IV-B)",
    make);

}  // namespace

}  // namespace tessera::miss_routing::la_llc
