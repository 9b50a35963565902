// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/core/timed_queue.h"
#include "modules/llc/slice_role.h"
#include "modules/llc/snoop_filter.h"

namespace tessera {

/// "peer": a slice of one side of an SM-side UBA (NUBA figure 1b), to whose twin on the other side
/// `remote` leads. Of each twin, one is home of a line, and the other caches it, kept coherent.
/// (The protocol is ours: the paper gives none.)
///
/// All loads of the twin's lines are looked up here, and kept; stores and atomics go on to the home
/// after their lookup, and drop the copy on their way. The home keeps a snoop filter of the lines
/// that its twin may hold, invalidates a line before it acknowledges a write of its own side, and
/// is told of nothing else.
///
/// Timing: an invalidation is done and answered when it comes.
/// Not modelled: invalidations' use of the tag array.
class PeerRole final : public SliceRole {
 public:
  static constexpr bool kReachesSlices = true;
  static constexpr bool kFillsMayWait = false;
  static constexpr std::uint16_t kMessages = PayloadRules::kinds(RequestKind::kCoherence);

  PeerRole(SliceStages& slice, const SliceSite& site);

  bool serves(const Home&) const { return true; }
  Route route(const Access& a) const {
    return a.request->kind == RequestKind::kCoherence ? Route::kMessage : Route::kLookup;
  }

  void take_message(const Access& a, Tick due) { invalidations_.push(due, a.port, a); }
  void handle_messages(Tick t);
  Tick next_message() const { return invalidations_.next_due(); }
  bool takes_answer(Payload& payload, Tick t);

  bool owns(const Home& home) const { return home.slice == self_; }
  bool is_foreign(const Home& home) const { return !owns(home); }
  bool passes_on(const MemoryRequest& r) const {
    return r.kind != RequestKind::kLoad && is_foreign(r.home());
  }
  bool is_copy(const Home& home) const { return is_foreign(home); }
  bool may_leave(const Access& a, Tick t) {
    return is_foreign(a.request->home()) || coherent_after(a, t);
  }
  bool stamps_departure(const MemoryRequest& request) const { return owns(request.home()); }

  bool idle() const { return invalidations_.empty() && invalidating_.empty(); }
  void describe_waiting(std::vector<Waiting>& out) const;
  void reset();

 private:
  /// An invalidation that the twin has not answered, and what is acknowledged when it has.
  struct Invalidation {
    Payload* payload = nullptr;
    std::uint64_t line = 0;
    std::vector<Access> held;
  };

  bool coherent_after(const Access& a, Tick t);
  Invalidation& invalidate_peer(std::uint64_t line, Tick t);

  SnoopFilter snoop_filter_;
  TimedQueue<Access> invalidations_;  ///< to be done here
  std::vector<Invalidation> invalidating_;
};

}  // namespace tessera
