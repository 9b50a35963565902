// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/ids.h"

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

/// A count that a policy keeps, for the mover's statistics.
struct PageMigrationCount {
  std::string name;
  std::string description;
  const std::uint64_t* value = nullptr;  ///< in pages; lives as long as the policy
};

/// Decides at the end of an interval which pages move. May keep state for each virtual page (as
/// "griffin" and "first-touch-migration" do).
class PageMigrationPolicy {
 public:
  virtual ~PageMigrationPolicy() = default;
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
  virtual std::vector<PageMigrationCount> counts() const { return {}; }
};

/// Parameters of the built-in policies.
struct PageMigrationOptions {
  /// "access-counter", "replication": accesses from another partition in an interval that are worth
  /// a move; at least 1.
  std::uint32_t threshold = 32;
  /// "first-touch-migration": an access of its home's SMs pins a page, too.
  bool home_touch_pins = false;
  /// "griffin": share of the last period in a filtered rate; above 0, at most 1.
  double griffin_alpha = 0.25;
  /// "griffin": a page is dedicated whose first user's rate is this many times the second's; >= 1.
  double griffin_dedicated = 2;
  /// "griffin": a page whose rates add up to less is out of interest; accesses in a period, >= 0.
  double griffin_idle = 0.5;
  /// "griffin": accesses by other GPUs from which on a page moves that its home never used; >= 1.
  std::uint32_t griffin_touches = 2;
};

/// "none": nullptr.
/// "access-counter": to the partition with most accesses, if these reach the threshold and exceed
/// the home's own. "replication": a copy of a read-only page for each other partition whose
/// accesses reach the threshold (both: NUBA section 7.6 names the techniques; the rules are ours).
/// "first-touch-migration": to the first other partition that touches it, once: from then on the
/// page is pinned (MGPUSim's unified memory; DualOpt section 2.3).
/// "griffin": delayed first touch, then by class (page_migration/griffin.h; DualOpt section 6.3).
/// Throws InputError (with the nearest name) for an unknown name.
std::unique_ptr<PageMigrationPolicy> make_page_migration(const std::string& name,
                                                         const PageMigrationOptions& options);
std::vector<std::string> page_migration_names();

}  // namespace tessera
