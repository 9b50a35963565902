// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records of what a unit did over simulated time, in bounded memory. Times are whole ns.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Intervals in the order of time, at most `most`. When there are more, the resolution doubles, and
/// neighbours that span no more than the resolution together are joined, until at most half of them
/// are left. Short intervals lose their borders; longer ones keep them. The result depends on the
/// intervals only, and joins nothing while there are no more than `most`.
///
/// `Interval` has `begin`, `end` and join(next).
template <class Interval>
class BoundedIntervals {
 public:
  static constexpr std::size_t kMost = 512;

  explicit BoundedIntervals(std::size_t most = kMost) : most_(most) {}

  /// Precondition: it begins not before the last one.
  void add(Interval interval) {
    if (joins(interval)) {
      all_.back().join(interval);
      return;
    }
    all_.push_back(std::move(interval));
    if (all_.size() > most_) coarsen();
  }

  const std::vector<Interval>& all() const { return all_; }
  /// Null if there is none.
  Interval* last() { return all_.empty() ? nullptr : &all_.back(); }
  /// Joined intervals span no more. 0: none are joined, unless they have no length.
  std::uint64_t resolution() const { return resolution_; }

 private:
  bool joins(const Interval& next) const {
    return !all_.empty() && std::max(next.end, all_.back().end) - all_.back().begin <= resolution_;
  }
  void coarsen() {
    while (all_.size() > std::max<std::size_t>(1, most_ / 2)) {
      resolution_ = resolution_ == 0 ? 1 : 2 * resolution_;
      std::vector<Interval> before = std::exchange(all_, {});
      for (Interval& i : before) {
        if (joins(i)) {
          all_.back().join(i);
        } else {
          all_.push_back(std::move(i));
        }
      }
    }
  }

  const std::size_t most_;
  std::uint64_t resolution_ = 0;
  std::vector<Interval> all_;
};

/// An interval with the time in each state. One that was not joined has a single state, and parts.
struct StateInterval {
  static constexpr std::size_t kStates = 4;

  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::array<std::uint64_t, kStates> in{};
  bool joined = false;

  void join(const StateInterval& next);
};

/// The state of a unit, which is always in one of StateInterval::kStates. Intervals follow each
/// other without gaps from 0 to the end.
class StateTimeline {
 public:
  explicit StateTimeline(unsigned initial = 0,
                         std::size_t most = BoundedIntervals<StateInterval>::kMost)
      : intervals_(most), state_(initial) {}

  /// The state from `at` on, which can be later than the present: a change that was set for `at` or
  /// later is forgotten. Precondition: not before the last change that has taken effect. No effect
  /// after end().
  void set(unsigned state, std::uint64_t at);
  /// Counts a part of the present state's time as another state's, without borders. The part begins
  /// at the present or earlier, not before the last one, and ends at the latest where the next one
  /// begins, or the state.
  void add_part(unsigned state, std::uint64_t begin, std::uint64_t end);
  /// The run ends.
  void end(std::uint64_t at);

  /// Complete after end().
  const std::vector<StateInterval>& intervals() const { return intervals_.all(); }
  std::uint64_t resolution() const { return intervals_.resolution(); }
  std::uint64_t time_in(unsigned state) const;

 private:
  void apply_next();
  void close(std::uint64_t at);
  void count_part(std::uint64_t until);

  struct Part {
    unsigned state = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  BoundedIntervals<StateInterval> intervals_;
  unsigned state_;
  unsigned last_state_ = 0;  ///< of the last interval, if it is not joined
  Part part_;                ///< the last one
  std::array<std::uint64_t, StateInterval::kStates> parts_{};  ///< of the present state, before it
  std::uint64_t since_ = 0;
  unsigned next_state_ = 0;
  std::uint64_t next_at_ = 0;
  bool has_next_ = false;  ///< the state changes at next_at_
  bool ended_ = false;
};

/// A piece of work, an event (without length), or several that were joined.
struct TimelineSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t busy = 0;  ///< time in the work itself, without the gaps between joined pieces
  std::map<std::string, std::uint64_t> counts;  ///< pieces or events, by name

  void join(const TimelineSpan& next);
};

/// Work that a unit does one piece after the other, or events.
class SpanTimeline {
 public:
  explicit SpanTimeline(std::size_t most = BoundedIntervals<TimelineSpan>::kMost) : spans_(most) {}

  /// Precondition: `begin` is not before that of the last one.
  void add(const std::string& name, std::uint64_t begin, std::uint64_t end);
  void mark(const std::string& name, std::uint64_t at) { add(name, at, at); }

  const std::vector<TimelineSpan>& spans() const { return spans_.all(); }
  std::uint64_t resolution() const { return spans_.resolution(); }

 private:
  BoundedIntervals<TimelineSpan> spans_;
};

}  // namespace tessera
