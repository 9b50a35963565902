// SPDX-License-Identifier: Apache-2.0
// "ronce": cache-remote-once (LADM section III-E).
#include "policies/remote_caching.h"

namespace tessera::remote_caching::ronce {

namespace {

class CacheRemoteOnce final : public RemoteCaching {
 public:
  Caching decide(const RemoteAccess& access) const override {
    return {access.is_plain_load(), false};
  }
  bool copies_written_lines() const override { return true; }
};

std::unique_ptr<RemoteCaching> make(const PolicyContext&) {
  return std::make_unique<CacheRemoteOnce>();
}

const PolicyRegistration<RemoteCaching> kRegistered(
    "ronce",
    "any line is cached at its requester only, unless the home uses it too (LADM section III-E)",
    make);

}  // namespace

}  // namespace tessera::remote_caching::ronce
