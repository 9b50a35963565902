// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/llc/slice_role.h"

namespace tessera {

/// "last_sharer": a home that records a core for each line, and forwards read hits to this core's
/// L1 (LA-LLC as the remote-core paper describes it, section IV-B).
///
/// The network takes a forwarded load from `remote` to the core's probe engine. That core responds
/// to the requester if its L1 holds the line. Otherwise its engine returns the load, and the slice
/// looks it up again and responds. A load is forwarded at most once.
///
/// Forwarded: a load that hits, of a core of the slice's GPU, if its probe engine permits it
/// (Forwarding::kPermitted) and the recorded core is another one. `llc.last_sharer` selects the
/// core that is recorded. A line that another line has replaced loses its record. A line that
/// returns to its way by a write keeps it, which costs at most the return of a load.
///
/// Free of deadlock: a slice that has llc.remote_queue_depth forwarded loads waiting for the
/// network responds to further hits itself. It therefore never waits for the request network, and
/// requests to slices always drain.
class LastSharerRole final : public SliceRole {
 public:
  static constexpr bool kReachesSlices = true;

  LastSharerRole(SliceStages& slice, const SliceSite& site);

  /// A returned load has come by the entry of another core than its requester's. The response goes
  /// to the requester.
  Route route(const Access& a) const {
    if (a.request->forwarding == Forwarding::kReturned) a.request->pop_route();
    return Route::kLookup;
  }
  bool forwards_hit(const Access& a, CacheArray::Way way, Tick t);
  bool may_leave(const Access& a, Tick t);

  void reset();
  void register_statistics(StatisticsRegistry& registry) const;

 private:
  static constexpr std::uint32_t kNoCore = ~std::uint32_t{0};

  struct Sharer {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint32_t core = kNoCore;
  };

  /// Core whose L1 will hold the line after this access; kNoCore if none will.
  std::uint32_t core_of(const Access& a) const;

  const std::uint32_t first_core_;
  const std::uint32_t cores_;
  const std::uint32_t first_core_exit_;
  std::vector<Sharer> sharers_;  ///< [way]
  Counter forwarded_ = 0;
  Counter returned_ = 0;
  Counter queue_full_ = 0;
};

}  // namespace tessera
