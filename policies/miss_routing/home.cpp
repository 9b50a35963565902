// SPDX-License-Identifier: Apache-2.0
// "home": the baseline (remote-core paper, section III-A).
#include "policies/miss_routing.h"

namespace tessera::miss_routing::home {

namespace {

class ToHome final : public MissRouting {
 public:
  ProbeTargets route(const ReadMiss&) override { return {}; }
};

std::unique_ptr<MissRouting> make(const MissRoutingContext&) { return std::make_unique<ToHome>(); }

const PolicyRegistration<MissRouting> kRegistered(
    "home", "every miss goes to the line's LLC slice (remote-core section III-A)", make);

}  // namespace

}  // namespace tessera::miss_routing::home
