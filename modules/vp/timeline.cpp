// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/timeline.h"

namespace tessera {

void StateInterval::join(const StateInterval& next) {
  end = next.end;
  for (std::size_t s = 0; s < kStates; ++s) in[s] += next.in[s];
  joined = true;
}

void StateTimeline::set(unsigned state, std::uint64_t at) {
  if (ended_) return;
  if (has_next_) {
    if (next_at_ < at) {
      apply_next();
    } else {
      has_next_ = false;
    }
  }
  if (state == state_) return;
  next_state_ = state;
  next_at_ = at;
  has_next_ = true;
}

void StateTimeline::apply_next() {
  close(next_at_);
  state_ = next_state_;
  has_next_ = false;
}

void StateTimeline::close(std::uint64_t at) {
  if (at <= since_) return;
  count_part(at);
  StateInterval interval;
  interval.begin = since_;
  interval.end = at;
  interval.in = std::exchange(parts_, {});
  std::uint64_t rest = at - since_;
  for (const std::uint64_t part : interval.in) rest -= part;
  interval.in[state_] += rest;
  StateInterval* const last = intervals_.last();
  if (last != nullptr && !last->joined && last_state_ == state_) {
    // A state between the two has had no length.
    last->join(interval);
    last->joined = false;
  } else {
    intervals_.add(interval);
  }
  last_state_ = state_;
  since_ = at;
}

void StateTimeline::add_part(unsigned state, std::uint64_t begin, std::uint64_t end) {
  if (ended_) return;
  if (has_next_ && next_at_ <= begin) apply_next();
  count_part(begin);
  part_ = {state, begin, end};
}

void StateTimeline::count_part(std::uint64_t until) {
  const Part part = std::exchange(part_, {});
  if (part.begin < until) parts_[part.state] += std::min(part.end, until) - part.begin;
}

void StateTimeline::end(std::uint64_t at) {
  if (ended_) return;
  if (has_next_ && next_at_ < at) apply_next();
  close(at);
  ended_ = true;
}

std::uint64_t StateTimeline::time_in(unsigned state) const {
  std::uint64_t sum = 0;
  for (const StateInterval& i : intervals_.all()) sum += i.in[state];
  return sum;
}

void TimelineSpan::join(const TimelineSpan& next) {
  end = std::max(end, next.end);
  busy += next.busy;
  for (const auto& [name, count] : next.counts) counts[name] += count;
}

void SpanTimeline::add(const std::string& name, std::uint64_t begin, std::uint64_t end) {
  TimelineSpan span;
  span.begin = begin;
  span.end = end;
  span.busy = end - begin;
  span.counts[name] = 1;
  spans_.add(std::move(span));
}

}  // namespace tessera
