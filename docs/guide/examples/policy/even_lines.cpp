// SPDX-License-Identifier: Apache-2.0
// "even-lines": every second read-only line is copied: half of the pressure, half of the gain.
#include "policies/remote_caching.h"

namespace tessera::remote_caching::even_lines {

namespace {

class EvenLines final : public RemoteCaching {
 public:
  Caching decide(const RemoteAccess& access) const override {
    ++asked_;
    return {access.is_replicable() && access.line % 2 == 0};
  }
  std::vector<PolicyCounter> counters() const override {
    return {{"asked", "access", "remote accesses that the policy decided on", &asked_}};
  }

 private:
  mutable std::uint64_t asked_ = 0;
};

std::unique_ptr<RemoteCaching> make(const PolicyContext&) { return std::make_unique<EvenLines>(); }

const PolicyRegistration<RemoteCaching> kRegistered("even-lines", "read-only lines of even number",
                                                    make);

}  // namespace

}  // namespace tessera::remote_caching::even_lines
