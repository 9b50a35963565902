// SPDX-License-Identifier: Apache-2.0
// "remote-cache": remote data caching (DualOpt section 4.2).
#include "policies/transfer_policy.h"

namespace tessera::transfer::remote_cache {

namespace {

class RemoteCache final : public TransferPolicy {
 public:
  RemoteAccessMode start() const override { return {false, false, false, true}; }
};

std::unique_ptr<TransferPolicy> make(const PolicyContext&) {
  return std::make_unique<RemoteCache>();
}

const PolicyRegistration<TransferPolicy> kRegistered(
    "remote-cache", "remote data caching in front of the RDMA engine (DualOpt section 4.2)", make);

}  // namespace

}  // namespace tessera::transfer::remote_cache
