// SPDX-License-Identifier: Apache-2.0
// "access-counter": a page goes to the partition that uses it most (NUBA section 7.6).
#include <algorithm>

#include "policies/page_migration/built_in.h"

namespace tessera {

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

}  // namespace

std::unique_ptr<PageMigrationPolicy> make_access_counter_moves(
    const PageMigrationOptions& options) {
  return std::make_unique<AccessCounter>(options.threshold);
}

}  // namespace tessera
