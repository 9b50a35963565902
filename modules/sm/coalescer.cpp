// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/coalescer.h"

#include <algorithm>

namespace tessera {

namespace {

/// Whether all lanes are active and touch consecutive bytes in lane order.
bool is_consecutive(const MemoryOp& op) {
  if (op.active != ~std::uint32_t{0}) return false;
  const std::uint64_t step = op.lane_bytes;
  std::uint64_t expected = op.address[0];
  std::uint64_t different = 0;
  for (const std::uint64_t address : op.address) {
    different |= address ^ expected;
    expected += step;
  }
  return different == 0;
}

/// Handles the most common access: consecutive bytes, split at line boundaries.
void coalesce_run(const MemoryOp& op, unsigned line_bytes, CoalescedAccess& out) {
  const std::uint64_t end = op.address[0] + kWarpLanes * op.lane_bytes;
  unsigned lane = 0;
  for (std::uint64_t at = op.address[0]; at < end;) {
    const std::uint64_t line = at / line_bytes;
    const std::uint64_t stop = std::min(end, (line + 1) * line_bytes);
    const auto bytes = static_cast<unsigned>(stop - at);
    const unsigned lanes = bytes / op.lane_bytes;
    out.lines[out.count++] =
        LineAccess{line, ByteMask::range(static_cast<unsigned>(at % line_bytes), bytes),
                   (lanes == kWarpLanes ? ~std::uint32_t{0} : (1U << lanes) - 1) << lane};
    lane += lanes;
    at = stop;
  }
}

}  // namespace

void coalesce(const MemoryOp& op, unsigned line_bytes, CoalescedAccess& out) {
  out.count = 0;
  if (is_consecutive(op)) {
    coalesce_run(op, line_bytes, out);
    return;
  }
  unsigned last = 0;
  for (std::uint32_t left = op.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint64_t address = op.address[lane];
    const std::uint64_t line = address / line_bytes;
    if (out.count == 0 || out.lines[last].line != line) {
      for (last = 0; last < out.count && out.lines[last].line != line; ++last) {
      }
      if (last == out.count) {
        out.lines[last] = LineAccess{line, ByteMask{}, 0};
        ++out.count;
      }
    }
    LineAccess& l = out.lines[last];
    l.mask |= ByteMask::range(static_cast<unsigned>(address % line_bytes), op.lane_bytes);
    l.lanes |= 1U << lane;
  }
}

unsigned sectors_touched(ByteMask mask) {
  unsigned sectors = 0;
  for (std::uint64_t half : {mask.low, mask.high}) {
    sectors += ((half & 0xffffffffU) != 0 ? 1U : 0U) + ((half >> 32) != 0 ? 1U : 0U);
  }
  return sectors;
}

unsigned shared_memory_passes(const MemoryOp& op, unsigned banks) {
  const unsigned words = std::max(1U, op.lane_bytes / 4U);
  const unsigned lanes_at_once = kWarpLanes / words;
  unsigned passes = 0;
  for (unsigned first = 0; first < kWarpLanes; first += lanes_at_once) {
    // Distinct words, with one linked list per bank.
    std::array<std::uint64_t, kWarpLanes> seen;
    std::array<std::uint8_t, kWarpLanes> next;
    std::array<std::uint8_t, 64> head;
    std::array<std::uint8_t, 64> depth;
    std::fill_n(head.begin(), banks, std::uint8_t{0xff});
    std::fill_n(depth.begin(), banks, std::uint8_t{0});
    unsigned count = 0;
    unsigned worst = 0;
    for (unsigned lane = first; lane < first + lanes_at_once; ++lane) {
      if ((op.active >> lane & 1) == 0) continue;
      for (unsigned w = 0; w < words; ++w) {
        const std::uint64_t word = op.address[lane] / 4 + w;
        const auto bank = static_cast<unsigned>(word % banks);
        std::uint8_t i = head[bank];
        while (i != 0xff && seen[i] != word) i = next[i];
        if (i != 0xff) continue;
        seen[count] = word;
        next[count] = head[bank];
        head[bank] = static_cast<std::uint8_t>(count++);
        worst = std::max<unsigned>(worst, ++depth[bank]);
      }
    }
    passes += worst;
  }
  return std::max(passes, 1U);
}

}  // namespace tessera
