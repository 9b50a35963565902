// SPDX-License-Identifier: Apache-2.0
#include "app/report/kernels.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "app/report/csv.h"
#include "app/report/share.h"
#include "app/report/text.h"
#include "common/json.h"

namespace tessera::app {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostRows = 8;

/// Sum of the launches of one name and stream.
struct Row {
  std::string name;
  std::string stream;
  std::uint64_t launches = 0;
  std::uint64_t cycles = 0;
  std::map<std::string, std::map<std::string, std::uint64_t>> levels;
};

ordered_json levels_of(const ordered_json& kernel) {
  return kernel.value("levels", ordered_json::object());
}

std::vector<Row> kernel_rows(const ordered_json& kernels) {
  std::vector<Row> rows;
  for (const ordered_json& k : kernels) {
    Row one;
    one.name = k.value("name", "?");
    if (k.contains("stream") && k["stream"].is_string()) one.stream = k["stream"];
    auto row = std::find_if(rows.begin(), rows.end(), [&one](const Row& r) {
      return r.name == one.name && r.stream == one.stream;
    });
    if (row == rows.end()) row = rows.insert(rows.end(), std::move(one));
    ++row->launches;
    row->cycles += k.value("cycles", std::uint64_t{0});
    const ordered_json levels = levels_of(k);
    for (const auto& [level, counts] : levels.items()) {
      for (const auto& [name, value] : counts.items()) {
        row->levels[level][name] += value.get<std::uint64_t>();
      }
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.cycles > b.cycles; });
  return rows;
}

/// Hits of a cache's lookups; bytes of a memory.
std::string cell_of(const std::map<std::string, std::uint64_t>& counts) {
  const auto hits = counts.find("hits");
  if (hits == counts.end()) return bytes_text(static_cast<double>(counts.at("bytes")));
  const std::uint64_t lookups = hits->second + counts.at("merged") + counts.at("misses");
  const Share share{static_cast<double>(hits->second), static_cast<double>(lookups), "lookups"};
  return lookups == 0 ? "-" : percent_text(share.value());
}

std::string unit_of(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  static const std::map<std::string, std::string> units = {{"start_cycle", "cycle"},
                                                           {"first_cta_cycle", "cycle"},
                                                           {"cycles", "cycle"},
                                                           {"hits", "access"},
                                                           {"merged", "access"},
                                                           {"misses", "access"},
                                                           {"bytes", "byte"},
                                                           {"shared_bytes", "byte"},
                                                           {"registers_per_thread", "register"},
                                                           {"instructions", "instruction"}};
  const auto unit = units.find(last);
  return unit == units.end() ? "" : unit->second;
}

}  // namespace

std::string kernel_table(const ordered_json& stats) {
  const ordered_json kernels = stats.value("kernels", ordered_json::array());
  if (kernels.size() < 2) return "";
  const std::vector<Row> rows = kernel_rows(kernels);
  const bool streams =
      std::any_of(rows.begin(), rows.end(), [](const Row& r) { return !r.stream.empty(); });
  std::vector<std::vector<std::string>> cells{{"  Kernels"}};
  if (streams) cells[0].push_back("stream");
  cells[0].insert(cells[0].end(), {"launches", "cycles"});
  std::vector<std::string> levels;
  const ordered_json first = levels_of(kernels[0]);
  for (const auto& [level, counts] : first.items()) {
    levels.push_back(level);
    cells[0].push_back(level + (counts.contains("hits") ? " hits" : " bytes"));
  }
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    const Row& r = rows[i];
    std::vector<std::string> line{"  " + r.name};
    if (streams) line.push_back(r.stream.empty() ? "default" : r.stream);
    line.push_back(grouped(r.launches));
    line.push_back(grouped(r.cycles));
    for (const std::string& level : levels) line.push_back(cell_of(r.levels.at(level)));
    cells.push_back(std::move(line));
  }
  std::string text = "\n" + table_text(cells);
  if (rows.size() > kMostRows) {
    text += "  and " + std::to_string(rows.size() - kMostRows) + " more in stats.json\n";
  }
  return text;
}

std::string kernels_csv(const ordered_json& stats) {
  std::string out;
  const auto add = [&out](const std::string& module, const ordered_json& values) {
    for (const auto& [name, value] : values.items()) {
      out += csv_lines(module, name, value, unit_of);
    }
  };
  std::size_t i = 0;
  for (const ordered_json& k : stats.value("kernels", ordered_json::array())) {
    add("kernels." + std::to_string(i++), k);
  }
  add("outside_kernels", stats.value("outside_kernels", ordered_json::object()));
  return out;
}

}  // namespace tessera::app
