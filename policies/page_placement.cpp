// SPDX-License-Identifier: Apache-2.0
#include "policies/page_placement.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "policies/page_placement/built_in.h"
#include "policies/registry.h"

namespace tessera {

namespace {

using PlainFactory = std::unique_ptr<PagePlacement> (*)();
/// One that reads the options, or one that has no use for them (every user's).
using Factory =
    std::variant<PlainFactory, std::unique_ptr<PagePlacement> (*)(const PagePlacementOptions&)>;

PolicyRegistry<Factory>& registry() {
  static PolicyRegistry<Factory> all("page placement",
                                     {{"first-touch", make_first_touch_placement},
                                      {"interleave", make_interleave_placement},
                                      {"kernel-wide", make_kernel_wide_placement},
                                      {"lab", make_lab_placement},
                                      {"least-first", make_least_first_placement},
                                      {"round-robin", make_round_robin_placement}});
  return all;
}

}  // namespace

std::unique_ptr<PagePlacement> make_page_placement(const std::string& name,
                                                   const PagePlacementOptions& options) {
  const Factory factory = registry().get(name);
  const auto* plain = std::get_if<PlainFactory>(&factory);
  return plain != nullptr ? (*plain)() : std::get<1>(factory)(options);
}

void register_page_placement(const std::string& name, PlainFactory factory) {
  registry().add(name, factory);
}

std::vector<std::string> page_placement_names() { return registry().names(); }

double normalised_page_balance(const std::vector<std::uint64_t>& pages_per_channel) {
  if (pages_per_channel.empty()) return 1;
  const std::uint64_t most = *std::max_element(pages_per_channel.begin(), pages_per_channel.end());
  if (most == 0) return 1;
  const std::uint64_t sum =
      std::accumulate(pages_per_channel.begin(), pages_per_channel.end(), std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(pages_per_channel.size() * most);
}

}  // namespace tessera
