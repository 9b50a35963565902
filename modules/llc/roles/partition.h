// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "modules/llc/slice_role.h"

namespace tessera {

/// "partition": home of the lines of its partition's channel and, for the SMs of the partition, the
/// way to all other lines, which it caches where RemoteCaching says so (NUBA sections 3 and 5.2).
///
/// A local SM's request for another slice's line goes round the arrays to `remote`, untouched,
/// unless RemoteCaching keeps the line here too: such a load is looked up like any other, and a
/// miss fetches the line from its home slice. It leaves the slice's own lines a quarter of the
/// MSHRs and a way of each set; without room it is fetched and not kept. A load to which the home
/// answers with pieces of the line (MemoryRequest::fine_grained) always goes round.
///
/// Copies are good for one kernel: they are not kept coherent, and are flushed at its end.
///
/// Not modelled: a directory of copies.
class PartitionRole final : public SliceRole {
 public:
  static constexpr bool kReachesSlices = true;

  /// Without `site.caching` an SC_FATAL.
  PartitionRole(SliceStages& slice, const SliceSite& site);

  bool serves(const Home&) const { return true; }
  Route route(const Access& a) const {
    const Home& home = a.request->home();
    if (owns(home)) return Route::kLookup;
    if (a.request->kind != RequestKind::kLoad || a.request->fine_grained) return Route::kBypass;
    return decide(a, distance_of_slice_[home.slice.value]).at_requester ? Route::kLookup
                                                                        : Route::kBypass;
  }

  bool owns(const Home& home) const { return home.slice == self_; }
  bool is_foreign(const Home& home) const { return !owns(home); }
  bool keeps(const Access& a) const {
    return slice_.local(a) || decide(a, distance_of(a.request->requester)).at_home;
  }
  bool is_copy(const Home& home) const { return is_foreign(home); }
  bool stamps_departure(const MemoryRequest& request) const { return owns(request.home()); }

 private:
  Caching decide(const Access& a, NodeDistance distance) const;
  /// What is no SM stands outside of the GPUs.
  NodeDistance distance_of(RequesterId requester) const {
    return requester.is_sm() ? distance_of_sm_[requester.sm().value] : NodeDistance::kOtherGpu;
  }

  const RemoteCaching& caching_;
  // From here, by the number of the home slice; and of the line's requesters to here, by the SM's.
  std::vector<NodeDistance> distance_of_slice_;
  std::vector<NodeDistance> distance_of_sm_;
};

}  // namespace tessera
