// SPDX-License-Identifier: Apache-2.0
#include "policies/page_moves.h"

#include <algorithm>

#include "policies/registry.h"

namespace tessera {

namespace {

class AccessCounter final : public PageMovePolicy {
 public:
  explicit AccessCounter(std::uint32_t threshold) : threshold_(threshold) {}
  void decide(const PageUse& use, std::vector<PageMove>& moves) const override {
    const auto most = std::max_element(use.accesses.begin(), use.accesses.end());
    const ChannelId to(static_cast<std::uint32_t>(most - use.accesses.begin()));
    if (to == use.home || *most < threshold_ || *most <= use.accesses[use.home.value]) return;
    moves.push_back({use.virtual_page, to, false});
  }

 private:
  std::uint32_t threshold_;
};

class Replication final : public PageMovePolicy {
 public:
  explicit Replication(std::uint32_t threshold) : threshold_(threshold) {}
  void decide(const PageUse& use, std::vector<PageMove>& moves) const override {
    if (!use.read_only) return;
    for (std::uint32_t c = 0; c < use.accesses.size(); ++c) {
      if (ChannelId(c) == use.home || use.accesses[c] < threshold_) continue;
      moves.push_back({use.virtual_page, ChannelId(c), true});
    }
  }

 private:
  std::uint32_t threshold_;
};

using Factory = std::unique_ptr<PageMovePolicy> (*)(std::uint32_t);

template <class Policy>
std::unique_ptr<PageMovePolicy> make(std::uint32_t threshold) {
  return std::make_unique<Policy>(threshold);
}

PolicyRegistry<Factory>& registry() {
  static PolicyRegistry<Factory> all(
      "page moves", {{"access-counter", make<AccessCounter>},
                     {"none", [](std::uint32_t) { return std::unique_ptr<PageMovePolicy>(); }},
                     {"replication", make<Replication>}});
  return all;
}

}  // namespace

std::unique_ptr<PageMovePolicy> make_page_moves(const std::string& name, std::uint32_t threshold) {
  return registry().get(name)(threshold);
}

std::vector<std::string> page_moves_names() { return registry().names(); }

}  // namespace tessera
