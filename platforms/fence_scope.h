// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "modules/core/flush.h"

namespace tessera {

/// What an SM's fence invalidates: its L1, and the copies in the slices of its partition.
class FenceScope final : public FlushIf {
 public:
  FenceScope(FlushIf& l1, std::vector<SliceFlushIf*> slices)
      : l1_(l1), slices_(std::move(slices)) {}

  void flush() override {
    l1_.flush();
    for (SliceFlushIf* slice : slices_) slice->drop_copies();
  }

 private:
  FlushIf& l1_;
  const std::vector<SliceFlushIf*> slices_;
};

}  // namespace tessera
