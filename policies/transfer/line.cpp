// SPDX-License-Identifier: Apache-2.0
// "line": whole lines, which L1s cache (direct cache access, DualOpt section 2.3).
#include "policies/transfer_policy.h"

namespace tessera::transfer::line {

namespace {

class Line final : public TransferPolicy {
 public:
  RemoteAccessMode start() const override { return {}; }
};

std::unique_ptr<TransferPolicy> make(const PolicyContext&) { return std::make_unique<Line>(); }

const PolicyRegistration<TransferPolicy> kRegistered(
    "line", "whole lines, kept by L1s (direct cache access, DualOpt section 2.3)", make);

}  // namespace

}  // namespace tessera::transfer::line
