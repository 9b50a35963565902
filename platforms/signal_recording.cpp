// SPDX-License-Identifier: Apache-2.0
#include "platforms/signal_recording.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <systemc>
#include <utility>

#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "common/suggest.h"
#include "modules/kernel/time.h"
#include "modules/protocol/platform_interfaces.h"

namespace tessera {

namespace {

constexpr char kCoverage[] = ".coverage.dat";

bool matches(const std::string& pattern, const std::string& path) {
  return fnmatch(pattern.c_str(), path.c_str(), 0) == 0 ||
         fnmatch(("system." + pattern).c_str(), path.c_str(), 0) == 0;
}

std::string file_in(const SignalRecording& recording, const RecordsSignalsIf& block,
                    const char* end) {
  return (std::filesystem::path(recording.folder) / (block.path() + end)).string();
}

Tick tick_of_ns(std::uint64_t ns) { return ns > kNever / kTicksPerNs ? kNever : ns * kTicksPerNs; }

std::string no_block(const std::string& pattern, const std::vector<RecordsSignalsIf*>& blocks) {
  std::vector<std::string> paths;
  for (const RecordsSignalsIf* b : blocks) paths.push_back(b->path());
  if (paths.empty()) return "no block of this platform is RTL (impl.llc=rtl-llc, for instance)";
  const std::string whole = pattern.rfind("system.", 0) == 0 ? pattern : "system." + pattern;
  return "no block '" + pattern + "' is RTL" + did_you_mean(whole, paths);
}

}  // namespace

void begin_recording(const SignalRecording& recording,
                     const std::vector<RecordsSignalsIf*>& blocks) {
  for (const std::string& pattern : recording.waves) {
    bool found = false;
    for (RecordsSignalsIf* const b : blocks) {
      if (!matches(pattern, b->path())) continue;
      found = true;
      b->record_waves(file_in(recording, *b, ".fst"), tick_of_ns(recording.from_ns),
                      tick_of_ns(recording.until_ns));
    }
    if (!found) throw InputError("--waves: " + no_block(pattern, blocks));
  }
  if (!recording.coverage) return;
  if (blocks.empty()) throw InputError("--coverage: " + no_block("", blocks));
  for (RecordsSignalsIf* const b : blocks) {
    if (b->write_coverage(file_in(recording, *b, kCoverage))) continue;
    throw InputError("--coverage: " + b->path() +
                     " counts no coverage (build with -DTESSERA_RTL_COVERAGE=ON, or COVERAGE of "
                     "tessera_add_rtl_block)");
  }
}

nlohmann::ordered_json coverage_of(const std::string& file) {
  // C '<key 1><value 1>...' <count>, with the bytes 1 and 2 before keys and values. The key "page"
  // is v_TYPE/MODULE.
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> points;
  std::istringstream in(read_input_file(file));
  for (std::string line; std::getline(in, line);) {
    const std::string key = "\x01page\x02v_";
    const std::size_t page = line.find(key);
    const std::size_t count = line.rfind(' ');
    if (page == std::string::npos || count == std::string::npos) continue;
    const std::size_t begin = page + key.size();
    std::string type = line.substr(begin, line.find('/', begin) - begin);
    if (type == "branch") type = "line";
    auto& [all, hit] = points[type];
    ++all;
    if (line.substr(count + 1) != "0") ++hit;
  }
  auto counted = nlohmann::ordered_json::object();
  for (const char* const type : {"line", "toggle"}) {
    counted[type] = {{"points", points[type].first}, {"hit", points[type].second}};
  }
  return counted;
}

nlohmann::ordered_json end_recording(const SignalRecording& recording,
                                     const std::vector<RecordsSignalsIf*>& blocks) {
  for (RecordsSignalsIf* const b : blocks) {
    const bool asked = std::any_of(recording.waves.begin(), recording.waves.end(),
                                   [b](const std::string& w) { return matches(w, b->path()); });
    if (!asked || std::filesystem::exists(file_in(recording, *b, ".fst"))) continue;
    const std::string text =
        b->path() +
        ": no waveform, because its clock has no edge from --waves-from to --waves-until";
    SC_REPORT_WARNING("/tessera/bridge/waves", text.c_str());
  }
  auto all = nlohmann::ordered_json::array();
  for (RecordsSignalsIf* const b : blocks) {
    nlohmann::ordered_json block = {{"block", b->path()}};
    if (recording.coverage) {
      const std::string file = file_in(recording, *b, kCoverage);
      b->write_coverage(file);
      block["coverage"] = coverage_of(file);
    }
    all.push_back(std::move(block));
  }
  return all;
}

}  // namespace tessera
