// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "stimuli/runner/part.h"

namespace tessera::kernels {

/// CPU reference of a max pooling of squares of 3 x 3 elements, two apart, of `maps` square maps of
/// `in_size` rows into maps of `size` rows. Elements outside a map do not count. A maximum's error
/// is at most that of its terms.
inline std::vector<Element64> max_pooled(const std::vector<Element64>& in, std::size_t maps,
                                         std::size_t in_size, std::size_t size) {
  std::vector<Element64> out;
  for (std::size_t map = 0; map < maps; ++map) {
    for (std::size_t at = 0; at < size * size; ++at) {
      Element64 best;
      for (std::size_t tap = 0; tap < 9; ++tap) {
        const std::size_t row = at / size * 2 + tap / 3;
        const std::size_t column = at % size * 2 + tap % 3;
        if (row >= in_size || column >= in_size) continue;
        const Element64& element = in[(map * in_size + row) * in_size + column];
        best.value = std::max(best.value, element.value);
        best.allowed = std::max(best.allowed, element.allowed);
      }
      out.push_back(best);
    }
  }
  return out;
}

}  // namespace tessera::kernels
