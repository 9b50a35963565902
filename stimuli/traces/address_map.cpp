// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/address_map.h"

#include <algorithm>
#include <stdexcept>

#include "stimuli/traces/kernel_spool.h"

namespace tessera::traces {

std::vector<TraceRange> merged_ranges(const std::unordered_set<std::uint64_t>& chunks,
                                      const std::vector<TraceRange>& copies) {
  // First and last chunk of each part.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
  parts.reserve(chunks.size() + copies.size());
  for (const std::uint64_t chunk : chunks) parts.emplace_back(chunk, chunk);
  for (const TraceRange& c : copies) {
    if (c.bytes == 0) continue;
    parts.emplace_back(c.begin / kChunkBytes, (c.begin + c.bytes - 1) / kChunkBytes);
  }
  std::sort(parts.begin(), parts.end());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> merged;
  for (const auto& [first, last] : parts) {
    if (!merged.empty() && first <= merged.back().second + kMergeBytes / kChunkBytes) {
      merged.back().second = std::max(merged.back().second, last);
    } else {
      merged.emplace_back(first, last);
    }
  }
  std::vector<TraceRange> out;
  for (const auto& [first, last] : merged) {
    out.push_back({first * kChunkBytes, (last - first + 1) * kChunkBytes});
  }
  return out;
}

const MappedRange& AddressMap::find(Address address) const {
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                [](Address a, const MappedRange& r) { return a < r.begin; });
  if (after == ranges_.begin() || !(after - 1)->holds(address)) {
    throw std::logic_error("an access of a trace is outside of its ranges");
  }
  return *(after - 1);
}

}  // namespace tessera::traces
