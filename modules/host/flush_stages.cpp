// SPDX-License-Identifier: Apache-2.0
#include "modules/host/flush_stages.h"

#include <algorithm>

namespace tessera {

void FlushSequence::begin(Tick t) {
  running_ = true;
  stage_ = 0;
  write_back_cycles_ = 0;
  if (!stages_.empty()) begin_stage(t);
}

void FlushSequence::begin_stage(Tick t) {
  const FlushStage& stage = stages_[stage_];
  stage_end_ = t;
  for (FlushIf* cache : stage.drop) cache->flush();
  if (!stage.drop.empty()) {
    // The caches are empty at their next edge.
    stage_end_ = clock_.after(t, 2);
    wake_(stage_end_);
  }
  std::vector<SliceFlushIf*> holders;
  for (SliceFlushIf* cache : stage.write_back) {
    if (cache->needs_flush()) holders.push_back(cache);
  }
  outstanding_ = holders.size();
  for (SliceFlushIf* cache : holders) {
    cache->flush([this, t] { acknowledge(t); });
  }
}

void FlushSequence::acknowledge(Tick began) {
  if (!running_ || --outstanding_ != 0) return;
  const Tick end = clock_.after(now() + 1, 0);
  stage_end_ = std::max(stage_end_, end);
  write_back_cycles_ += clock_.cycle_at(end) - clock_.cycle_at(began);
  wake_(stage_end_);
}

bool FlushSequence::advance(Tick t) {
  while (stage_ < stages_.size()) {
    if (outstanding_ != 0) return false;
    if (stage_end_ > t) {
      wake_(stage_end_);
      return false;
    }
    if (++stage_ < stages_.size()) begin_stage(t);
  }
  running_ = false;
  return true;
}

void FlushSequence::describe_waiting(const std::string& base, std::vector<Waiting>& out) const {
  if (outstanding_ == 0) return;
  out.push_back(
      {base + "flush." + stages_[stage_].name, outstanding_, "the caches' last write-backs"});
}

void FlushSequence::reset() {
  running_ = false;
  stage_ = 0;
  outstanding_ = 0;
  write_back_cycles_ = 0;
}

}  // namespace tessera
