// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "policies/registry.h"

namespace tessera {

/// Accesses to one page during an interval. A page's home is a channel (NUBA), or a GPU by its
/// index (DualOpt). "Partition" below is the set of SMs that are near one home.
struct PageUse {
  std::uint64_t virtual_page = 0;
  ChannelId home;
  bool read_only = true;  ///< all accesses were loads that the compiler marked read-only
  /// Accesses by the SMs of each partition, by the partition's home.
  std::vector<std::uint32_t> accesses;
};

struct PageMigration {
  std::uint64_t virtual_page = 0;
  ChannelId to;
  bool copy = false;  ///< copies the page to that partition; false: migrates it
};

/// Decides at the end of an interval which pages are migrated. The migrator calls it and reports
/// the policy's counters. If a factory returns nullptr, no page is migrated. A policy can keep
/// state for each virtual page (as "griffin" and "first-touch-migration" do).
class PageMigrationPolicy : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "page_migration";
  /// Appends the migrations of one page. Called once an interval for each page with accesses, in
  /// ascending order of pages. The migrator can drop an appended migration without a notification;
  /// decide() then decides again about the page in a later interval.
  virtual void decide(const PageUse& use, std::vector<PageMigration>& moves) = 0;
  /// Called after the last decide() of an interval.
  virtual void end_interval() {}
  /// Called when a migration has completed, or has been refused because its target is full.
  virtual void on_completed(const PageMigration& /*move*/) {}
  /// Whether the page will never migrate again, so that its accesses need not be counted.
  virtual bool stays(std::uint64_t /*virtual_page*/) const { return false; }
  virtual void reset() {}
};

}  // namespace tessera
