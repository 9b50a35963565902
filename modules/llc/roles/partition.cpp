// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/roles/partition.h"

#include "modules/kernel/report.h"
#include "modules/llc/slice_pipeline.h"

namespace tessera {

namespace {

const RemoteCaching& caching_of(const SliceStages& slice, const SliceSite& site) {
  if (site.caching == nullptr) {
    SC_REPORT_FATAL(report::kConfiguration,
                    (std::string(slice.name()) + ": SliceSite::caching must be set").c_str());
  }
  return *site.caching;
}

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

PartitionRole::PartitionRole(SliceStages& slice, const SliceSite& site)
    : SliceRole(slice, site),
      caching_(caching_of(slice, site)),
      written_copies_(caching_.copies_written_lines()) {
  for (std::uint32_t i = 0; i < site.slices; ++i) {
    distance_of_slice_.push_back(distance(site.tree, site.slices, self_, SliceId(i)));
  }
  for (std::uint32_t i = 0; i < site.tree.sms; ++i) {
    distance_of_sm_.push_back(distance(site.tree, site.slices, SmId(i), self_));
  }
}

Caching PartitionRole::decide(const Access& a, NodeDistance distance) const {
  const MemoryRequest& request = *a.request;
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
  r.line = slice_.line_of(*a.payload);
  return caching_.caching_of(r);
}

namespace {

const PolicyRegistration<LlcSlice> kPartitionRole(
    "partition", "home of its partition's lines, and the way of its SMs to all others",
    make_slice<PartitionRole>);

}  // namespace

}  // namespace tessera
