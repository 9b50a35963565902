// SPDX-License-Identifier: Apache-2.0
#pragma once

// A trace's addresses and the device's: a trace names addresses of the machine that made it.

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "stimuli/device_memory.h"

namespace tessera::traces {

struct MappedRange {
  Address begin = 0;
  std::uint64_t bytes = 0;
  Address device = 0;

  bool holds(Address a) const { return a - begin < bytes; }
  Address to_device(Address a) const { return device + (a - begin); }
};

/// Bytes [begin, begin + bytes) of a trace.
struct TraceRange {
  Address begin = 0;
  std::uint64_t bytes = 0;
};

/// Ranges of chunks, in ascending order, that hold all chunks and copies. Ranges with less than
/// kMergeBytes between them are one, because arrays of one program are neighbours.
std::vector<TraceRange> merged_ranges(const std::unordered_set<std::uint64_t>& chunks,
                                      const std::vector<TraceRange>& copies);
inline constexpr std::uint64_t kMergeBytes = std::uint64_t{2} << 20;

class AddressMap {
 public:
  /// In ascending order of `begin`.
  void add(const MappedRange& range) { ranges_.push_back(range); }
  /// The range that holds the address. Throws std::logic_error if there is none.
  const MappedRange& find(Address address) const;
  const std::vector<MappedRange>& ranges() const { return ranges_; }

 private:
  std::vector<MappedRange> ranges_;
};

}  // namespace tessera::traces
