// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera {

/// Locality of an array in a kernel: the rows of LADM's Table II. The value is the row's number.
enum class LocalityType : std::uint8_t {
  kNoLocality = 1,        ///< CTAs access different datablocks
  kRowHorizontal = 2,     ///< CTAs of a grid row share a row of datablocks
  kRowVertical = 3,       ///< CTAs of a grid column share a row of datablocks
  kColumnHorizontal = 4,  ///< CTAs of a grid row share a column of datablocks
  kColumnVertical = 5,    ///< CTAs of a grid column share a column of datablocks
  kIntraThread = 6,       ///< a thread accesses consecutive elements in consecutive iterations
  kUnclassified = 7,
};

/// How the CTAs of one launch access an array (LADM section III-C).
struct ArrayLocality {
  LocalityType type = LocalityType::kUnclassified;
  /// Distance of a CTA's datablocks in consecutive iterations of the outermost loop; 0: no loop, or
  /// a negative distance.
  std::uint64_t stride_bytes = 0;
  std::uint64_t datablock_bytes = 0;  ///< that a CTA accesses in an iteration; 0: not known
  /// Column motion: distance of consecutive rows of the array; 0: not known.
  std::uint64_t row_bytes = 0;
  /// The datablock is a tile: its rows are apart, with those of other CTAs between them.
  bool tile = false;
};

}  // namespace tessera
