// SPDX-License-Identifier: Apache-2.0
// "rtwice": cache-remote-twice (LADM section III-E).
#include "policies/remote_caching.h"

namespace tessera::remote_caching::rtwice {

namespace {

class CacheRemoteTwice final : public RemoteCaching {
 public:
  Caching decide(const RemoteAccess& access) const override {
    return {access.is_plain_load(), true};
  }
  bool copies_written_lines() const override { return true; }
};

std::unique_ptr<RemoteCaching> make(const PolicyContext&) {
  return std::make_unique<CacheRemoteTwice>();
}

const PolicyRegistration<RemoteCaching> kRegistered(
    "rtwice", "any line is cached at its home and at its requester (LADM section III-E)", make);

}  // namespace

}  // namespace tessera::remote_caching::rtwice
