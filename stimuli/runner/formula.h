// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers of a manifest, before evaluation.

#include <cstdint>
#include <string>
#include <variant>

namespace tessera::kernels {

/// An integer expression and its location in the manifest.
struct Formula {
  std::string text = "0";
  std::string pointer;
};

/// An integer expression or a real number.
using Number = std::variant<Formula, double>;

/// One value of a list. Integer types use `integer` (u64: modulo 2^64), floating-point types
/// `real`.
struct Literal {
  double real = 0;
  std::int64_t integer = 0;
};

}  // namespace tessera::kernels
