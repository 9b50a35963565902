// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera {

inline constexpr double kNano = 1e-9;
inline constexpr double kPico = 1e-12;
inline constexpr double kFemto = 1e-15;

}  // namespace tessera
