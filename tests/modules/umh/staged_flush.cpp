// SPDX-License-Identifier: Apache-2.0
#include "tests/modules/umh/staged_flush.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace tessera::umh::test {

namespace {

struct Progress {
  FlushStages stages;
  std::function<void()> done;
  std::size_t stage = 0;
  std::size_t left = 0;
};

void run_stage(const std::shared_ptr<Progress>& p) {
  const bool last = p->stage == p->stages.levels.size();
  const std::size_t blocks = last ? p->stages.hmds.size() : p->stages.levels[p->stage].size();
  p->left = blocks + 1;
  const auto completed = [p, last] {
    if (--p->left != 0) return;
    if (last) {
      p->done();
    } else {
      ++p->stage;
      run_stage(p);
    }
  };
  if (last) {
    for (Hmd* const hmd : p->stages.hmds) hmd->barrier(completed);
  } else {
    // Copied, because `completed` can start the next stage.
    const std::vector<CoherentCache*> level = p->stages.levels[p->stage];
    for (CoherentCache* const cache : level) cache->flush(completed);
  }
  completed();
}

}  // namespace

void flush_device(const FlushStages& stages, std::function<void()> done) {
  const auto p = std::make_shared<Progress>();
  p->stages = stages;
  p->done = std::move(done);
  run_stage(p);
}

}  // namespace tessera::umh::test
