// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/llc/partition_caching.h"
#include "modules/llc/slice_role.h"

namespace tessera {

/// "partition": the home of the lines of its partition's channel. For the SMs of the partition, it
/// also forwards accesses to all other lines, and caches the lines that RemoteCaching selects (NUBA
/// sections 3 and 5.2).
///
/// A local SM's request for another slice's line bypasses the arrays to `remote`, unmodified,
/// unless RemoteCaching selects a copy in this slice. Such a load is looked up like any other, and
/// a miss fetches the line from its home slice. The fetch leaves a quarter of the MSHRs and a way
/// of each set to the slice's own lines; if it cannot, the load is forwarded and its line is not
/// kept. A load whose response has only words of the line (MemoryRequest::fine_grained) always
/// bypasses the arrays.
///
/// Copies are valid for one kernel: they are not kept coherent and are flushed at its end. If the
/// policy copies_written_lines(), the local SMs' stores and atomics to other slices' lines are
/// looked up as well: they drop the copy before they are forwarded.
///
/// Not modelled: a directory of copies.
class PartitionRole final : public SliceRole {
 public:
  static constexpr bool kReachesSlices = true;

  /// SC_FATAL if `site.caching` is null.
  PartitionRole(SliceStages& slice, const SliceSite& site);

  bool serves(const Home&) const { return true; }
  Route route(const Access& a) const {
    const Home& home = a.request->home();
    if (owns(home) || must_reach_home(*a.request)) return Route::kLookup;
    if (a.request->kind != RequestKind::kLoad || a.request->fine_grained) return Route::kBypass;
    return caching_.at_requester(*a.request, slice_.line_of(*a.payload)) ? Route::kLookup
                                                                         : Route::kBypass;
  }

  bool owns(const Home& home) const { return home.slice == self_; }
  bool is_foreign(const Home& home) const { return !owns(home); }
  bool must_reach_home(const MemoryRequest& request) const {
    return caching_.copies_written_lines() && !owns(request.home()) &&
           request.kind != RequestKind::kLoad;
  }
  bool keeps(const Access& a) const {
    return slice_.local(a) || caching_.at_home(*a.request, slice_.line_of(*a.payload));
  }
  bool is_copy(const Home& home) const { return is_foreign(home); }
  ServedBy serves_as(const MemoryRequest& request) const {
    return owns(request.home()) ? ServedBy::kHome : ServedBy::kCopy;
  }

 private:
  const PartitionCaching caching_;
};

}  // namespace tessera
