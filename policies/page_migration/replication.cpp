// SPDX-License-Identifier: Apache-2.0
// "replication": read-only pages are copied to each partition that uses them (NUBA section 7.6).
#include "policies/page_migration.h"

namespace tessera::page_migration::replication {

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

struct Parameters {
  std::uint32_t threshold = 32;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.integer("threshold", p.threshold, "access",
            "accesses of another partition in an interval that are worth a copy (ours)", 1,
            1U << 30, {"migration.threshold"});
}

std::unique_ptr<PageMigrationPolicy> make(const PolicyContext&, const Parameters& p) {
  return std::make_unique<Replication>(p.threshold);
}

const PolicyRegistration<PageMigrationPolicy> kRegistered(
    "replication",
    "a copy of a read-only page for each other partition whose accesses reach the threshold (NUBA "
    "section 7.6; the rule is ours)",
    make);

}  // namespace

}  // namespace tessera::page_migration::replication
