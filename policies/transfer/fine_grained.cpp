// SPDX-License-Identifier: Apache-2.0
// "fine-grained": the second step of remote access coalescing (DualOpt section 6.1, figure 16).
#include "policies/transfer_policy.h"

namespace tessera::transfer::fine_grained {

namespace {

class FineGrained final : public TransferPolicy {
 public:
  RemoteAccessMode start() const override { return {true, true, false, false}; }
};

std::unique_ptr<TransferPolicy> make(const PolicyContext&) {
  return std::make_unique<FineGrained>();
}

const PolicyRegistration<TransferPolicy> kRegistered(
    "fine-grained", "only the requested words of a line, not kept by L1s (DualOpt section 6.1)",
    make);

}  // namespace

}  // namespace tessera::transfer::fine_grained
