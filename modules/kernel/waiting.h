// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "common/wait_kind.h"

namespace tessera {

/// A non-empty queue and the resource that it waits for, for the report of the watchdog.
struct Waiting {
  std::string queue;  ///< hierarchical name of the block, then the queue: "gpu0.llc3.lmr"
  std::size_t items = 0;
  WaitKind kind;          ///< no default: each block selects one
  std::string waits_for;  ///< "END_REQ from the response network", "a free MSHR", ...
};

}  // namespace tessera
