// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/capture_codec.h"

#include <utility>

#include "common/error.h"
#include "stimuli/traces/varint.h"

namespace tessera::traces {
namespace {

// Bits of a record's first byte.
constexpr unsigned kSameMaskBit = 1;       ///< as the record before
constexpr unsigned kNextOperationBit = 2;  ///< the one after the record before
constexpr unsigned kAddressesBit = 4;      ///< one base and one stride
constexpr unsigned kDifferencesBit = 8;  ///< with kAddressesBit: a difference for each lane instead
constexpr unsigned kOtherLanesBit = 16;  ///< lanes with an address are not those of the mask
constexpr unsigned kWaitBit = 32;        ///< a wait's end follows
constexpr unsigned kKnownBits = 63;

// Bits of a wait's first number.
constexpr unsigned kLimitedBit = 1;
constexpr unsigned kOtherWarpsBit = 2;

constexpr std::size_t kMostWarps = 64;

/// Whether the lanes' addresses have one difference.
bool has_stride(const CapturedRecord& r, std::uint64_t& stride) {
  if (r.lanes == ~std::uint32_t{0}) {
    stride = r.address[1] - r.address[0];
    std::uint64_t differs = 0;
    for (unsigned i = 2; i < kWarpLanes; ++i) {
      differs |= (r.address[i] - r.address[i - 1]) ^ stride;
    }
    return differs == 0;
  }
  stride = 0;
  std::uint64_t before = 0;
  unsigned lanes = 0;
  for (std::uint32_t left = r.lanes; left != 0; left &= left - 1, ++lanes) {
    const std::uint64_t at = r.address[static_cast<unsigned>(__builtin_ctz(left))];
    if (lanes == 1) stride = at - before;
    if (lanes > 1 && at - before != stride) return false;
    before = at;
  }
  return true;
}

void add_wait(const WaitEnd& w, std::string& out) {
  add_varint(out, (w.limited ? kLimitedBit : 0U) | (w.warps.empty() ? 0U : kOtherWarpsBit));
  if (w.limited) return;
  add_varint(out, w.first_copies);
  add_varint(out, w.copies);
  if (w.warps.empty()) return;
  add_varint(out, w.warps.size());
  for (const WaitEnd::Progress& p : w.warps) {
    add_varint(out, p.issued);
    add_varint(out, p.copies);
  }
}

std::uint32_t take_word(std::string_view bytes, std::size_t& at) {
  return static_cast<std::uint32_t>(take_varint(bytes, at));
}

void take_wait(std::string_view bytes, std::size_t& at, WaitEnd& w) {
  const std::uint64_t bits = take_varint(bytes, at);
  w = WaitEnd{};
  w.limited = (bits & kLimitedBit) != 0;
  if (w.limited) return;
  w.first_copies = take_word(bytes, at);
  w.copies = take_word(bytes, at);
  if ((bits & kOtherWarpsBit) == 0) return;
  const std::uint64_t count = take_varint(bytes, at);
  if (count > kMostWarps) throw InputError("a wait for more warps than a CTA has");
  w.warps.resize(count);
  for (WaitEnd::Progress& p : w.warps) {
    p.issued = take_word(bytes, at);
    p.copies = take_word(bytes, at);
  }
}

}  // namespace

std::uint64_t take_varint(std::string_view bytes, std::size_t& at) {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at >= bytes.size()) throw InputError("a warp's records are too short");
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    out |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) == 0) break;
  }
  return out;
}

void encode(const CapturedRecord& record, CaptureState& state, std::string& out) {
  const CapturedRecord& r = record;
  std::uint64_t stride = 0;
  unsigned bits = 0;
  if (r.mask == state.mask) bits |= kSameMaskBit;
  if (r.operation == state.next_operation) bits |= kNextOperationBit;
  if (r.has_addresses) {
    bits |= kAddressesBit;
    if (!has_stride(r, stride)) bits |= kDifferencesBit;
    if (r.lanes != r.mask) bits |= kOtherLanesBit;
  }
  if (r.has_wait) bits |= kWaitBit;
  out.push_back(static_cast<char>(bits));
  if ((bits & kNextOperationBit) == 0) {
    add_varint(out, folded(std::uint64_t{r.operation} - state.next_operation));
  }
  state.next_operation = r.operation + 1;
  if ((bits & kSameMaskBit) == 0) add_varint(out, r.mask);
  state.mask = r.mask;
  if (r.has_wait) add_wait(r.wait, out);
  if (!r.has_addresses) return;
  if ((bits & kOtherLanesBit) != 0) add_varint(out, r.lanes);
  if (r.lanes == 0) return;
  std::uint64_t before =
      std::exchange(state.address, r.address[static_cast<unsigned>(__builtin_ctz(r.lanes))]);
  add_varint(out, folded(state.address - before));
  if ((bits & kDifferencesBit) == 0) {
    add_varint(out, folded(stride));
    return;
  }
  before = state.address;
  for (std::uint32_t left = r.lanes & (r.lanes - 1); left != 0; left &= left - 1) {
    const std::uint64_t at = r.address[static_cast<unsigned>(__builtin_ctz(left))];
    add_varint(out, folded(at - before));
    before = at;
  }
}

void decode(std::string_view bytes, std::size_t& at, CaptureState& state, CapturedRecord& out) {
  if (at >= bytes.size()) throw InputError("a warp's records are too short");
  const auto bits = static_cast<unsigned char>(bytes[at++]);
  if ((bits & ~kKnownBits) != 0) throw InputError("a record of an unknown form");
  out.operation = state.next_operation;
  if ((bits & kNextOperationBit) == 0) {
    out.operation += static_cast<std::uint32_t>(unfolded(take_varint(bytes, at)));
  }
  state.next_operation = out.operation + 1;
  out.mask = (bits & kSameMaskBit) != 0 ? state.mask : take_word(bytes, at);
  state.mask = out.mask;
  out.lanes = out.mask;
  out.has_addresses = (bits & kAddressesBit) != 0;
  out.has_wait = (bits & kWaitBit) != 0;
  if (out.has_wait) take_wait(bytes, at, out.wait);
  if (!out.has_addresses) return;
  if ((bits & kOtherLanesBit) != 0) out.lanes = take_word(bytes, at);
  if (out.lanes == 0) return;
  std::uint64_t address = state.address + unfolded(take_varint(bytes, at));
  state.address = address;
  const bool strided = (bits & kDifferencesBit) == 0;
  const std::uint64_t stride = strided ? unfolded(take_varint(bytes, at)) : 0;
  bool first = true;
  for (std::uint32_t left = out.lanes; left != 0; left &= left - 1) {
    if (!first) address += strided ? stride : unfolded(take_varint(bytes, at));
    first = false;
    out.address[static_cast<unsigned>(__builtin_ctz(left))] = address;
  }
}

}  // namespace tessera::traces
