// SPDX-License-Identifier: Apache-2.0
// "griffin": delayed first-touch migration and dynamic page classification (Griffin, HPCA 2020;
// DualOpt section 6.3). Its batches and its draining are the mover's.
#include "policies/page_migration/griffin.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "policies/page_migration/built_in.h"

namespace tessera {

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
                           const PageMigrationOptions& options) {
  const double sum = std::accumulate(rates.now.begin(), rates.now.end(), 0.0);
  if (sum < options.griffin_idle) return GriffinClass::kOutOfInterest;
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
  return rates.now[l] >= options.griffin_dedicated * second ? GriffinClass::kDedicated
                                                            : GriffinClass::kShared;
}

namespace {

class Griffin final : public PageMigrationPolicy {
 public:
  explicit Griffin(const PageMigrationOptions& options) : options_(options) {}

  void decide(const PageUse& use, std::vector<PageMigration>& moves) override {
    State& page = rates_[use.virtual_page];
    page.home = use.home;
    page.used = true;
    page.rates.add_period(use.accesses, options_.griffin_alpha);
    const ChannelId leader = page.rates.leader();
    if (settled_.count(use.virtual_page) == 0) {
      if (use.accesses[use.home.value] == 0) {
        // Nobody has used it at home. Its first touches are served from there, so that more than
        // the first toucher is known when it moves.
        std::uint64_t& touches = touches_[use.virtual_page];
        touches += std::accumulate(use.accesses.begin(), use.accesses.end(), std::uint64_t{0});
        if (touches >= options_.griffin_touches) {
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
        page.rates.add_period({}, options_.griffin_alpha);
        // What waits for its second touch has no class yet.
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

  std::vector<PageMigrationCount> counts() const override {
    const auto of = [this](GriffinClass c) { return &classes_[static_cast<std::size_t>(c)]; };
    return {
        {"class_dedicated", "pages found dedicated to a GPU, summed over periods",
         of(GriffinClass::kDedicated)},
        {"class_shared", "pages found shared, summed over periods", of(GriffinClass::kShared)},
        {"class_streaming", "pages found streaming, summed over periods",
         of(GriffinClass::kStreaming)},
        {"class_owner_shifting", "pages found owner-shifting, summed over periods",
         of(GriffinClass::kOwnerShifting)},
        {"class_out_of_interest", "pages found out of interest, summed over periods",
         of(GriffinClass::kOutOfInterest)},
        {"delayed_touches", "pages whose first touches were served from where they were, summed",
         &delayed_},
    };
  }

 private:
  struct State {
    GriffinRates rates;
    ChannelId home;
    bool used = false;
  };

  GriffinClass page_class(const State& page) const {
    return griffin_class(page.rates, page.home, page.used, options_);
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

  const PageMigrationOptions options_;
  std::unordered_map<std::uint64_t, State> rates_;  ///< of pages of interest
  std::unordered_map<std::uint64_t, std::uint64_t> touches_;
  std::unordered_set<std::uint64_t> settled_;  ///< moved, or used where they were put
  std::array<std::uint64_t, kGriffinClasses> classes_{};
  std::uint64_t delayed_ = 0;
};

}  // namespace

std::unique_ptr<PageMigrationPolicy> make_griffin_moves(const PageMigrationOptions& options) {
  return std::make_unique<Griffin>(options);
}

}  // namespace tessera
