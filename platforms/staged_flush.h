// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "modules/core/flush.h"

namespace tessera {

/// Flushes caches in stages: what a stage writes back may end in the caches of the next, which are
/// flushed when the stage is done. Takes no time of its own.
class StagedFlush final : public SliceFlushIf {
 public:
  explicit StagedFlush(std::vector<std::vector<SliceFlushIf*>> stages)
      : stages_(std::move(stages)) {}

  void flush(std::function<void()> done) override {
    done_ = std::move(done);
    begin(0);
  }
  bool needs_flush() const override {
    for (const auto& stage : stages_) {
      for (const SliceFlushIf* cache : stage) {
        if (cache->needs_flush()) return true;
      }
    }
    return false;
  }

 private:
  void begin(std::size_t stage) {
    std::vector<SliceFlushIf*> holders;
    for (; holders.empty() && stage < stages_.size(); ++stage) {
      for (SliceFlushIf* cache : stages_[stage]) {
        if (cache->needs_flush()) holders.push_back(cache);
      }
    }
    if (holders.empty()) {
      std::exchange(done_, nullptr)();
      return;
    }
    flushing_ = holders.size();
    for (SliceFlushIf* cache : holders) {
      cache->flush([this, next = stage] {
        if (--flushing_ == 0) begin(next);
      });
    }
  }

  const std::vector<std::vector<SliceFlushIf*>> stages_;
  std::size_t flushing_ = 0;
  std::function<void()> done_;
};

}  // namespace tessera
