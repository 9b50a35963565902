// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/ids.h"
#include "policies/registry.h"

namespace tessera {

/// A load of a line whose home is not the requester's own slice.
struct RemoteAccess {
  bool read_only = false;  ///< no one writes the line during the kernel
  RequesterId requester;
  SliceId home;
  std::uint64_t line = 0;  ///< physical address / line size
};

/// Which slices keep the line of a remote load.
struct Caching {
  /// The requester's own. True only for lines that cannot change while they are there: slices are
  /// flushed at kernel ends, and not kept coherent within a kernel.
  bool at_requester = false;
  /// The home slice, where the line was not there yet. False: it is only forwarded, unless a local
  /// request waits for it too or it holds written bytes.
  bool at_home = true;
};

class ReplicationSwitch;

/// Decides where a line of another node is cached. The requester's slice asks once for each remote
/// load, its home once for each that misses there.
class RemoteCaching : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "remote_caching";
  virtual Caching decide(const RemoteAccess& access) const = 0;
  /// False: nothing is ever cached at the requester, and slices need no flush at kernel ends.
  virtual bool copies() const { return true; }
  /// What an MDR engine sets for this policy; the platform has the engine where this is not null.
  virtual ReplicationSwitch* monitored() { return nullptr; }
};

/// `policy`, for lines whose home is from `first` to before `end`; all others are forwarded, and
/// cached at no requester. `policy` outlives it.
std::unique_ptr<RemoteCaching> make_caching_within(const RemoteCaching& policy, SliceId first,
                                                   SliceId end);

/// What the MDR engine decides (NUBA section 5.1). Off at first.
class ReplicationSwitch final : public RemoteCaching {
 public:
  Caching decide(const RemoteAccess& access) const override { return {on_ && access.read_only}; }
  ReplicationSwitch* monitored() override { return this; }
  void set(bool on) { on_ = on; }
  bool on() const { return on_; }

 private:
  bool on_ = false;
};

}  // namespace tessera
