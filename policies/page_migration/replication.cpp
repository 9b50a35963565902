// SPDX-License-Identifier: Apache-2.0
// "replication": read-only pages are copied to each partition that uses them (NUBA section 7.6).
#include "policies/page_migration/built_in.h"

namespace tessera {

namespace {

class Replication final : public PageMigrationPolicy {
 public:
  explicit Replication(std::uint32_t threshold) : threshold_(threshold) {}
  void decide(const PageUse& use, std::vector<PageMigration>& moves) override {
    if (!use.read_only) return;
    for (std::uint32_t c = 0; c < use.accesses.size(); ++c) {
      if (ChannelId(c) == use.home || use.accesses[c] < threshold_) continue;
      moves.push_back({use.virtual_page, ChannelId(c), true});
    }
  }

 private:
  std::uint32_t threshold_;
};

}  // namespace

std::unique_ptr<PageMigrationPolicy> make_replication_moves(const PageMigrationOptions& options) {
  return std::make_unique<Replication>(options.threshold);
}

}  // namespace tessera
