// SPDX-License-Identifier: Apache-2.0
// "coalesced": remote access coalescing, all three steps (DualOpt section 6.1, figure 16).
#include "policies/transfer_policy.h"

namespace tessera::transfer::coalesced {

namespace {

class Coalesced final : public TransferPolicy {
 public:
  RemoteAccessMode start() const override { return {true, true, true, false}; }
};

std::unique_ptr<TransferPolicy> make(const PolicyContext&) { return std::make_unique<Coalesced>(); }

const PolicyRegistration<TransferPolicy> kRegistered(
    "coalesced",
    "remote access coalescing: requested words in shared packets (DualOpt section 4.1)", make);

}  // namespace

}  // namespace tessera::transfer::coalesced
