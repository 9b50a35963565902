// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "modules/llc/slice_site.h"
#include "modules/protocol/memory_request.h"
#include "policies/remote_caching.h"

namespace tessera {

/// RemoteCaching as a partition's slice uses it: with the distances of the slice's site.
class PartitionCaching {
 public:
  /// `site.caching` must not be null. The policy must outlive the object.
  explicit PartitionCaching(const SliceSite& site);

  bool copies_written_lines() const { return written_; }
  /// Whether a load from the slice's own SMs, of a line of another home, is cached in the slice.
  bool at_requester(const MemoryRequest& request, std::uint64_t line) const {
    return decide(request, line, distance_of_slice_[request.home().slice.value]).at_requester;
  }
  /// Whether a line of the slice that other nodes have fetched stays.
  bool at_home(const MemoryRequest& request, std::uint64_t line) const {
    return decide(request, line, distance_of(request.requester)).at_home;
  }

 private:
  Caching decide(const MemoryRequest& request, std::uint64_t line, NodeDistance distance) const;
  /// Requesters other than SMs count as outside of the GPUs.
  NodeDistance distance_of(RequesterId requester) const {
    return requester.is_sm() ? distance_of_sm_[requester.sm().value] : NodeDistance::kOtherGpu;
  }

  const RemoteCaching& caching_;
  const bool written_;
  // Distance from this slice to each home slice, and from each SM to this slice.
  std::vector<NodeDistance> distance_of_slice_;
  std::vector<NodeDistance> distance_of_sm_;
};

}  // namespace tessera
