// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/ids.h"

namespace tessera {

/// What the LLC slices saw of one page during an interval.
struct PageUse {
  std::uint64_t virtual_page = 0;
  ChannelId home;
  bool read_only = true;  ///< only loads that the compiler marked read-only
  /// Accesses by the SMs of each partition, by the partition's channel.
  std::vector<std::uint32_t> accesses;
};

struct PageMove {
  std::uint64_t virtual_page = 0;
  ChannelId to;
  bool copy = false;  ///< a copy for that partition, the page stays; otherwise the page goes there
};

/// Decides at the end of an interval which pages move. Keeps no state between pages.
class PageMovePolicy {
 public:
  virtual ~PageMovePolicy() = default;
  /// Appends the moves of one page.
  virtual void decide(const PageUse& use, std::vector<PageMove>& moves) const = 0;
};

/// `threshold`: accesses from another partition in an interval that are worth a move.
/// "none": nullptr. "access-counter": to the partition with most accesses, if these reach the
/// threshold and exceed the home's own. "replication": a copy of a read-only page for each other
/// partition whose accesses reach the threshold (both: NUBA section 7.6 names the techniques; the
/// rules are ours). Throws InputError (with the nearest name) for an unknown name.
std::unique_ptr<PageMovePolicy> make_page_moves(const std::string& name, std::uint32_t threshold);
std::vector<std::string> page_moves_names();

}  // namespace tessera
