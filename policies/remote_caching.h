// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "policies/node_distance.h"
#include "policies/registry.h"

namespace tessera {

enum class RemoteAccessKind : std::uint8_t { kLoad, kStore, kAtomic };

/// Slices that can cache a remote line.
enum class RemoteAccessScope : std::uint8_t {
  kAny,
  kHome,    ///< only the home: a volatile access, or an access of system scope
  kPieces,  ///< none: the response has only the requested words of the line (DualOpt 4.1)
};

/// An access to a line whose home is not the requester's own slice.
struct RemoteAccess {
  RemoteAccessKind kind = RemoteAccessKind::kLoad;
  RemoteAccessScope scope = RemoteAccessScope::kAny;
  bool read_only = false;  ///< the line is not written during the kernel
  NodeDistance distance = NodeDistance::kSameModule;
  RequesterId requester;
  SliceId home;
  /// Number of the line's allocation, from 1 on, by ascending address. 0: unknown, as for the
  /// write-back of a cache.
  std::uint32_t allocation = 0;
  std::uint64_t line = 0;  ///< physical address / line size

  /// A load of a whole line that any slice can serve.
  bool is_plain_load() const {
    return kind == RemoteAccessKind::kLoad && scope == RemoteAccessScope::kAny;
  }
  /// A plain load of a line of the requester's own GPU that is not written during the kernel.
  bool is_replicable() const {
    return read_only && is_plain_load() && distance < NodeDistance::kOtherGpu;
  }
};

/// Slices that keep the line of a remote access.
struct Caching {
  /// The requester's slice. Applies only to loads, because stores and atomics are performed at
  /// home. True only for lines that cannot change while they are cached, unless the policy
  /// copies_written_lines(): slices are flushed at kernel ends, and are not coherent within a
  /// kernel. Has no effect if the response has only words of the line.
  bool at_requester = false;
  /// The home slice, if it does not hold the line yet. False: the home slice only forwards the
  /// line, unless a local request waits for it as well or the home slice has written bytes of it
  /// (NUBA section 3; in section 5 the home slice keeps it).
  bool at_home = true;
};

/// Caching of single allocations: [number]. Allocations without a value follow the policy.
using CachingByAllocation = std::vector<std::optional<Caching>>;

class ReplicationSwitch;

/// Decides which slices cache a line of another node. The requester's slice calls it once for each
/// remote load of whole lines, the home slice once for each access that misses there.
class RemoteCaching : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "remote_caching";

  /// The decision for slices: the current launch's setting for the access's allocation
  /// (LaunchPlan::caching), otherwise decide(). A launch cannot cache a line at the requester if
  /// its copy would miss stores.
  Caching caching_of(const RemoteAccess& access) const {
    if (planned_ && access.allocation < by_allocation_.size()) {
      const std::optional<Caching>& c = by_allocation_[access.allocation];
      if (c) {
        const bool possible =
            copies_written_lines() ? access.is_plain_load() : access.is_replicable();
        return {c->at_requester && possible, c->at_home};
      }
    }
    return decide(access);
  }
  /// The settings of a launch that begins. If no other kernel runs, they replace those of the
  /// launches before. Otherwise the later launch's setting of an allocation applies to all kernels.
  void plan(const CachingByAllocation& by_allocation, bool alone = true) {
    if (alone) by_allocation_.clear();
    by_allocation_.resize(std::max(by_allocation_.size(), by_allocation.size()));
    for (std::size_t i = 0; i < by_allocation.size(); ++i) {
      if (by_allocation[i]) by_allocation_[i] = by_allocation[i];
    }
    planned_ = !by_allocation_.empty();
  }

  virtual Caching decide(const RemoteAccess& access) const = 0;
  /// Whether home slices keep lines that only remote requests fetched. For blocks that use one
  /// setting for all accesses: slices of the roles "home" and "peer", MDR's sampler. Called at
  /// elaboration.
  bool keeps_at_home() const { return decide({}).at_home; }
  /// False: the requester never caches a line, and slices need no flush at kernel ends.
  virtual bool copies() const { return true; }
  /// True: copies follow software coherence (Milic et al., MICRO'17; LADM section III-E). A slice
  /// copies any line, also of other GPUs, and drops the copy at a store or atomic of its own SMs.
  /// It drops all copies at a fence of an SM of its partition.
  virtual bool copies_written_lines() const { return false; }
  /// The switch that an MDR engine sets for this policy. The platform has the engine if it is not
  /// null.
  virtual ReplicationSwitch* monitored() { return nullptr; }

 private:
  CachingByAllocation by_allocation_;
  bool planned_ = false;
};

/// The MDR engine's decision (NUBA section 5.1). Initially off.
class ReplicationSwitch final : public RemoteCaching {
 public:
  explicit ReplicationSwitch(bool at_home = true) : at_home_(at_home) {}

  Caching decide(const RemoteAccess& access) const override {
    return {on_ && access.is_replicable(), at_home_};
  }
  ReplicationSwitch* monitored() override { return this; }
  void set(bool on) { on_ = on; }
  bool on() const { return on_; }

 private:
  const bool at_home_;
  bool on_ = false;
};

}  // namespace tessera
