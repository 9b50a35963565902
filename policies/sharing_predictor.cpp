// SPDX-License-Identifier: Apache-2.0
#include "policies/sharing_predictor.h"

#include <algorithm>

namespace tessera {

SharingPredictor::Entry* SharingPredictor::find(std::uint32_t pc) {
  const auto e = std::find_if(entries_.begin(), entries_.end(),
                              [pc](const Entry& entry) { return entry.pc == pc; });
  return e == entries_.end() ? nullptr : &*e;
}

bool SharingPredictor::predict(std::uint32_t pc) {
  Entry* e = find(pc);
  if (e == nullptr) {
    if (entries_.size() < pcs_) {
      e = &entries_.emplace_back();
    } else {
      e = &*std::min_element(entries_.begin(), entries_.end(),
                             [](const Entry& a, const Entry& b) { return a.used < b.used; });
      *e = {};
    }
    e->pc = pc;
  }
  e->used = ++uses_;
  if (e->misses == kMisses[e->state]) {
    const bool shares = e->supplied >= kThreshold[e->state];
    if (shares && e->state > 0) --e->state;
    if (!shares && e->state + 1 < kStates) ++e->state;
    e->misses = 0;
    e->supplied = 0;
  }
  return e->misses++ < kShared[e->state];
}

void SharingPredictor::supplied(std::uint32_t pc) {
  if (Entry* e = find(pc)) ++e->supplied;
}

unsigned SharingPredictor::state(std::uint32_t pc) const {
  const auto e = std::find_if(entries_.begin(), entries_.end(),
                              [pc](const Entry& entry) { return entry.pc == pc; });
  return e == entries_.end() ? 0 : e->state;
}

}  // namespace tessera
