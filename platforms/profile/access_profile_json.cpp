// SPDX-License-Identifier: Apache-2.0
// The section "profile" of stats.json.
#include <algorithm>
#include <filesystem>
#include <numeric>

#include "common/json.h"
#include "platforms/profile/access_profile.h"
#include "platforms/profile/source_text.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

/// Counts that instructions and allocations have.
void add_l1_counts(ordered_json& j, const ProfileCounts& c) {
  j["loads"] = c.loads;
  j["load_hits"] = c.load_hits;
  j["load_merges"] = c.load_merges;
  j["load_misses"] = c.load_misses;
  j["load_bypasses"] = c.load_bypasses;
  j["stores"] = c.stores;
  j["atomics"] = c.atomics;
  j["remote_misses"] = c.remote_misses;
  j["remote_writes"] = c.remote_writes;
  j["filled_bytes"] = c.filled_bytes;
  j["served_misses"] = c.served_misses;
  j["miss_latency_cycles"] = c.miss_latency;
}

bool is_used(const ProfileCounts& c) {
  return c.warp_accesses != 0 || c.loads + c.stores + c.atomics != 0 || c.stalled != 0 ||
         c.served_misses != 0;
}

}  // namespace

ordered_json AccessProfile::lines_json() const {
  ordered_json lines = ordered_json::array();
  SourceTexts texts;
  for (const Kernel& kernel : kernels_) {
    for (std::size_t pc = 0; pc < kernel.instructions.size(); ++pc) {
      const Instruction& i = kernel.instructions[pc];
      const ProfileCounts& c = i.counts;
      if (!is_used(c)) continue;
      // "/a/k.ptx:12 'ld.global.u32 %r1, [%rd1];'". Without the folder, which is of this machine.
      const std::size_t quote = i.text.find(" '");
      const bool quoted = quote != std::string::npos && i.text.back() == '\'';
      ordered_json j = {{"kernel", kernel.name}, {"pc", pc}};
      j["place"] = quoted ? std::filesystem::path(i.text.substr(0, quote)).filename().string() : "";
      j["text"] = quoted ? i.text.substr(quote + 2, i.text.size() - quote - 3) : i.text;
      if (i.source) {
        j["source_file"] = i.source->file;
        j["source_line"] = i.source->line;
        const std::string text = texts.line(kernel.file, *i.source);
        if (!text.empty()) j["source_text"] = text;
      }
      j["warp_accesses"] = c.warp_accesses;
      j["lines"] = c.lines;
      j["sectors"] = c.sectors;
      j["useful_bytes"] = c.useful_bytes;
      add_l1_counts(j, c);
      j["stall_cycles"] = platform_.sm_clock->cycles_in(c.stalled);
      lines.push_back(std::move(j));
    }
  }
  return lines;
}

ordered_json AccessProfile::arrays_json() const {
  ordered_json arrays = ordered_json::array();
  const std::vector<Allocation>& all = platform_.allocations->all();
  for (std::size_t number = 0; number < allocations_.size(); ++number) {
    if (!is_used(allocations_[number])) continue;
    const bool known = number != 0 && number <= all.size();
    ordered_json j = {{"name", known ? all[number - 1].name : ""},
                      {"bytes", known ? all[number - 1].bytes : 0}};
    add_l1_counts(j, allocations_[number]);
    arrays.push_back(std::move(j));
  }
  return arrays;
}

ordered_json AccessProfile::pages_json() const {
  const std::size_t touchers = nodes_.touchers().size();
  std::vector<std::uint64_t> touches(pages_.size());
  for (std::size_t p = 0; p < pages_.size(); ++p) {
    const auto begin = touches_.begin() + static_cast<std::ptrdiff_t>(p * touchers);
    touches[p] =
        std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(touchers), std::uint64_t{0});
  }
  std::vector<std::size_t> order(pages_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return touches[a] != touches[b] ? touches[a] > touches[b] : pages_[a] < pages_[b];
  });
  order.resize(std::min(order.size(), kMostPages));
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return pages_[a] < pages_[b]; });
  const PlatformPlan& plan = *platform_.plan;
  const AddressMap& map = *platform_.map;
  ordered_json list = ordered_json::array();
  for (const std::size_t p : order) {
    const std::uint64_t address = pages_[p] * platform_.pages->page_bytes();
    const Allocation* const array =
        platform_.allocations->nearest_below(address + platform_.pages->page_bytes() - 1);
    ordered_json j = ordered_json::object();
    j["array"] = array == nullptr ? "" : array->name;
    j["page"] = array == nullptr ? pages_[p] : pages_[p] - platform_.pages->page_of(array->begin);
    const auto physical = platform_.pages->translate(address);
    j["home"] = nullptr;
    j["home_node"] = nullptr;
    if (physical && map.page_has_one_home()) {
      j["home"] = map.page_home(*physical).value;
      const std::uint32_t node = nodes_.node_of_channel(map.locate(*physical).channel.value);
      if (node != ProfileNodes::kUnknown) j["home_node"] = plan.nodes[node].name;
    }
    ordered_json by_toucher = ordered_json::array();
    for (std::size_t t = 0; t < touchers; ++t) by_toucher.push_back(touches_[p * touchers + t]);
    j["touches"] = std::move(by_toucher);
    list.push_back(std::move(j));
  }
  return {{"touched", pages_.size()}, {"list", std::move(list)}};
}

ordered_json AccessProfile::to_json() const {
  ordered_json touchers = ordered_json::array();
  for (const std::uint32_t node : nodes_.touchers()) {
    touchers.push_back(platform_.plan->nodes[node].name);
  }
  return {{"line_bytes", platform_.line_bytes},
          {"page_bytes", platform_.pages->page_bytes()},
          {"touchers", std::move(touchers)},
          {"lines", lines_json()},
          {"arrays", arrays_json()},
          {"pages", pages_json()}};
}

}  // namespace tessera
