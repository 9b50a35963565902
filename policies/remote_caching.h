// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "policies/node_distance.h"
#include "policies/registry.h"

namespace tessera {

enum class RemoteAccessKind : std::uint8_t { kLoad, kStore, kAtomic };

/// Where a line may be cached on its way from its home.
enum class RemoteAccessScope : std::uint8_t {
  kAny,
  kHome,    ///< nowhere but at home: a volatile access, or one of system scope
  kPieces,  ///< nowhere: of the line, only the pieces that were asked for come back (DualOpt 4.1)
};

/// An access to a line whose home is not the requester's own slice.
struct RemoteAccess {
  RemoteAccessKind kind = RemoteAccessKind::kLoad;
  RemoteAccessScope scope = RemoteAccessScope::kAny;
  bool read_only = false;  ///< no one writes the line during the kernel
  NodeDistance distance = NodeDistance::kSameModule;
  RequesterId requester;
  SliceId home;
  /// Number of the allocation that the line belongs to, from 1 on, by ascending address. 0:
  /// unknown, as for the write-back of a cache.
  std::uint32_t allocation = 0;
  std::uint64_t line = 0;  ///< physical address / line size

  /// A load of a whole line of the requester's own GPU that no one writes meanwhile.
  bool is_replicable() const {
    return read_only && kind == RemoteAccessKind::kLoad && scope == RemoteAccessScope::kAny &&
           distance < NodeDistance::kOtherGpu;
  }
};

/// Which slices keep the line of a remote access.
struct Caching {
  /// The requester's own. Asked of loads only: stores and atomics are performed at home. True only
  /// for lines that cannot change while they are there: slices are flushed at kernel ends, and not
  /// kept coherent within a kernel. Where only pieces come back, nothing is kept all the same.
  bool at_requester = false;
  /// The home slice, where the line was not there yet. False: it is only forwarded, unless a local
  /// request waits for it too or it holds written bytes (NUBA section 3; section 5 keeps it).
  bool at_home = true;
};

/// Caching of single allocations: [number]. Those without a value follow the policy.
using CachingByAllocation = std::vector<std::optional<Caching>>;

class ReplicationSwitch;

/// Decides where a line of another node is cached. The requester's slice asks once for each remote
/// load of whole lines, the home slice once for each access that misses there.
class RemoteCaching : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "remote_caching";

  /// The slices' question: the present launch's answer for the access's allocation
  /// (LaunchPlan::caching), else decide(). A launch cannot have lines kept at the requester that
  /// are not replicable: copies would miss stores.
  Caching caching_of(const RemoteAccess& access) const {
    if (planned_ && access.allocation < by_allocation_.size()) {
      const std::optional<Caching>& c = by_allocation_[access.allocation];
      if (c) return {c->at_requester && access.is_replicable(), c->at_home};
    }
    return decide(access);
  }
  /// Replaces the present launch's answers. To be called while no kernel runs.
  void plan(CachingByAllocation by_allocation) {
    by_allocation_ = std::move(by_allocation);
    planned_ = !by_allocation_.empty();
  }

  virtual Caching decide(const RemoteAccess& access) const = 0;
  /// Whether home slices keep lines that only remote requests fetched, for blocks with one answer
  /// for all accesses: slices of the roles "home" and "peer", MDR's sampler. Asked at elaboration.
  bool keeps_at_home() const { return decide({}).at_home; }
  /// False: nothing is ever cached at the requester, and slices need no flush at kernel ends.
  virtual bool copies() const { return true; }
  /// What an MDR engine sets for this policy; the platform has the engine where this is not null.
  virtual ReplicationSwitch* monitored() { return nullptr; }

 private:
  CachingByAllocation by_allocation_;
  bool planned_ = false;
};

/// What the MDR engine decides (NUBA section 5.1). Off at first.
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
