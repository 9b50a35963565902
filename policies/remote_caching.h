// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "common/ids.h"
namespace tessera {
struct RemoteAccess {
  bool read_only = false;
  SmId requester;
  SliceId home;
  std::uint64_t line = 0;
};
class RemoteCaching {
 public:
  virtual ~RemoteCaching() = default;
  virtual bool replicate(const RemoteAccess& access) const = 0;
};
}  // namespace tessera
