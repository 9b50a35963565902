// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

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
    return decide(a, distance_of_slice_[home.slice.value]).at_requester ? Route::kLookup
                                                                        : Route::kBypass;
  }

  bool owns(const Home& home) const { return home.slice == self_; }
  bool is_foreign(const Home& home) const { return !owns(home); }
  bool must_reach_home(const MemoryRequest& request) const {
    return written_copies_ && !owns(request.home()) && request.kind != RequestKind::kLoad;
  }
  bool keeps(const Access& a) const {
    return slice_.local(a) || decide(a, distance_of(a.request->requester)).at_home;
  }
  bool is_copy(const Home& home) const { return is_foreign(home); }
  bool stamps_departure(const MemoryRequest& request) const { return owns(request.home()); }

 private:
  Caching decide(const Access& a, NodeDistance distance) const;
  /// Requesters other than SMs count as outside of the GPUs.
  NodeDistance distance_of(RequesterId requester) const {
    return requester.is_sm() ? distance_of_sm_[requester.sm().value] : NodeDistance::kOtherGpu;
  }

  const RemoteCaching& caching_;
  const bool written_copies_;
  // Distance from this slice to each home slice, and from each SM to this slice.
  std::vector<NodeDistance> distance_of_slice_;
  std::vector<NodeDistance> distance_of_sm_;
};

}  // namespace tessera
