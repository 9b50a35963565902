// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "common/ids.h"

namespace tessera {

/// The GPU for which the engine decides: half-open ranges of its slices and SMs. Accesses to
/// other GPUs' lines are ignored; other GPUs' SMs never replicate this GPU's lines.
struct MdrEngineSite {
  std::pair<SliceId, SliceId> slices = {SliceId(0), SliceId(~std::uint32_t{0})};
  std::pair<SmId, SmId> sms = {SmId(0), SmId(~std::uint32_t{0})};
};

}  // namespace tessera
