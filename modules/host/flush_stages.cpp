// SPDX-License-Identifier: Apache-2.0
#include "modules/host/flush_stages.h"

#include <algorithm>
#include <utility>

namespace tessera {

void StageFlush::begin(std::size_t stage, Tick t) {
  running_ = true;
  stage_ = stage;
  stage_end_ = t;
  wrote_back_until_ = 0;
  if (stage >= stages_.size()) return;
  for (FlushIf* cache : stages_[stage].drop) cache->flush();
  // The caches are empty at their next edge.
  if (!stages_[stage].drop.empty()) stage_end_ = clock_.after(t, 2);
  std::vector<SliceFlushIf*> holders;
  for (SliceFlushIf* cache : stages_[stage].write_back) {
    if (cache->needs_flush()) holders.push_back(cache);
  }
  outstanding_ = holders.size();
  for (SliceFlushIf* cache : holders) {
    cache->flush([this] { acknowledge(); });
  }
}

void StageFlush::acknowledge() {
  if (!running_ || --outstanding_ != 0) return;
  wrote_back_until_ = clock_.after(now() + 1, 0);
  stage_end_ = std::max(stage_end_, wrote_back_until_);
  wake_(stage_end_);
}

bool StageFlush::ended(Tick t) {
  if (outstanding_ != 0) return false;
  if (stage_end_ > t) {
    wake_(stage_end_);
    return false;
  }
  running_ = false;
  return true;
}

void StageFlush::describe_waiting(const std::string& base, std::vector<Waiting>& out) const {
  if (outstanding_ == 0) return;
  out.push_back(
      {base + "flush." + stages_[stage_].name, outstanding_, "the caches' last write-backs"});
}

void StageFlush::reset() {
  running_ = false;
  stage_ = 0;
  outstanding_ = 0;
}

bool FlushSequence::begin_kernel() {
  stage_ = 0;
  wrote_back_until_ = 0;
  cycles_ = 0;
  precedes_ = std::exchange(due_, false);
  return precedes_;
}

std::optional<std::size_t> FlushSequence::next(Tick t) {
  if (stage_ != 0 && wrote_back_until_ > began_) {
    cycles_ += clock_.cycle_at(wrote_back_until_) - clock_.cycle_at(began_);
  }
  if (due_ || stage_ == stages_) return std::nullopt;
  began_ = t;
  return stage_++;
}

void FlushSequence::end() {
  precedes_ = false;
  stage_ = 0;
}

void FlushSequence::reset() {
  due_ = false;
  end();
}

}  // namespace tessera
