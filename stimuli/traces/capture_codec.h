// SPDX-License-Identifier: Apache-2.0
#pragma once

// The records of a captured warp: 1 byte for an instruction that follows the one before with the
// same lanes, and a few more for an access whose addresses have one stride
// (docs/guide/captured-traces.md, "Records").

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/warp_lanes.h"

namespace tessera::traces {

/// What had happened when a wait for asynchronous copies or for a phase of an mbarrier ended.
struct WaitEnd {
  /// It did not end: the instruction issued after a limited time.
  bool limited = false;
  /// Copies of the warp: all of the first `first_copies` have ended, and `copies` in all.
  std::uint32_t first_copies = 0;
  std::uint32_t copies = 0;
  /// Of a wait for other warps, for each warp of the CTA: instructions that it has issued, and its
  /// copies that have ended. Empty: a wait for the warp's own copies.
  struct Progress {
    std::uint32_t issued = 0;
    std::uint32_t copies = 0;
  };
  std::vector<Progress> warps;
};

struct CapturedRecord {
  std::uint32_t operation = 0;  ///< index of CapturedRun::operations
  std::uint32_t mask = 0;       ///< lanes that execute it
  std::uint32_t lanes = 0;      ///< lanes with an address
  bool has_addresses = false;
  bool has_wait = false;
  std::array<std::uint64_t, kWarpLanes> address;
  WaitEnd wait;
};

/// What records refer to: fields of the one before.
struct CaptureState {
  std::uint32_t next_operation = 0;
  std::uint32_t mask = ~std::uint32_t{0};
  std::uint64_t address = 0;
};

void encode(const CapturedRecord& record, CaptureState& state, std::string& out);

/// Decodes the record at `at` and moves `at` after it. Throws InputError (without the file's name)
/// if the bytes end before the record does.
void decode(std::string_view bytes, std::size_t& at, CaptureState& state, CapturedRecord& out);

/// The number at `at` (varint.h), which moves after it. Throws as decode() does.
std::uint64_t take_varint(std::string_view bytes, std::size_t& at);

}  // namespace tessera::traces
