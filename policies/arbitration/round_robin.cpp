// SPDX-License-Identifier: Apache-2.0
// "round-robin": the next input after the one that was served last.
#include <memory>

#include "policies/arbiter.h"

namespace tessera::arbitration::round_robin {

namespace {

class RoundRobin final : public Arbiter {
 public:
  std::uint32_t choose(const ArbitrationRequests& r) const override {
    const std::uint64_t after = r.last >= 63 ? 0 : r.inputs & ~std::uint64_t{0} << (r.last + 1);
    return static_cast<std::uint32_t>(__builtin_ctzll(after != 0 ? after : r.inputs));
  }
};

std::unique_ptr<Arbiter> make(const Arbiter::Context& /*context*/) {
  return std::make_unique<RoundRobin>();
}

const PolicyRegistration<Arbiter> kRegistered("round-robin",
                                              "the next input after the one that was served last",
                                              make);

}  // namespace

}  // namespace tessera::arbitration::round_robin
