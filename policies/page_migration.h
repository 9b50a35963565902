// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "policies/registry.h"

namespace tessera {

/// What was seen of one page during an interval. A page's home is a channel (NUBA), or a GPU by its
/// index (DualOpt); "partition" below is the SMs that are near one home.
struct PageUse {
  std::uint64_t virtual_page = 0;
  ChannelId home;
  bool read_only = true;  ///< only loads that the compiler marked read-only
  /// Accesses by the SMs of each partition, by the partition's home.
  std::vector<std::uint32_t> accesses;
};

struct PageMigration {
  std::uint64_t virtual_page = 0;
  ChannelId to;
  bool copy = false;  ///< a copy for that partition, the page stays; otherwise the page goes there
};

/// Decides at the end of an interval which pages move; the migrator asks, and reports the policy's
/// counters. A factory that gives nullptr means that no page moves. May keep state for each virtual
/// page (as "griffin" and "first-touch-migration" do).
class PageMigrationPolicy : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "page_migration";
  /// Appends the moves of one page: once an interval for each page that saw accesses, in ascending
  /// order of pages. What it appends may be put off; then it is not told, and decides afresh.
  virtual void decide(const PageUse& use, std::vector<PageMigration>& moves) = 0;
  /// After the last decide() of an interval.
  virtual void end_interval() {}
  /// A move was carried out, or refused because its target is full.
  virtual void on_completed(const PageMigration& /*move*/) {}
  /// Whether the page will never move again: its accesses need not be counted.
  virtual bool stays(std::uint64_t /*virtual_page*/) const { return false; }
  virtual void reset() {}
};

}  // namespace tessera
