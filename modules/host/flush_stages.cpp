// SPDX-License-Identifier: Apache-2.0
#include "modules/host/flush_stages.h"

#include <algorithm>

namespace tessera {

namespace {

std::size_t index_of(FlushMode mode) { return static_cast<std::size_t>(mode); }

}  // namespace

void StageFlush::begin(FlushMode mode, std::size_t stage, LaunchSlot launch, Tick t) {
  running_ = true;
  stage_end_ = t;
  wrote_back_until_ = 0;
  const std::vector<FlushStage>& stages = stages_[index_of(mode)];
  if (stage >= stages.size()) return;
  const FlushStage& s = stages[stage];
  name_ = s.name;
  for (FlushIf* cache : s.drop) cache->flush();
  for (SliceFlushIf* cache : s.drop_copies) cache->drop_copies();
  // The caches are empty at their next edge.
  if (!s.drop.empty() || !s.drop_copies.empty()) stage_end_ = clock_.after(t, 2);
  std::vector<SliceFlushIf*> holders;
  for (SliceFlushIf* cache : s.write_back) {
    if (cache->needs_flush()) holders.push_back(cache);
  }
  outstanding_ = holders.size() + s.write_back_copies.size();
  for (SliceFlushIf* cache : holders) {
    cache->flush(launch, [this] { acknowledge(); });
  }
  for (SliceFlushIf* cache : s.write_back_copies) {
    cache->write_back_copies(launch, [this] { acknowledge(); });
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
      {base + "flush." + name_, outstanding_, WaitKind::kOrdering, "the caches' last write-backs"});
}

void StageFlush::reset() {
  running_ = false;
  outstanding_ = 0;
}

void FlushSequence::have_stages(const FlushStages& stages) {
  for (std::size_t m = 0; m < stages.size(); ++m) {
    stages_[m] = std::max(stages_[m], stages[m].size());
  }
}

void FlushSequence::begin(FlushMode mode) {
  mode_ = mode;
  running_ = true;
  stage_ = 0;
  wrote_back_until_ = 0;
  cycles_ = 0;
}

std::optional<std::size_t> FlushSequence::next(Tick t) {
  if (stage_ != 0 && wrote_back_until_ > began_) {
    cycles_ += clock_.cycle_at(wrote_back_until_) - clock_.cycle_at(began_);
  }
  if (stage_ == stages_[index_of(mode_)]) {
    running_ = false;
    return std::nullopt;
  }
  began_ = t;
  return stage_++;
}

}  // namespace tessera
