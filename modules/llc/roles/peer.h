// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/kernel/timed_queue.h"
#include "modules/llc/slice_role.h"
#include "modules/llc/snoop_filter.h"

namespace tessera {

/// "peer": a slice of one side of an SM-side UBA (NUBA figure 1b). `remote` connects it to its peer
/// slice on the other side. One of the two is the home of a line; the other caches the line
/// coherently. (The protocol is ours, because the paper gives none.)
///
/// Loads of the peer's lines are looked up in this slice and the lines are kept. Stores and atomics
/// are forwarded to the home after their lookup and drop the copy. The home keeps a snoop filter of
/// the lines that its peer can hold, and invalidates a line before it acknowledges a write of its
/// own side. The home receives no other notification from the peer.
///
/// Timing: an invalidation takes effect at its arrival; its response is sent in the same cycle.
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

  void handle_message(const Access& a, Tick due) { invalidations_.push(due, a.port, a); }
  void handle_messages(Tick t);
  Tick next_message() const { return invalidations_.next_due(); }
  bool handles_response(Payload& payload, Tick t);

  bool owns(const Home& home) const { return home.slice == self_; }
  bool is_foreign(const Home& home) const { return !owns(home); }
  bool must_reach_home(const MemoryRequest& r) const {
    return r.kind != RequestKind::kLoad && is_foreign(r.home());
  }
  bool is_copy(const Home& home) const { return is_foreign(home); }
  bool may_leave(const Access& a, Tick t) {
    return is_foreign(a.request->home()) || coherent_after(a, t);
  }
  ServedBy serves_as(const MemoryRequest& request) const {
    return owns(request.home()) ? ServedBy::kHome : ServedBy::kCopy;
  }

  bool idle() const { return invalidations_.empty() && invalidating_.empty(); }
  void describe_waiting(std::vector<Waiting>& out) const;
  void reset();

 private:
  /// An invalidation without a response from the peer, and the accesses that are acknowledged after
  /// it.
  struct Invalidation {
    Payload* payload = nullptr;
    std::uint64_t line = 0;
    std::vector<Access> held;
  };

  bool coherent_after(const Access& a, Tick t);
  Invalidation& invalidate_peer(std::uint64_t line, Tick t);

  SnoopFilter snoop_filter_;
  TimedQueue<Access> invalidations_;  ///< from the peer, to be performed here
  std::vector<Invalidation> invalidating_;
};

}  // namespace tessera
