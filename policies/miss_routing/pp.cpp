// SPDX-License-Identifier: Apache-2.0
// "pp": perfect probing (remote-core paper, section II-B, Table I): an oracle knows the cores that
// hold the line, and the line comes without a message.
#include <utility>

#include "policies/miss_routing.h"

namespace tessera::miss_routing::pp {

namespace {

class PerfectProbing final : public MissRouting {
 public:
  explicit PerfectProbing(const MissRoutingContext& context) : context_(context) {}

  bool at_once() const override { return true; }
  ProbeTargets route(const ReadMiss& miss) override {
    std::vector<std::uint32_t> holders = context_.holders(miss.line);
    if (holders.empty()) return {};
    return {std::move(holders)};
  }

 private:
  const MissRoutingContext context_;
};

std::unique_ptr<MissRouting> make(const MissRoutingContext& context) {
  return std::make_unique<PerfectProbing>(context);
}

const PolicyRegistration<MissRouting> kRegistered(
    "pp",
    "a line that another core holds comes without a message, by an oracle (remote-core Table I)",
    make);

}  // namespace

}  // namespace tessera::miss_routing::pp
