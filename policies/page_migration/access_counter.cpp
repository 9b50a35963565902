// SPDX-License-Identifier: Apache-2.0
// "access-counter": migrates a page to the partition with the most accesses (NUBA section 7.6).
#include <algorithm>

#include "policies/page_migration.h"

namespace tessera::page_migration::access_counter {

namespace {

class AccessCounter final : public PageMigrationPolicy {
 public:
  explicit AccessCounter(std::uint32_t threshold) : threshold_(threshold) {}
  void decide(const PageUse& use, std::vector<PageMigration>& moves) override {
    const auto most = std::max_element(use.accesses.begin(), use.accesses.end());
    const ChannelId to(static_cast<std::uint32_t>(most - use.accesses.begin()));
    if (to == use.home || *most < threshold_ || *most <= use.accesses[use.home.value]) return;
    moves.push_back({use.virtual_page, to, false});
  }

 private:
  std::uint32_t threshold_;
};

struct Parameters {
  std::uint32_t threshold = 32;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.integer("threshold", p.threshold, "access",
            "accesses of another partition in an interval that are worth a move (ours)", 1,
            1U << 30, {"migration.threshold"});
}

std::unique_ptr<PageMigrationPolicy> make(const PolicyContext&, const Parameters& p) {
  return std::make_unique<AccessCounter>(p.threshold);
}

const PolicyRegistration<PageMigrationPolicy> kRegistered(
    "access-counter",
    "to the partition with most accesses, if these reach the threshold and exceed the home's own "
    "(NUBA section 7.6; the rule is ours)",
    make);

}  // namespace

}  // namespace tessera::page_migration::access_counter
