// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/llc/slice_role.h"

namespace tessera {

/// "remote_cache": a bank of a GPU's cache of other GPUs' lines, in front of the RDMA engine, to
/// which `memory` leads (DualOpt section 4.2).
///
/// It does with other GPUs' lines as a home does with its own, until a flush. What the home must
/// see (atomics, section 4.4; volatile and system-scope accesses) passes on; a copy of its line is
/// written back before it, and dropped. While RemoteAccessMode::remote_cache is false everything
/// goes round the arrays to `memory`, and they hold nothing; it may become true at any time, and
/// what is under way ends as it began.
///
/// Lines are dealt over the banks by their home slice's number.
/// Not modelled: coherence among the remote caches of several GPUs within a kernel.
class RemoteCacheRole final : public SliceRole {
 public:
  static constexpr const char* kBelow = "the RDMA engine";

  /// Without `site.access_mode` an SC_FATAL.
  RemoteCacheRole(SliceStages& slice, const SliceSite& site);

  bool serves(const Home&) const { return true; }
  Route route(const Access&) const {
    return access_mode_.remote_cache ? Route::kLookup : Route::kBypass;
  }
  /// Lines of other GPUs' slices have slice-local numbers that meet: counted through all slices
  /// whose lines the bank may get.
  std::uint64_t set_index(const Home& home) const {
    return home.slice_line * bank_slices_ + home.slice.value / banks_;
  }
  Output& onward() { return slice_.to_memory_; }

  bool owns(const Home&) const { return false; }
  bool passes_on(const MemoryRequest& r) const {
    return r.kind == RequestKind::kAtomic || r.bypass_l1;
  }
  Outcome pass_on(const Access& a, std::uint64_t line, CacheArray::Frame frame, Tick t);
  /// RDMA engines answer a fine-grained load with pieces.
  bool comes_whole(const MemoryRequest& r) const { return !r.fine_grained; }
  bool is_copy(const Home&) const { return true; }

  bool passes_back(Payload& payload) const { return !slice_.awaits(payload); }
  /// The home's own note stays.
  bool stamps_departure(const MemoryRequest& request) const {
    return request.stamps[static_cast<std::size_t>(Hop::kFromLlc)] == kNever;
  }

 private:
  const RemoteAccessMode& access_mode_;
  const std::uint32_t banks_;
  const std::uint64_t bank_slices_;  ///< slices of the system whose lines the bank may get
};

}  // namespace tessera
