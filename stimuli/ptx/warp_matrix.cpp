// SPDX-License-Identifier: Apache-2.0
// ldmatrix and stmatrix (PTX ISA 9.7.14.5.15, 9.7.14.5.16): matrices of 8 by 8 elements of 16 bits,
// in shared memory by rows of 16 bytes. Lane 8 m + r addresses row r of matrix m.

#include <array>

#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

constexpr unsigned kRows = 8;
using Row = std::array<std::uint16_t, kRows>;
using Matrix = std::array<Row, kRows>;

/// Row and column of element e of a lane's register.
struct Position {
  unsigned row;
  unsigned column;
};
Position position(unsigned lane, unsigned e, bool transposed) {
  const Position p{lane / 4, lane % 4 * 2 + e};
  return transposed ? Position{p.column, p.row} : p;
}

}  // namespace

/// The access of the lanes that have addresses; its values are settled at issue.
void Warp::access_matrix(const Decoded& d, std::uint32_t mask, IssueResult& result) {
  check_together(mask);
  const unsigned lanes = kRows * (d.aux & Decoded::kMatrices);
  std::uint32_t addressed = lanes == kWarpLanes ? kAllLanes : (1u << lanes) - 1;
  MemoryOp& op = result.memory;
  AddressSummary summary;
  const StateSpace space = address_access(d, addressed, result, summary);
  result.active = mask;
  if (space != StateSpace::kShared || unserved_ != 0) {
    fail_access(op, space != StateSpace::kShared ? 0 : first_lane(unserved_),
                "the address is not in shared memory");
  }
  op.space = Space::kShared;
  check_window(op, summary, launch_.shared_bytes(), "shared memory");
  if (races_) return run_checked(d, op, cta_.shared(), op.address.data(), &Warp::run_matrix);
  run_matrix(d, op, cta_.shared(), op.address.data());
}

void Warp::run_matrix(const Decoded& d, const MemoryOp& op, std::byte* base,
                      const std::uint64_t* offsets) {
  const bool transposed = (d.aux & Decoded::kTransposed) != 0;
  const unsigned count = d.aux & Decoded::kMatrices;
  const auto row_at = [&](unsigned m, unsigned r) { return base + offsets[kRows * m + r]; };
  for (unsigned m = 0; m < count; ++m) {
    Matrix matrix;
    std::byte* const registers = frame_.at(d.slot[m]);
    if (op.kind == AccessKind::kLoad) {
      for (unsigned r = 0; r < kRows; ++r) __builtin_memcpy(&matrix[r], row_at(m, r), sizeof(Row));
    }
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      std::array<std::uint16_t, 2> pair;
      std::byte* const at = registers + 4 * lane;
      if (op.kind == AccessKind::kStore) __builtin_memcpy(&pair, at, sizeof pair);
      for (unsigned e = 0; e < 2; ++e) {
        const Position p = position(lane, e, transposed);
        if (op.kind == AccessKind::kStore) {
          matrix[p.row][p.column] = pair[e];
        } else {
          pair[e] = matrix[p.row][p.column];
        }
      }
      if (op.kind == AccessKind::kLoad) __builtin_memcpy(at, &pair, sizeof pair);
    }
    if (op.kind == AccessKind::kStore) {
      for (unsigned r = 0; r < kRows; ++r) __builtin_memcpy(row_at(m, r), &matrix[r], sizeof(Row));
    }
  }
}

}  // namespace tessera::ptx
