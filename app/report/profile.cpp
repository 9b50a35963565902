// SPDX-License-Identifier: Apache-2.0
#include "app/report/profile.h"

#include <algorithm>
#include <map>
#include <utility>

#include "app/report/text.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

std::uint64_t count(const ordered_json& j, const char* key) {
  return j.value(key, std::uint64_t{0});
}

/// The profile's list, or an empty one.
ordered_json list_of(const ordered_json& stats, const char* key) {
  const auto profile = stats.find("profile");
  if (profile == stats.end() || !profile->is_object()) return ordered_json::array();
  return profile->value(key, ordered_json::array());
}

double average(std::uint64_t sum, std::uint64_t n) {
  return n == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(n);
}

std::string shortened(const std::string& text, std::size_t longest) {
  return text.size() <= longest ? text : text.substr(0, longest - 3) + "...";
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::vector<ProfiledLine> lines_of(const ordered_json& stats) {
  const ordered_json instructions = list_of(stats, "lines");
  const double line_bytes = instructions.empty() ? 0 : stats["profile"].value("line_bytes", 0.0);
  std::vector<ProfiledLine> lines;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> latencies;  // sums and misses
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  double stalled = 0;
  for (const ordered_json& i : instructions) {
    const bool source = i.contains("source_line");
    const std::string place =
        source ? i.value("source_file", "") + ":" + std::to_string(count(i, "source_line"))
               : i.value("place", "");
    const std::string kernel = i.value("kernel", "");
    // Without a place: of a trace, whose instructions have numbers only.
    const std::string key = place.empty() ? i.value("text", "") : place;
    const auto [at, fresh] = known.try_emplace({kernel, key}, lines.size());
    if (fresh) {
      ProfiledLine line;
      line.kernel = kernel;
      line.place = place;
      line.text = i.value(source ? "source_text" : "text", "");
      line.is_source = source;
      lines.push_back(std::move(line));
      latencies.emplace_back();
    }
    ProfiledLine& line = lines[at->second];
    ++line.instructions;
    line.warp_accesses += count(i, "warp_accesses");
    line.lines += count(i, "lines");
    line.sectors += count(i, "sectors");
    line.useful_bytes += count(i, "useful_bytes");
    line.loads += count(i, "loads");
    line.load_hits += count(i, "load_hits");
    line.load_merges += count(i, "load_merges");
    line.load_misses += count(i, "load_misses") + count(i, "load_bypasses");
    const std::uint64_t writes = count(i, "stores") + count(i, "atomics");
    line.writes += writes;
    line.remote += count(i, "remote_misses") + count(i, "remote_writes");
    line.traffic_bytes += count(i, "filled_bytes") + (writes != 0 ? count(i, "useful_bytes") : 0);
    line.stall_cycles += count(i, "stall_cycles");
    latencies[at->second].first += count(i, "miss_latency_cycles");
    latencies[at->second].second += count(i, "served_misses");
    stalled += static_cast<double>(count(i, "stall_cycles"));
  }
  for (std::size_t n = 0; n < lines.size(); ++n) {
    ProfiledLine& line = lines[n];
    line.miss_latency = average(latencies[n].first, latencies[n].second);
    line.coalescing = {static_cast<double>(line.useful_bytes),
                       static_cast<double>(line.lines) * line_bytes, "bytes of requested lines"};
    line.stall = {static_cast<double>(line.stall_cycles), stalled, "stalled time"};
  }
  std::stable_sort(lines.begin(), lines.end(), [](const ProfiledLine& a, const ProfiledLine& b) {
    return a.stall_cycles != b.stall_cycles ? a.stall_cycles > b.stall_cycles
                                            : a.traffic_bytes > b.traffic_bytes;
  });
  return lines;
}

std::vector<ProfiledArray> arrays_of(const ordered_json& stats) {
  const ordered_json all = list_of(stats, "arrays");
  std::vector<ProfiledArray> arrays;
  double missed = 0;
  for (const ordered_json& a : all) missed += static_cast<double>(count(a, "filled_bytes"));
  for (const ordered_json& a : all) {
    ProfiledArray array;
    array.name = a.value("name", "");
    array.bytes = count(a, "bytes");
    array.loads = count(a, "loads");
    array.stores = count(a, "stores");
    array.atomics = count(a, "atomics");
    array.load_misses = count(a, "load_misses") + count(a, "load_bypasses");
    array.remote = count(a, "remote_misses") + count(a, "remote_writes");
    array.missed_bytes = count(a, "filled_bytes");
    array.miss_latency = average(count(a, "miss_latency_cycles"), count(a, "served_misses"));
    array.missed = {static_cast<double>(array.missed_bytes), missed, "missed bytes"};
    arrays.push_back(std::move(array));
  }
  std::stable_sort(arrays.begin(), arrays.end(),
                   [](const ProfiledArray& a, const ProfiledArray& b) {
                     return a.missed_bytes > b.missed_bytes;
                   });
  return arrays;
}

ordered_json profile_json(const ordered_json& stats) {
  if (!stats.contains("profile")) return nullptr;
  ordered_json lines = ordered_json::array();
  for (const ProfiledLine& l : lines_of(stats)) {
    lines.push_back({{"kernel", l.kernel},
                     {"place", l.place},
                     {"text", l.text},
                     {"is_source", l.is_source},
                     {"instructions", l.instructions},
                     {"warp_accesses", l.warp_accesses},
                     {"lines", l.lines},
                     {"sectors", l.sectors},
                     {"useful_bytes", l.useful_bytes},
                     {"coalescing", to_json(l.coalescing)},
                     {"loads", l.loads},
                     {"load_hits", l.load_hits},
                     {"load_merges", l.load_merges},
                     {"load_misses", l.load_misses},
                     {"writes", l.writes},
                     {"remote", l.remote},
                     {"traffic_bytes", l.traffic_bytes},
                     {"miss_latency", l.miss_latency},
                     {"stall_cycles", l.stall_cycles},
                     {"stall", to_json(l.stall)}});
  }
  ordered_json arrays = ordered_json::array();
  for (const ProfiledArray& a : arrays_of(stats)) {
    arrays.push_back({{"name", a.name},
                      {"bytes", a.bytes},
                      {"loads", a.loads},
                      {"stores", a.stores},
                      {"atomics", a.atomics},
                      {"load_misses", a.load_misses},
                      {"remote", a.remote},
                      {"missed_bytes", a.missed_bytes},
                      {"missed", to_json(a.missed)},
                      {"miss_latency", a.miss_latency}});
  }
  return {{"lines", std::move(lines)}, {"arrays", std::move(arrays)}};
}

std::string profile_table(const ordered_json& stats) {
  constexpr std::size_t kShown = 5;
  const std::vector<ProfiledLine> lines = lines_of(stats);
  if (lines.empty()) return "";
  std::vector<std::vector<std::string>> rows{
      {"  Lines", "kernel", "stalled", "traffic", "coalesced", "text"}};
  for (std::size_t i = 0; i < lines.size() && i < kShown; ++i) {
    const ProfiledLine& l = lines[i];
    rows.push_back({"  " + file_name(l.place), l.kernel, percent_text(l.stall.value()),
                    bytes_text(static_cast<double>(l.traffic_bytes)),
                    percent_text(l.coalescing.value()), shortened(l.text, 48)});
  }
  return "\n" + table_text(rows);
}

std::string waiting_sentence(const ordered_json& stats) {
  const std::vector<ProfiledLine> lines = lines_of(stats);
  if (lines.empty() || lines.front().stall_cycles == 0) return "";
  const ProfiledLine& l = lines.front();
  std::string text = "The longest waits are for kernel '" + l.kernel + "'";
  if (!l.place.empty()) text += ", " + l.place;
  if (!l.text.empty()) text += " '" + l.text + "'";
  text += " (" + percent_text(l.stall.value()) + " of the stalled time)";
  const std::vector<ProfiledArray> arrays = arrays_of(stats);
  if (!arrays.empty() && arrays.front().missed_bytes != 0 && !arrays.front().name.empty()) {
    text += ", array " + arrays.front().name + " (" + percent_text(arrays.front().missed.value()) +
            " of the missed bytes)";
  }
  return text + ".";
}

}  // namespace tessera::app
