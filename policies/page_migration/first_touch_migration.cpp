// SPDX-License-Identifier: Apache-2.0
// "first-touch-migration": migrates a page to the first other GPU that touches it, and then pins
// it, as in MGPUSim's unified memory (DualOpt section 2.3; docs/blocks/page-migrator.md has the
// rule).
#include <unordered_set>

#include "policies/page_migration.h"

namespace tessera::page_migration::first_touch_migration {

namespace {

class FirstTouchMigration final : public PageMigrationPolicy {
 public:
  explicit FirstTouchMigration(bool home_touch_pins) : home_touch_pins_(home_touch_pins) {}

  void decide(const PageUse& use, std::vector<PageMigration>& moves) override {
    if (stays(use.virtual_page)) return;
    if (home_touch_pins_ && use.accesses[use.home.value] > 0) {
      pinned_.insert(use.virtual_page);
      ++home_pins_;
      return;
    }
    // Of the GPUs that touched the page in the same batch, the one with the most touches; of equal
    // ones, the lowest.
    std::uint32_t most = 0;
    ChannelId to = use.home;
    for (std::uint32_t c = 0; c < use.accesses.size(); ++c) {
      if (ChannelId(c) == use.home || use.accesses[c] <= most) continue;
      most = use.accesses[c];
      to = ChannelId(c);
    }
    if (most > 0) moves.push_back({use.virtual_page, to, false});
  }
  /// A refused page is pinned as well, because each further touch would stop the SMs without a
  /// migration.
  void on_completed(const PageMigration& move) override { pinned_.insert(move.virtual_page); }
  bool stays(std::uint64_t virtual_page) const override { return pinned_.count(virtual_page) != 0; }
  void reset() override { pinned_.clear(); }
  std::vector<PolicyCounter> counters() const override {
    if (!home_touch_pins_) return {};
    return {
        {"home_pins", "page", "pages pinned because their home's SMs touched them", &home_pins_}};
  }

 private:
  bool home_touch_pins_;
  std::unordered_set<std::uint64_t> pinned_;
  std::uint64_t home_pins_ = 0;
};

struct Parameters {
  bool home_touch_pins = false;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.flag("home_touch_pins", p.home_touch_pins,
         "an access of its home's SMs pins a page, too (ours; MGPUSim: no)",
         {"migration.home_touch_pins"});
}

std::unique_ptr<PageMigrationPolicy> make(const PolicyContext&, const Parameters& p) {
  return std::make_unique<FirstTouchMigration>(p.home_touch_pins);
}

const PolicyRegistration<PageMigrationPolicy> kRegistered(
    "first-touch-migration",
    "once, to the first other partition that touches it (MGPUSim; DualOpt section 2.3)", make);

}  // namespace

}  // namespace tessera::page_migration::first_touch_migration
