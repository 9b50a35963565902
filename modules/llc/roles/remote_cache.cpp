// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/roles/remote_cache.h"

#include "modules/kernel/report.h"
#include "modules/llc/slice_pipeline.h"

namespace tessera {

namespace {

const RemoteAccessMode& access_mode_of(const SliceStages& slice, const SliceSite& site) {
  if (site.access_mode == nullptr) {
    SC_REPORT_FATAL(report::kConfiguration,
                    (std::string(slice.name()) + ": SliceSite::access_mode must be set").c_str());
  }
  return *site.access_mode;
}

}  // namespace

RemoteCacheRole::RemoteCacheRole(SliceStages& slice, const SliceSite& site)
    : SliceRole(slice, site),
      access_mode_(access_mode_of(slice, site)),
      banks_(site.remote_banks),
      bank_slices_(std::uint64_t{slice.map_.geometry().channels} *
                   slice.map_.geometry().slices_per_channel / site.remote_banks) {}

/// Forwards an access to its home after a lookup. Dirty bytes of the line are written back before
/// it.
SliceRole::Outcome RemoteCacheRole::write_back_and_forward(const Access& a, std::uint64_t,
                                                           CacheArray::Way way, Tick t) {
  if (way != CacheArray::kNone) {
    if (slice_.array_.locked(way)) return slice_.stall(a, slice_.stats_.stalls_mshr);
    if (!slice_.array_.dirty(way).none()) slice_.write_back(way, a.request->launch, t);
    slice_.array_.invalidate(way);
  }
  ++slice_.stats_.bypasses;
  slice_.send_bypass(slice_.to_memory_, a, t, 0);
  return Outcome::kDone;
}

namespace {

const PolicyRegistration<LlcSlice> kRemoteCacheRole("remote_cache", "a cache of other GPUs' lines",
                                                    make_slice<RemoteCacheRole>);

}  // namespace

}  // namespace tessera
