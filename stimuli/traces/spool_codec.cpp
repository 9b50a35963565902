// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/spool_codec.h"

#include "stimuli/traces/varint.h"

namespace tessera::traces {
namespace {

/// Whether the active lanes' addresses have one difference.
bool has_stride(const TraceInstruction& i, std::uint64_t& stride) {
  bool any = false;
  stride = 0;
  Address before = 0;
  unsigned lanes = 0;
  for (std::uint32_t left = i.mask; left != 0; left &= left - 1, ++lanes) {
    const Address at = i.address[static_cast<unsigned>(__builtin_ctz(left))];
    if (lanes == 1) stride = at - before;
    if (lanes > 1 && at - before != stride) any = true;
    before = at;
  }
  return !any;
}

}  // namespace

void encode(const TraceInstruction& instruction, std::uint32_t operation, SpoolState& state,
            std::string& out) {
  using detail::SpoolForm;
  const TraceInstruction& i = instruction;
  add_varint(out, folded(static_cast<std::uint64_t>(std::int64_t{operation} -
                                                    std::int64_t{state.next_operation})));
  state.next_operation = operation + 1;
  SpoolForm form = SpoolForm::kNone;
  std::uint64_t stride = 0;
  if (!i.pieces.empty()) {
    form = SpoolForm::kPieces;
  } else if (i.operation.action == TraceAction::kMemory && i.mask != 0) {
    form = has_stride(i, stride) ? SpoolForm::kStride : SpoolForm::kDifferences;
  }
  const bool full = i.mask == ~std::uint32_t{0};
  out.push_back(static_cast<char>(static_cast<unsigned>(form) << detail::kFormShift |
                                  (full ? detail::kFullMask : 0U)));
  if (!full) add_varint(out, i.mask);
  if (form == SpoolForm::kNone) return;
  if (form == SpoolForm::kPieces) {
    add_varint(out, i.piece_bytes);
    add_varint(out, i.pieces.size());
    for (const Address at : i.pieces) {
      add_varint(out, folded(at - state.address));
      state.address = at;
    }
    return;
  }
  bool first = true;
  Address before = state.address;
  for (std::uint32_t left = i.mask; left != 0; left &= left - 1) {
    const Address at = i.address[static_cast<unsigned>(__builtin_ctz(left))];
    if (first) state.address = at;
    if (first || form == SpoolForm::kDifferences) add_varint(out, folded(at - before));
    if (first && form == SpoolForm::kStride) add_varint(out, folded(stride));
    first = false;
    before = at;
  }
}

}  // namespace tessera::traces
