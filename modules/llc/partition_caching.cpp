// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/partition_caching.h"

namespace tessera {

namespace {

RemoteAccessKind kind_of(RequestKind kind) {
  switch (kind) {
    case RequestKind::kLoad:
    case RequestKind::kFill:
      return RemoteAccessKind::kLoad;
    case RequestKind::kAtomic:
      return RemoteAccessKind::kAtomic;
    default:
      return RemoteAccessKind::kStore;
  }
}

}  // namespace

PartitionCaching::PartitionCaching(const SliceSite& site)
    : caching_(*site.caching), written_(caching_.copies_written_lines()) {
  for (std::uint32_t i = 0; i < site.slices; ++i) {
    distance_of_slice_.push_back(distance(site.tree, site.slices, site.self, SliceId(i)));
  }
  for (std::uint32_t i = 0; i < site.tree.sms; ++i) {
    distance_of_sm_.push_back(distance(site.tree, site.slices, SmId(i), site.self));
  }
}

Caching PartitionCaching::decide(const MemoryRequest& request, std::uint64_t line,
                                 NodeDistance distance) const {
  RemoteAccess r;
  r.kind = kind_of(request.kind);
  r.read_only = request.read_only;
  r.scope = request.fine_grained ? RemoteAccessScope::kPieces
            : request.bypass_l1  ? RemoteAccessScope::kHome
                                 : RemoteAccessScope::kAny;
  r.distance = distance;
  r.requester = request.requester;
  r.home = request.home().slice;
  r.allocation = request.allocation;
  r.line = line;
  return caching_.caching_of(r);
}

}  // namespace tessera
