// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera {

/// Threads of a warp.
inline constexpr unsigned kWarpLanes = 32;

}  // namespace tessera
