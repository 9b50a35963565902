// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/ids.h"

namespace tessera {

/// A load of a line whose home is not the requester's own slice.
struct RemoteAccess {
  bool read_only = false;  ///< no one writes the line during the kernel
  SmId requester;
  SliceId home;
  std::uint64_t line = 0;  ///< physical address / line size
};

/// Decides whether a line of another node is cached in the requester's LLC slice. Asked once for
/// each remote load.
class RemoteCaching {
 public:
  virtual ~RemoteCaching() = default;
  /// True only for lines that cannot change while they are cached here: slices are flushed at
  /// kernel ends, and not kept coherent within a kernel.
  virtual bool replicate(const RemoteAccess& access) const = 0;
};

/// "home": nothing is cached away from its home. "full-replication": read-only lines are (NUBA
/// section 5.2). "mdr": read-only lines are while a ReplicationSwitch is on.
/// Throws InputError (with the nearest name) for an unknown name.
std::unique_ptr<RemoteCaching> make_remote_caching(const std::string& name);
void register_remote_caching(const std::string& name, std::unique_ptr<RemoteCaching> (*factory)());
std::vector<std::string> remote_caching_names();

/// What the MDR engine decides (NUBA section 5.1). Off at first.
class ReplicationSwitch final : public RemoteCaching {
 public:
  bool replicate(const RemoteAccess& access) const override { return on_ && access.read_only; }
  void set(bool on) { on_ = on; }
  bool on() const { return on_; }

 private:
  bool on_ = false;
};

}  // namespace tessera
