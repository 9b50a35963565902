// SPDX-License-Identifier: Apache-2.0
#pragma once

// Integer arithmetic in manifests: "ceil_div(n, 128) * 2".

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tessera::kernels {

/// The names that a manifest's expressions can use, with their values.
using Sizes = std::map<std::string, std::int64_t>;

/// The value of an expression over 64-bit integers: + - * / % (truncating, as in C), unary minus,
/// parentheses, ceil_div(a, b), min(a, b), max(a, b), decimal numbers and names. Throws InputError
/// with the column for a syntax error, an unknown name (with the nearest known one), division by
/// zero and overflow.
std::int64_t evaluate(std::string_view expression, const Sizes& sizes);

}  // namespace tessera::kernels
