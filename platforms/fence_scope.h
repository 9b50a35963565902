// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "modules/probe/sharer_directory.h"
#include "modules/protocol/flush.h"

namespace tessera {

/// What an SM's fence invalidates: its L1, and the copies in the slices of its partition. L1s do
/// not supply lines of before the fence to other cores.
class FenceScope final : public FlushIf {
 public:
  /// `sharers`: of its GPU; null if cores do not probe each other.
  FenceScope(FlushIf& l1, std::vector<SliceFlushIf*> slices, SharerDirectory* sharers)
      : l1_(l1), slices_(std::move(slices)), sharers_(sharers) {}

  void flush() override {
    l1_.flush();
    for (SliceFlushIf* slice : slices_) slice->drop_copies();
    if (sharers_ != nullptr) sharers_->fence();
  }

 private:
  FlushIf& l1_;
  const std::vector<SliceFlushIf*> slices_;
  SharerDirectory* const sharers_;
};

}  // namespace tessera
