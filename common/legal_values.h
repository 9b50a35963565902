// SPDX-License-Identifier: Apache-2.0
#pragma once

// The legal values next to a refused one, for messages.

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// The nearest multiples of `of` below and above `value`, without 0: "8 or 12".
std::string near_multiples(std::uint64_t value, std::uint64_t of);
/// The nearest divisors of `of` below and above `value`: "4 or 8". `of` is at least 1.
std::string near_divisors(std::uint64_t value, std::uint64_t of);
/// The nearest powers of two below and above `value` that are `least` to `most`: "64 or 128". Empty
/// if there is none.
std::string near_powers_of_two(std::uint64_t value, std::uint64_t least, std::uint64_t most);

/// Appends "NAME (VALUE) must be a power of two from LEAST to MOST: 64 or 128" unless it is one.
/// `least` and `most` are powers of two.
void require_power_of_two(std::vector<std::string>& errors, const std::string& name,
                          std::uint64_t value, std::uint64_t least, std::uint64_t most);

}  // namespace tessera
