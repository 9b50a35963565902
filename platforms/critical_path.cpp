// SPDX-License-Identifier: Apache-2.0
#include "platforms/critical_path.h"

#include <algorithm>
#include <utility>

#include "common/json.h"

namespace tessera {

using nlohmann::ordered_json;

std::vector<SmTime> CriticalPath::snapshot() const {
  std::vector<SmTime> times;
  for (const SmHandle* sm : sms_.each()) {
    if (sm->time) times.push_back(sm->time());
  }
  return times;
}

void CriticalPath::begin_span(Tick at) {
  begin_ = clock_.cycle_at(at);
  before_ = snapshot();
}

void CriticalPath::kernel_started(const std::string& name, Tick ready_at) {
  if (open_++ == 0) {
    names_.clear();
    begin_span(ready_at);
  }
  names_.insert(name);
}

void CriticalPath::kernel_ended() {
  if (open_ == 0 || --open_ != 0) return;
  const std::vector<SmTime> after = snapshot();
  if (after.empty()) return;
  SmTime critical = after[0] - before_[0];
  for (std::size_t i = 1; i < after.size(); ++i) {
    const SmTime time = after[i] - before_[i];
    if (time.idle_slots < critical.idle_slots) critical = time;
  }
  std::string names;
  for (const std::string& name : names_) names += (names.empty() ? "" : ", ") + name;
  auto part = std::find_if(parts_.begin(), parts_.end(),
                           [&names](const Part& p) { return p.kernels == names; });
  if (part == parts_.end()) part = parts_.insert(parts_.end(), {names, 0, 0, {}});
  ++part->spans;
  part->cycles += clock_.cycle_at(now()) - begin_;
  part->time += critical;
}

void CriticalPath::end_all() {
  if (open_ == 0) return;
  open_ = 1;
  kernel_ended();
}

void CriticalPath::begin_window() {
  parts_.clear();
  if (open_ != 0) begin_span(now());
}

ordered_json CriticalPath::to_json() const {
  if (parts_.empty()) return nullptr;
  ordered_json all = ordered_json::array();
  for (const Part& p : parts_) {
    const SmTime& t = p.time;
    ordered_json stall = ordered_json::object();
    for (std::size_t i = 0; i < kLoadStages; ++i) {
      stall[kLoadStageNames[i]] = clock_.cycles_in(t.memory.stats.by_stage[i]);
    }
    ordered_json ages = ordered_json::object();
    ordered_json age_waits = ordered_json::object();
    for (std::size_t i = 0; i < kLoadPaths; ++i) {
      ages[kLoadPathNames[i]] = t.memory.ages[i];
      for (const Tick wait : t.memory.age_waits[i]) {
        age_waits[kLoadPathNames[i]].push_back(clock_.cycles_in(wait));
      }
    }
    all.push_back({{"kernels", p.kernels},
                   {"spans", p.spans},
                   {"cycles", p.cycles},
                   {"issue_slots",
                    {{"issued", t.issued_slots},
                     {"idle", t.idle_slots},
                     {"structural", t.structural_slots},
                     {"dependency", t.dependency_slots},
                     {"memory", t.memory_slots},
                     {"barrier", t.barrier_slots}}},
                   {"memory_stall_cycles", std::move(stall)},
                   {"wait_ages", std::move(ages)},
                   {"wait_age_cycles", std::move(age_waits)}});
  }
  return all;
}

}  // namespace tessera
