// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/llc/slice_role.h"

namespace tessera {

/// "remote_cache": a bank of a GPU's cache of other GPUs' lines, in front of the RDMA engine, which
/// is at `memory` (DualOpt section 4.2).
///
/// Until a flush, it handles other GPUs' lines as a home handles its own. Accesses that must reach
/// the home (atomics, section 4.4; volatile and system-scope accesses) are forwarded; a copy of
/// their line is written back before them and dropped. While RemoteAccessMode::remote_cache is
/// false, all requests bypass the arrays to `memory`, and the arrays hold no lines. The mode can
/// become true at any time; requests in flight complete in the mode in which they began.
///
/// Lines are interleaved over the banks by the number of their home slice.
/// Not modelled: coherence among the remote caches of several GPUs within a kernel.
class RemoteCacheRole final : public SliceRole {
 public:
  static constexpr const char* kBelow = "the RDMA engine";

  /// SC_FATAL if `site.access_mode` is null.
  RemoteCacheRole(SliceStages& slice, const SliceSite& site);

  bool serves(const Home&) const { return true; }
  Route route(const Access&) const {
    return access_mode_.remote_cache ? Route::kLookup : Route::kBypass;
  }
  /// Lines of different slices can have the same slice-local number. The index therefore counts
  /// through all slices whose lines map to the bank.
  std::uint64_t set_index(const Home& home) const {
    return home.slice_line * bank_slices_ + home.slice.value / banks_;
  }
  Output& onward() { return slice_.to_memory_; }

  bool owns(const Home&) const { return false; }
  bool must_reach_home(const MemoryRequest& r) const {
    return r.kind == RequestKind::kAtomic || r.bypass_l1;
  }
  Outcome write_back_and_forward(const Access& a, std::uint64_t line, CacheArray::Way way, Tick t);
  /// RDMA engines respond to a fine-grained load with words of the line only.
  bool comes_whole(const MemoryRequest& r) const { return !r.fine_grained; }
  bool is_copy(const Home&) const { return true; }

  bool passes_back(Payload& payload) const { return !slice_.awaits(payload); }
  ServedBy serves_as(const MemoryRequest&) const { return ServedBy::kRemoteCache; }

 private:
  const RemoteAccessMode& access_mode_;
  const std::uint32_t banks_;
  const std::uint64_t bank_slices_;  ///< slices of the system whose lines map to the bank
};

}  // namespace tessera
