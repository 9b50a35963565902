// SPDX-License-Identifier: Apache-2.0
#include "app/explain/explanation.h"

#include <algorithm>
#include <cmath>

#include "app/explain/prediction.h"
#include "app/report/profile.h"
#include "app/report/text.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

constexpr double kLeast = 0.005;  ///< of the time; less is not listed
constexpr double kWeak = 0.05;    ///< of the time; less bounds nothing

/// CriticalTime::coherent of the runs that words are for.
enum class Hierarchy { kSlices, kCoherent, kBoth };

Hierarchy hierarchy_of(const CriticalTime& t) {
  return t.coherent ? Hierarchy::kCoherent : Hierarchy::kSlices;
}

/// Words for the parts of the time.
std::string words(const std::string& part, Hierarchy hierarchy) {
  static const std::map<std::string, std::string> kOfBoth = {
      {"request_network", "requests to the LLC slice or L2"},
      {"llc", "LLC slice or L2"},
      {"dram", "DRAM, or behind the L2"},
      {"response_network", "responses of the LLC slice or L2"}};
  static const std::map<std::string, std::string> kCoherent = {
      {"request_network", "requests to the L2"},
      {"llc", "L2"},
      {"dram", "behind the L2"},
      {"response_network", "responses of the L2"}};
  static const std::map<std::string, std::string> kWords = {
      {"issued", "issue of instructions"},
      {"structural", "busy or stopped execution and memory units"},
      {"dependency", "results of fixed latency"},
      {"barrier", "barriers"},
      {"idle", "no warp on the critical SM"},
      {"outside", "outside kernels"},
      {"translation", "translation"},
      {"l1_hit", "L1 hits, and loads that joined an older miss"},
      {"l1_miss", "misses in the L1: lookup, MSHRs and free lines"},
      {"request_network", "request network"},
      {"llc", "LLC slice"},
      {"dram", "DRAM"},
      {"llc_return", "LLC slice after DRAM"},
      {"response_network", "response network"}};
  if (hierarchy != Hierarchy::kSlices) {
    const auto& special = hierarchy == Hierarchy::kBoth ? kOfBoth : kCoherent;
    if (const auto own = special.find(part); own != special.end()) return own->second;
  }
  const auto it = kWords.find(part);
  return it == kWords.end() ? part : it->second;
}

std::string cycles_text(double cycles) {
  return grouped(static_cast<std::uint64_t>(std::llround(std::max(0.0, cycles))));
}

std::string hot_text(const HotSpots& hot) {
  if (hot.blocks < 2 || hot.names.empty() || hot.over_mean < 1.1) return "";
  std::string text = hot.names.front();
  if (hot.alike > 1) text += " and " + std::to_string(hot.alike - 1) + " like it";
  return text + " (" + short_number(hot.over_mean) + " times the average)";
}

std::string bottleneck_sentence(const Bottleneck& b, const CriticalTime& time) {
  std::string text = b.resource.name + ": the run would be an estimated " +
                     percent_text(b.saved / time.whole) + " shorter (" +
                     cycles_text(time.whole - b.saved) + " cycles) " + b.resource.condition + ".";
  if (b.resource.use > 0) {
    text += " The busiest is in use for " + percent_text(b.resource.use) + " of the time.";
  }
  const std::string hot = hot_text(b.resource.hot);
  if (!hot.empty()) text += " Hot: " + hot + ".";
  std::string where;
  for (std::size_t i = 0; i < b.from.size() && i < 3; ++i) {
    if (b.from[i].second < kLeast * time.whole) break;
    where += (where.empty() ? "" : ", ") + words(b.from[i].first, hierarchy_of(time)) + " " +
             percent_text(b.from[i].second / time.whole);
  }
  if (!where.empty()) text += " The time is in: " + where + ".";
  return text;
}

/// "kernel kmeans_assign has 76 % of the time" and so on, of those with the most.
std::string kernels_sentence(const ordered_json& stats, double whole) {
  std::vector<std::pair<std::string, double>> kernels;
  for (const ordered_json& part : stats["critical_path"]) {
    kernels.emplace_back(part.value("kernels", ""), part.value("cycles", 0.0));
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < kernels.size() && i < 3; ++i) {
    if (kernels[i].second < kWeak * whole) break;
    text += (text.empty() ? "Kernel " : ", kernel ") + kernels[i].first + " has " +
            percent_text(kernels[i].second / whole) + " of the time";
  }
  return text.empty() ? "" : text + ". tessera run --profile names the lines.";
}

/// Whether these are one number, but for rounding.
bool alike(double a, double b) {
  constexpr double kRounded = 1e-9;
  return std::abs(a - b) <= kRounded * std::max(a, b);
}

/// The resource that is named first.
std::string bound_text(const Explanation& e) {
  return named_bottlenecks(e) == 0 ? "no resource of the memory system"
                                   : e.bottlenecks.front().resource.name;
}

}  // namespace

std::vector<std::pair<std::string, double>> parts_of(const CriticalTime& t) {
  std::vector<std::pair<std::string, double>> parts = {{"issued", t.issued},
                                                       {"structural", t.structural},
                                                       {"dependency", t.dependency},
                                                       {"barrier", t.barrier}};
  for (const char* stage : kMemoryStages) {
    const auto it = t.memory.find(stage);
    parts.emplace_back(stage, it == t.memory.end() ? 0 : it->second);
  }
  parts.emplace_back("idle", t.idle);
  parts.emplace_back("outside", t.outside);
  return parts;
}

Explanation explain(const ordered_json& stats) {
  Explanation e{critical_time_of(stats), {}, {}};
  const Resources resources = resources_of(stats);
  e.time.coherent = resources.coherent;
  e.bottlenecks = predict(e.time, resources);
  e.bottlenecks.erase(
      std::remove_if(e.bottlenecks.begin(), e.bottlenecks.end(),
                     [&](const Bottleneck& b) { return b.saved < kLeast * e.time.whole; }),
      e.bottlenecks.end());
  e.origin = waiting_sentence(stats);
  if (e.origin.empty()) e.origin = kernels_sentence(stats, e.time.whole);
  return e;
}

std::size_t named_bottlenecks(const Explanation& e) {
  std::size_t named = 0;
  while (named < std::min<std::size_t>(3, e.bottlenecks.size()) &&
         e.bottlenecks[named].saved >= kWeak * e.time.whole) {
    ++named;
  }
  return named;
}

std::vector<std::string> sentences(const Explanation& e) {
  std::vector<std::string> out;
  const double whole = e.time.whole;
  const std::size_t named = named_bottlenecks(e);
  if (named == 0) {
    out.push_back("No resource of the memory system bounds the run: none would make it " +
                  percent_text(kWeak) + " shorter.");
  }
  for (std::size_t i = 0; i < named; ++i) {
    out.push_back((i == 0 ? "Bound by " : "Next, ") +
                  bottleneck_sentence(e.bottlenecks[i], e.time));
    out.push_back("What addresses it: " + e.bottlenecks[i].resource.remedies + ".");
  }
  std::vector<std::pair<std::string, double>> parts = parts_of(e.time);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, cycles] : parts) {
    if (cycles < 0.02 * whole) break;
    text += (text.empty() ? "" : ", ") + words(name, hierarchy_of(e.time)) + " " +
            percent_text(cycles / whole);
  }
  out.push_back("Time of the critical SMs: " + text + ".");
  if (!e.origin.empty()) out.push_back(e.origin);
  return out;
}

std::vector<std::string> explanation_lines(const ordered_json& stats) {
  return has_critical_time(stats) ? sentences(explain(stats)) : std::vector<std::string>();
}

ordered_json to_json(const Explanation& e) {
  ordered_json time = ordered_json::object();
  for (const auto& [name, cycles] : parts_of(e.time)) time[name] = cycles;
  ordered_json bottlenecks = ordered_json::array();
  for (const Bottleneck& b : e.bottlenecks) {
    ordered_json waits = ordered_json::object();
    for (const auto& [stage, cycles] : b.from) waits[stage] = cycles;
    ordered_json experiment = ordered_json::object();
    for (const auto& [path, value] : b.resource.infinite) experiment[path] = value;
    bottlenecks.push_back({{"resource", b.resource.name},
                           {"saved_share", b.saved / e.time.whole},
                           {"predicted_cycles", e.time.whole - b.saved},
                           {"use", b.resource.use},
                           {"hot", b.resource.hot.names},
                           {"waits_in", std::move(waits)},
                           {"remedies", b.resource.remedies},
                           {"experiment", std::move(experiment)}});
  }
  return {{"cycles", e.time.whole},
          {"time", std::move(time)},
          {"bottlenecks", std::move(bottlenecks)},
          {"origin", e.origin},
          {"text", sentences(e)}};
}

std::vector<std::string> compare_sentences(const Explanation& a, const Explanation& b,
                                           const std::string& name_a, const std::string& name_b) {
  // Cycles of one clock, or nanoseconds.
  const bool one_clock = alike(a.time.ns_per_cycle, b.time.ns_per_cycle);
  const double unit_a = one_clock ? 1 : a.time.ns_per_cycle;
  const double unit_b = one_clock ? 1 : b.time.ns_per_cycle;
  const auto text_of = [&](double time) { return one_clock ? cycles_text(time) : time_text(time); };
  const double whole_a = unit_a * a.time.whole;
  const double whole_b = unit_b * b.time.whole;
  const double times = std::max(whole_a / whole_b, whole_b / whole_a);
  constexpr double kSame = 1.005;
  std::vector<std::string> out = {
      name_b + " takes " + text_of(whole_b) + (one_clock ? " cycles" : "") + " and " + name_a +
      " " + text_of(whole_a) + ": " +
      (times < kSame
           ? "as long."
           : short_number(times) + (whole_b <= whole_a ? " times faster." : " times slower."))};
  std::map<std::string, double> changes;
  for (const auto& [name, cycles] : parts_of(a.time)) changes[name] -= unit_a * cycles;
  for (const auto& [name, cycles] : parts_of(b.time)) changes[name] += unit_b * cycles;
  std::vector<std::pair<std::string, double>> moved(changes.begin(), changes.end());
  std::stable_sort(moved.begin(), moved.end(), [](const auto& x, const auto& y) {
    return std::abs(x.second) > std::abs(y.second);
  });
  const Hierarchy hierarchy =
      a.time.coherent == b.time.coherent ? hierarchy_of(a.time) : Hierarchy::kBoth;
  std::string text;
  for (std::size_t i = 0; i < moved.size() && i < 5; ++i) {
    if (std::abs(moved[i].second) < 0.01 * whole_a) break;
    text += (text.empty() ? "" : ", ") + words(moved[i].first, hierarchy) +
            (moved[i].second < 0 ? " -" : " +") + text_of(std::abs(moved[i].second));
  }
  const std::string unit = one_clock ? "Cycles" : "Time";
  if (!text.empty()) out.push_back(unit + " of the critical SMs that moved: " + text + ".");
  if (const std::string bounds = bound_text(a), other = bound_text(b); bounds != other) {
    out.push_back(name_a + " is bound by " + bounds + ", " + name_b + " by " + other + ".");
  }
  return out;
}

}  // namespace tessera::app
