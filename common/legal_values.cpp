// SPDX-License-Identifier: Apache-2.0
#include "common/legal_values.h"

namespace tessera {
namespace {

/// 0 stands for none.
std::string either(std::uint64_t below, std::uint64_t above) {
  if (below == 0 && above == 0) return "";
  if (below == 0) return std::to_string(above);
  return std::to_string(below) + (above == 0 ? "" : " or " + std::to_string(above));
}

}  // namespace

std::string near_multiples(std::uint64_t value, std::uint64_t of) {
  const std::uint64_t below = value / of * of;
  return either(below, below + of);
}

std::string near_divisors(std::uint64_t value, std::uint64_t of) {
  std::uint64_t below = 0;
  std::uint64_t above = 0;
  for (std::uint64_t d = 1; d <= of; ++d) {
    if (of % d != 0) continue;
    if (d < value) below = d;
    if (d > value && above == 0) above = d;
  }
  return either(below, above);
}

std::string near_powers_of_two(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  std::uint64_t below = 0;
  std::uint64_t above = 0;
  for (std::uint64_t p = 1; p != 0; p <<= 1) {
    if (p < least || p > most) continue;
    if (p < value) below = p;
    if (p > value && above == 0) above = p;
  }
  return either(below, above);
}

void require_power_of_two(std::vector<std::string>& errors, const std::string& name,
                          std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  const bool power = value != 0 && (value & (value - 1)) == 0;
  if (power && value >= least && value <= most) return;
  errors.push_back(name + " (" + std::to_string(value) + ") must be a power of two from " +
                   std::to_string(least) + " to " + std::to_string(most) + ": " +
                   near_powers_of_two(value, least, most));
}

}  // namespace tessera
