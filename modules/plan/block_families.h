// SPDX-License-Identifier: Apache-2.0
#pragma once

// The names of families and of their implementations. How blocks are made: block_family.h.

#include <string>
#include <vector>

namespace tessera {

/// Throws InputError for an unknown family.
std::vector<std::string> block_implementations(const std::string& family);

/// Families, in alphabetical order, each with an earlier name of its parameter, or none.
struct BlockFamily {
  std::string name;
  std::string alias;
};
std::vector<BlockFamily> block_families();

}  // namespace tessera
