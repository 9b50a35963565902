// SPDX-License-Identifier: Apache-2.0
#include "policies/page_placement.h"

#include <algorithm>
#include <numeric>

#include "policies/page_placement/built_in.h"
#include "policies/registry.h"

namespace tessera {

namespace {

using Factory = std::unique_ptr<PagePlacement> (*)();

PolicyRegistry<Factory>& registry() {
  static PolicyRegistry<Factory> all(
      "page placement",
      {{"first-touch", make_first_touch_placement}, {"round-robin", make_round_robin_placement}});
  return all;
}

}  // namespace

std::unique_ptr<PagePlacement> make_page_placement(const std::string& name) {
  return registry().get(name)();
}

void register_page_placement(const std::string& name, Factory factory) {
  registry().add(name, factory);
}

std::vector<std::string> page_placement_names() { return registry().names(); }

double normalised_page_balance(const std::vector<std::uint64_t>& pages_per_channel) {
  if (pages_per_channel.empty()) return 1;
  const std::uint64_t most = *std::max_element(pages_per_channel.begin(), pages_per_channel.end());
  if (most == 0) return 1;
  const std::uint64_t sum =
      std::accumulate(pages_per_channel.begin(), pages_per_channel.end(), std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(pages_per_channel.size()) /
         static_cast<double>(most);
}

}  // namespace tessera
