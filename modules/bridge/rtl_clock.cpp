// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/rtl_clock.h"

#include <algorithm>
#include <systemc>

namespace tessera {

RtlClock::RtlClock(std::uint64_t hertz, RtlModel& model) : clock_(hertz), model_(model) {
  wake_.bind<&RtlClock::process>(*this);
}

void RtlClock::power_on() {
  model_.set_reset(true);
  for (unsigned i = 0; i < kResetCycles; ++i) model_.step(0);
  model_.set_reset(false);
  model_.step(0);
  last_edge_ = kNever;
  in_reset_ = false;
  changes_.clear();
  wake_.cancel();
}

void RtlClock::set_reset(bool active) {
  if ((changes_.empty() ? in_reset_ : changes_.back().active) == active) return;
  changes_.push_back({active, now()});
  wake(now() + 1);
}

void RtlClock::process() {
  const Tick t = now();
  if (last_edge_ != t && clock_.is_edge(t)) run_edge(t);
  for (ClockedPart* part : parts_) part->collect(t);
  if (!quiet()) wake_.at(next_edge(t));
}

void RtlClock::run_edge(Tick t) {
  last_edge_ = t;
  ++cycles_;
  if (waves_change_ <= t) begin_or_end_waves();
  // A change that was asked for at this time counts from the next edge, in whatever order the
  // processes run.
  if (!changes_.empty() && changes_.front().asked < t) {
    in_reset_ = changes_.front().active;
    changes_.pop_front();
    model_.set_reset(in_reset_);
    for (ClockedPart* part : parts_) part->on_reset(in_reset_);
  }
  for (ClockedPart* part : parts_) part->drive(t);
  for (ClockedPart* part : parts_) part->sample(t);
  model_.step(t);
}

void RtlClock::record_waves(const std::string& file, Tick from, Tick until) {
  waves_ = file;
  waves_change_ = from;
  waves_until_ = until;
}

void RtlClock::begin_or_end_waves() {
  const bool begins = !writes_waves_ && last_edge_ < waves_until_;
  waves_change_ = begins ? waves_until_ : kNever;
  if (!begins) {
    if (writes_waves_) model_.end_waves();
  } else if (!model_.begin_waves(waves_, clock_.time_of(1) / 2)) {
    SC_REPORT_ERROR("/tessera/bridge/waves", (waves_ + ": the block has no waveforms").c_str());
  }
  writes_waves_ = begins;
}

bool RtlClock::quiet() const {
  return !in_reset_ && changes_.empty() && !model_.busy() &&
         std::all_of(parts_.begin(), parts_.end(), [](const ClockedPart* p) { return p->quiet(); });
}

}  // namespace tessera
