// SPDX-License-Identifier: Apache-2.0
// "griffin": delayed first-touch migration and dynamic page classification (Griffin, HPCA 2020;
// DualOpt section 6.3). The PageMigrator implements its batches and its draining.
#include "policies/page_migration/griffin.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace tessera {

void describe(ParameterVisitor& v, GriffinParameters& p) {
  v.real("alpha", p.alpha, "", "share of the last period in a page's filtered rates (ours)", 1e-6,
         1, {"migration.griffin_alpha"});
  v.real("dedicated", p.dedicated, "",
         "first user's rate over the second's from which on a page is dedicated (ours)", 1, 1e6,
         {"migration.griffin_dedicated"});
  v.real("idle", p.idle, "access", "accesses a period below which a page is out of interest (ours)",
         0, 1e6, {"migration.griffin_idle"});
  v.integer("touches", p.touches, "access",
            "accesses from elsewhere until a page that its home never used moves (ours)", 1,
            1U << 30, {"migration.griffin_touches"});
}

void GriffinRates::add_period(const std::vector<std::uint32_t>& accesses, double alpha) {
  now.resize(std::max(now.size(), accesses.size()));
  before = now;
  for (std::size_t g = 0; g < now.size(); ++g) {
    const double n = g < accesses.size() ? accesses[g] : 0;
    now[g] = alpha * n + (1 - alpha) * now[g];
  }
}

ChannelId GriffinRates::leader() const {
  return ChannelId(
      static_cast<std::uint32_t>(std::max_element(now.begin(), now.end()) - now.begin()));
}

GriffinClass griffin_class(const GriffinRates& rates, ChannelId home, bool used,
                           const GriffinParameters& parameters) {
  const double sum = std::accumulate(rates.now.begin(), rates.now.end(), 0.0);
  if (sum < parameters.idle) return GriffinClass::kOutOfInterest;
  if (!used) return GriffinClass::kStreaming;
  const ChannelId leader = rates.leader();
  const std::size_t l = leader.value;
  const std::size_t h = home.value;
  if (leader != home && rates.now[l] > rates.before[l] && rates.now[h] < rates.before[h]) {
    return GriffinClass::kOwnerShifting;
  }
  double second = 0;
  for (std::size_t g = 0; g < rates.now.size(); ++g) {
    if (g != l) second = std::max(second, rates.now[g]);
  }
  return rates.now[l] >= parameters.dedicated * second ? GriffinClass::kDedicated
                                                       : GriffinClass::kShared;
}

namespace {

class Griffin final : public PageMigrationPolicy {
 public:
  explicit Griffin(const GriffinParameters& parameters) : parameters_(parameters) {}

  void decide(const PageUse& use, std::vector<PageMigration>& moves) override {
    State& page = rates_[use.virtual_page];
    page.home = use.home;
    page.used = true;
    page.rates.add_period(use.accesses, parameters_.alpha);
    const ChannelId leader = page.rates.leader();
    if (settled_.count(use.virtual_page) == 0) {
      if (use.accesses[use.home.value] == 0) {
        // The home has not accessed the page. The home serves the first touches, so that more than
        // the first toucher is known when the page migrates.
        std::uint64_t& touches = touches_[use.virtual_page];
        touches += std::accumulate(use.accesses.begin(), use.accesses.end(), std::uint64_t{0});
        if (touches >= parameters_.touches) {
          moves.push_back({use.virtual_page, leader, false});
        } else {
          ++delayed_;
        }
        return;
      }
      settle(use.virtual_page);
    }
    const GriffinClass c = classify(page);
    if (leader == use.home) return;
    if (c == GriffinClass::kDedicated || c == GriffinClass::kOwnerShifting) {
      moves.push_back({use.virtual_page, leader, false});
    }
  }

  void end_interval() override {
    for (auto it = rates_.begin(); it != rates_.end();) {
      State& page = it->second;
      bool forget = false;
      if (!page.used) {
        page.rates.add_period({}, parameters_.alpha);
        // A page before its second touch has no class yet.
        forget = settled_.count(it->first) != 0 ? classify(page) == GriffinClass::kOutOfInterest
                                                : page_class(page) == GriffinClass::kOutOfInterest;
      }
      page.used = false;
      it = forget ? rates_.erase(it) : std::next(it);
    }
  }

  void on_completed(const PageMigration& move) override { settle(move.virtual_page); }

  void reset() override {
    rates_.clear();
    touches_.clear();
    settled_.clear();
  }

  std::vector<PolicyCounter> counters() const override {
    const auto of = [this](GriffinClass c) { return &classes_[static_cast<std::size_t>(c)]; };
    return {
        {"class_dedicated", "page", "pages found dedicated to a GPU, summed over periods",
         of(GriffinClass::kDedicated)},
        {"class_shared", "page", "pages found shared, summed over periods",
         of(GriffinClass::kShared)},
        {"class_streaming", "page", "pages found streaming, summed over periods",
         of(GriffinClass::kStreaming)},
        {"class_owner_shifting", "page", "pages found owner-shifting, summed over periods",
         of(GriffinClass::kOwnerShifting)},
        {"class_out_of_interest", "page", "pages found out of interest, summed over periods",
         of(GriffinClass::kOutOfInterest)},
        {"delayed_touches", "page",
         "pages whose first touches were served from where they were, summed", &delayed_},
    };
  }

 private:
  struct State {
    GriffinRates rates;
    ChannelId home;
    bool used = false;
  };

  GriffinClass page_class(const State& page) const {
    return griffin_class(page.rates, page.home, page.used, parameters_);
  }
  GriffinClass classify(const State& page) {
    const GriffinClass c = page_class(page);
    ++classes_[static_cast<std::size_t>(c)];
    return c;
  }
  void settle(std::uint64_t virtual_page) {
    settled_.insert(virtual_page);
    touches_.erase(virtual_page);
  }

  const GriffinParameters parameters_;
  std::unordered_map<std::uint64_t, State> rates_;  ///< of pages of interest
  std::unordered_map<std::uint64_t, std::uint64_t> touches_;
  std::unordered_set<std::uint64_t> settled_;  ///< migrated, or accessed by their home
  std::array<std::uint64_t, kGriffinClasses> classes_{};
  std::uint64_t delayed_ = 0;
};

std::unique_ptr<PageMigrationPolicy> make(const PolicyContext&, const GriffinParameters& p) {
  return std::make_unique<Griffin>(p);
}

const PolicyRegistration<PageMigrationPolicy> kGriffin(
    "griffin",
    "delayed first touch, then by class: dedicated, shared, streaming, owner-shifting (Griffin, "
    "HPCA 2020; DualOpt section 6.3)",
    make);

}  // namespace

}  // namespace tessera
