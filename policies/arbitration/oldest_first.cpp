// SPDX-License-Identifier: Apache-2.0
// "oldest-first": the head that arrived at the block first (age-based arbitration; Abts and
// Weisser, SC'07). Of heads that arrived at the same time, the lowest input's.
#include <memory>

#include "policies/arbiter.h"

namespace tessera::arbitration::oldest_first {

namespace {

class OldestFirst final : public Arbiter {
 public:
  std::uint32_t choose(const ArbitrationRequests& r) const override {
    auto oldest = static_cast<std::uint32_t>(__builtin_ctzll(r.inputs));
    for (std::uint64_t left = r.inputs & (r.inputs - 1); left != 0; left &= left - 1) {
      const auto input = static_cast<std::uint32_t>(__builtin_ctzll(left));
      if (r.arrived[input] < r.arrived[oldest]) oldest = input;
    }
    return oldest;
  }
  bool compares_age() const override { return true; }
};

std::unique_ptr<Arbiter> make(const Arbiter::Context& /*context*/) {
  return std::make_unique<OldestFirst>();
}

const PolicyRegistration<Arbiter> kRegistered("oldest-first",
                                              "the head that came to the block first", make);

}  // namespace

}  // namespace tessera::arbitration::oldest_first
