// SPDX-License-Identifier: Apache-2.0
#pragma once

// AES-256 on the CPU (FIPS 197), byte by byte like in the standard: the reference of the workload
// aes. Slow, and not protected against timing attacks.

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::kernels::aes {

inline constexpr std::size_t kRounds = 14;
using Block = std::array<std::uint8_t, 16>;
using Key = std::array<std::uint8_t, 32>;

/// The S-box: the inverse in the field of 256 elements, followed by an affine map.
std::array<std::uint8_t, 256> substitutes();

/// The concatenated keys of all rounds: 16 * (kRounds + 1) bytes.
std::vector<std::uint8_t> round_keys(const Key& key);

Block encrypted(Block block, const std::vector<std::uint8_t>& round_keys);

}  // namespace tessera::kernels::aes
