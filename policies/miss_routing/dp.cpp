// SPDX-License-Identifier: Apache-2.0
// "dp": direct probing (remote-core paper, section II-B, Table I): an oracle names the nearest core
// that holds the line.
#include <algorithm>

#include "policies/miss_routing.h"

namespace tessera::miss_routing::dp {

namespace {

class DirectProbing final : public MissRouting {
 public:
  explicit DirectProbing(const MissRoutingContext& context) : context_(context) {}

  ProbeTargets route(const ReadMiss& miss) override {
    const std::vector<std::uint32_t> holders = context_.holders(miss.line);
    if (holders.empty()) return {};
    // Of equally near cores, the first.
    return {{*std::min_element(
        holders.begin(), holders.end(),
        [this](std::uint32_t a, std::uint32_t b) { return context_.hops(a) < context_.hops(b); })}};
  }

 private:
  const MissRoutingContext context_;
};

std::unique_ptr<MissRouting> make(const MissRoutingContext& context) {
  return std::make_unique<DirectProbing>(context);
}

const PolicyRegistration<MissRouting> kRegistered(
    "dp", "a probe to the nearest core that holds the line, by an oracle (remote-core Table I)",
    make);

}  // namespace

}  // namespace tessera::miss_routing::dp
