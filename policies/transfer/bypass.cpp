// SPDX-License-Identifier: Apache-2.0
// "bypass": the first step of remote access coalescing (DualOpt section 6.1, figure 16).
#include "policies/transfer_policy.h"

namespace tessera::transfer::bypass {

namespace {

class Bypass final : public TransferPolicy {
 public:
  RemoteAccessMode start() const override { return {true, false, false, false}; }
};

std::unique_ptr<TransferPolicy> make(const PolicyContext&) { return std::make_unique<Bypass>(); }

const PolicyRegistration<TransferPolicy> kRegistered(
    "bypass", "whole lines, not kept by L1s (DualOpt section 6.1)", make);

}  // namespace

}  // namespace tessera::transfer::bypass
