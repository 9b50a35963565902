// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/ids.h"

namespace tessera {

/// Location of a physical line, as seen by all blocks except its DRAM channel.
struct Location {
  SliceId slice;      ///< home LLC slice
  ChannelId channel;  ///< DRAM channel
  /// Line number within the slice, dense from 0. A cache derives its set index from it.
  std::uint64_t slice_line = 0;
};

}  // namespace tessera
