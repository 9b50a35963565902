// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tessera's own compact records of a warp's instructions, in which a spool file holds them. An
// instruction is the number of its static part, its mask and its addresses, as differences: 3 to 10
// bytes for usual accesses, 2 for others.

#include <cstdint>
#include <string>

#include "stimuli/traces/trace_instruction.h"

namespace tessera::traces {

/// What the records of a warp refer to: the fields of the record before.
struct SpoolState {
  std::uint32_t next_operation = 0;
  Address address = 0;
};

/// Appends a record. `operation`: number of its static part.
void encode(const TraceInstruction& instruction, std::uint32_t operation, SpoolState& state,
            std::string& out);

/// A record of the spool: TraceInstruction without its static part.
struct SpoolRecord {
  std::uint32_t operation = 0;
  std::uint32_t mask = 0;
  std::array<Address, kWarpLanes> address;
  std::vector<Address> pieces;
  std::uint32_t piece_bytes = 0;
};

/// Decodes a record. `next_byte` returns the next byte of the warp's stream.
template <class NextByte>
void decode(SpoolState& state, SpoolRecord& out, NextByte next_byte);

namespace detail {

enum SpoolControl : unsigned {
  kFullMask = 1,
  kFormShift = 1,
};
enum class SpoolForm : unsigned { kNone, kStride, kDifferences, kPieces };

template <class NextByte>
std::uint64_t read_varint(NextByte& next_byte) {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint64_t byte = next_byte();
    out |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) break;
  }
  return out;
}

inline std::uint64_t unfold(std::uint64_t v) { return v >> 1 ^ (~(v & 1) + 1); }

}  // namespace detail

template <class NextByte>
void decode(SpoolState& state, SpoolRecord& out, NextByte next_byte) {
  using detail::read_varint;
  using detail::unfold;
  out.operation = state.next_operation + static_cast<std::uint32_t>(unfold(read_varint(next_byte)));
  state.next_operation = out.operation + 1;
  const unsigned control = next_byte();
  out.mask = ~std::uint32_t{0};
  if ((control & detail::kFullMask) == 0) {
    out.mask = static_cast<std::uint32_t>(read_varint(next_byte));
  }
  out.pieces.clear();
  const auto form = static_cast<detail::SpoolForm>(control >> detail::kFormShift);
  if (form == detail::SpoolForm::kNone) return;
  if (form == detail::SpoolForm::kPieces) {
    out.piece_bytes = static_cast<std::uint32_t>(read_varint(next_byte));
    const std::uint64_t count = read_varint(next_byte);
    for (std::uint64_t i = 0; i < count; ++i) {
      state.address += unfold(read_varint(next_byte));
      out.pieces.push_back(state.address);
    }
    return;
  }
  const Address base = state.address + unfold(read_varint(next_byte));
  state.address = base;
  Address at = base;
  const std::uint64_t stride =
      form == detail::SpoolForm::kStride ? unfold(read_varint(next_byte)) : 0;
  bool first = true;
  for (std::uint32_t left = out.mask; left != 0; left &= left - 1) {
    if (!first) {
      at += form == detail::SpoolForm::kStride ? stride : unfold(read_varint(next_byte));
    }
    first = false;
    out.address[static_cast<unsigned>(__builtin_ctz(left))] = at;
  }
}

}  // namespace tessera::traces
