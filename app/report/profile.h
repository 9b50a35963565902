// SPDX-License-Identifier: Apache-2.0
#pragma once

// The profile of a run (tessera run --profile): "profile" of stats.json by lines of source and by
// arrays.

#include <cstdint>
#include <string>
#include <vector>

#include "app/report/share.h"
#include "common/json_fwd.h"

namespace tessera::app {

/// A line of the CUDA file or, where the PTX has no .loc, of the PTX.
struct ProfiledLine {
  std::string kernel;
  std::string place;               ///< "mm.cu:12", as the compiler wrote the file's name
  std::string text;                ///< of the line; empty: its file was not found
  bool is_source = false;          ///< of the CUDA file
  std::uint64_t instructions = 0;  ///< of the PTX that access memory
  std::uint64_t warp_accesses = 0;
  std::uint64_t lines = 0;  ///< requests to L1s
  std::uint64_t sectors = 0;
  std::uint64_t useful_bytes = 0;
  std::uint64_t loads = 0;  ///< lookups in L1s, by line
  std::uint64_t load_hits = 0;
  std::uint64_t load_merges = 0;
  std::uint64_t load_misses = 0;    ///< with those that may not be cached in L1s
  std::uint64_t writes = 0;         ///< stores and atomics, by line
  std::uint64_t remote = 0;         ///< misses and writes to another node's memory
  std::uint64_t traffic_bytes = 0;  ///< fetched by misses, and written by stores and atomics
  std::uint64_t stall_cycles = 0;   ///< summed over SMs
  double miss_latency = 0;          ///< average, in cycles; 0 without misses
  Share coalescing;                 ///< useful bytes of the requested lines' bytes
  Share stall;                      ///< of the stalled time of all lines
};

/// An allocation of the device.
struct ProfiledArray {
  std::string name;         ///< empty: unknown
  std::uint64_t bytes = 0;  ///< its size
  std::uint64_t loads = 0;  ///< lookups in L1s, by line
  std::uint64_t stores = 0;
  std::uint64_t atomics = 0;
  std::uint64_t load_misses = 0;   ///< with those that may not be cached in L1s
  std::uint64_t remote = 0;        ///< misses and writes to another node's memory
  std::uint64_t missed_bytes = 0;  ///< fetched by misses
  double miss_latency = 0;         ///< average, in cycles; 0 without misses
  Share missed;                    ///< of the bytes that misses of all arrays fetched
};

/// Sorted by stalled time, then by traffic. Empty without a profile.
std::vector<ProfiledLine> lines_of(const nlohmann::ordered_json& stats);
/// Sorted by the bytes that misses fetched. Empty without a profile.
std::vector<ProfiledArray> arrays_of(const nlohmann::ordered_json& stats);

/// {"lines": [...], "arrays": [...]} with the members above. Null without a profile.
nlohmann::ordered_json profile_json(const nlohmann::ordered_json& stats);
/// The five most expensive lines, by stalled time, or by traffic if nothing stalled; for the
/// terminal. Empty without a profile.
std::string profile_table(const nlohmann::ordered_json& stats);
/// "The longest waits are for kernel 'k', mm.cu:12 'c += a[i];' (34 % of the stalled time), array
/// A (62 % of the missed bytes)." Empty without a profile, and if nothing stalled.
std::string waiting_sentence(const nlohmann::ordered_json& stats);

}  // namespace tessera::app
