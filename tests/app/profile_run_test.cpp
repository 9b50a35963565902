// SPDX-License-Identifier: Apache-2.0
// `tessera run --profile`: exact counts, and sums that are those of SMs and L1s.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/command.h"

namespace tessera::profile_run_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const std::string kExample = TESSERA_SOURCE_DIR "/docs/guide/examples/columns/columns.json";

json run(const std::string& platform, const std::string& workload,
         std::vector<std::string> more = {}) {
  const ScratchFolder folder;
  std::vector<std::string> words = {"run", platform, workload, "--json", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  const CommandResult r = run_tessera(words, folder.path());
  CAPTURE(platform, workload, r.error);
  REQUIRE(r.status == 0);
  return r.document();
}

std::uint64_t sum_of(const json& list, const char* key) {
  std::uint64_t sum = 0;
  for (const json& entry : list) sum += entry.at(key).get<std::uint64_t>();
  return sum;
}

/// A statistic summed over the blocks "system.gpuN.KIND0" and so on, of a histogram its part.
std::uint64_t modules_sum(const json& stats, const std::string& kind, const std::string& name,
                          const char* part = nullptr) {
  std::uint64_t sum = 0;
  for (const auto& [module, statistics] : stats.at("modules").items()) {
    const std::string block = module.substr(module.rfind('.') + 1);
    if (block.rfind(kind, 0) != 0 || block.size() == kind.size()) continue;
    if (block.find_first_not_of("0123456789", kind.size()) != std::string::npos) continue;
    const auto found = statistics.find(name);
    if (found == statistics.end()) continue;
    sum += (part == nullptr ? *found : found->at(part)).get<std::uint64_t>();
  }
  return sum;
}

/// Line requests of the SMs of each toucher: as many SMs each, in their order.
std::vector<std::uint64_t> requests_by_toucher(const json& stats, std::size_t touchers) {
  std::map<std::pair<int, int>, std::uint64_t> sms;  // by GPU and number
  const std::regex name("system\\.gpu(\\d+)\\.sm(\\d+)");
  for (const auto& [module, statistics] : stats.at("modules").items()) {
    std::smatch found;
    if (!std::regex_match(module, found, name)) continue;
    sms[{std::stoi(found[1]), std::stoi(found[2])}] =
        statistics.at("line_requests").get<std::uint64_t>();
  }
  std::vector<std::uint64_t> requests(touchers);
  std::size_t i = 0;
  for (const auto& [sm, count] : sms) requests[i++ * touchers / sms.size()] += count;
  return requests;
}

/// The instructions of a profile whose text begins so, in their order.
std::vector<json> instructions(const json& profile, const std::string& begin) {
  std::vector<json> found;
  for (const json& line : profile.at("lines")) {
    if (line.at("text").get<std::string>().rfind(begin, 0) == 0) found.push_back(line);
  }
  return found;
}

void check_sums(const json& stats) {
  const json& profile = stats.at("profile");
  const json& lines = profile.at("lines");
  // The load/store units.
  CHECK(sum_of(lines, "warp_accesses") == modules_sum(stats, "sm", "load_instructions") +
                                              modules_sum(stats, "sm", "store_instructions") +
                                              modules_sum(stats, "sm", "atomic_instructions"));
  CHECK(sum_of(lines, "lines") == modules_sum(stats, "sm", "line_requests"));
  CHECK(sum_of(lines, "sectors") == modules_sum(stats, "sm", "sectors"));
  CHECK(sum_of(lines, "useful_bytes") == modules_sum(stats, "sm", "useful_bytes"));
  // The L1s: by instruction and by array.
  const bool coherent = stats.at("platform") == "umh-1-small";
  for (const char* list : {"lines", "arrays"}) {
    const json& all = profile.at(list);
    CAPTURE(list);
    CHECK(sum_of(all, "load_hits") == modules_sum(stats, "l1_", "load_hits"));
    if (coherent) {
      CHECK(sum_of(all, "load_misses") + sum_of(all, "load_merges") ==
            modules_sum(stats, "l1_", "load_misses"));
      CHECK(sum_of(all, "loads") - sum_of(all, "load_bypasses") ==
            modules_sum(stats, "l1_", "loads"));
      CHECK(sum_of(all, "stores") + sum_of(all, "load_bypasses") ==
            modules_sum(stats, "l1_", "stores") + modules_sum(stats, "l1_", "coherent_stores"));
    } else {
      CHECK(sum_of(all, "load_misses") == modules_sum(stats, "l1_", "load_misses"));
      CHECK(sum_of(all, "load_merges") == modules_sum(stats, "l1_", "load_merges"));
      CHECK(sum_of(all, "load_bypasses") == modules_sum(stats, "l1_", "bypasses"));
      CHECK(sum_of(all, "loads") == modules_sum(stats, "l1_", "loads"));
      CHECK(sum_of(all, "stores") == modules_sum(stats, "l1_", "stores"));
      CHECK(sum_of(all, "filled_bytes") == modules_sum(stats, "l1_", "bytes_filled"));
    }
    CHECK(sum_of(all, "atomics") == modules_sum(stats, "l1_", "atomics"));
    CHECK(sum_of(all, "served_misses") == modules_sum(stats, "l1_", "miss_latency", "count"));
    CHECK(sum_of(all, "miss_latency_cycles") == modules_sum(stats, "l1_", "miss_latency", "sum"));
  }
  // Each request is a touch of its page, by the node of its SM.
  const std::size_t touchers = profile.at("touchers").size();
  std::vector<std::uint64_t> touches(touchers);
  for (const json& page : profile.at("pages").at("list")) {
    for (std::size_t t = 0; t < touchers; ++t) {
      touches[t] += page.at("touches").at(t).get<std::uint64_t>();
    }
  }
  REQUIRE(profile.at("pages").at("touched") == profile.at("pages").at("list").size());
  CHECK(touches == requests_by_toucher(stats, touchers));
  // Both are whole cycles, rounded: here of each instruction, there of each stage of each SM.
  std::uint64_t stalled = 0;
  std::uint64_t summands = lines.size();
  for (const char* stage : {"translation", "l1_hit", "l1_miss", "request_network", "llc", "dram",
                            "llc_return", "response_network"}) {
    stalled += modules_sum(stats, "sm", std::string("memory_stall_") + stage + "_cycles");
    summands += stats.at("config").at("system").at("sms").get<std::uint64_t>();
  }
  const auto profiled = static_cast<double>(sum_of(lines, "stall_cycles"));
  CHECK(stalled > 0);
  CHECK(std::abs(profiled - static_cast<double>(stalled)) <= static_cast<double>(summands));
}

}  // namespace

TEST_CASE("vecadd: each instruction has the accesses, lines and bytes of its elements") {
  constexpr std::uint64_t kElements = 16384;
  constexpr std::uint64_t kWarps = kElements / 32;
  for (const char* platform : {"uba-mem-small", "nuba-small", "dualopt-small", "umh-1-small"}) {
    CAPTURE(platform);
    const json stats = run(platform, "vecadd:n=" + std::to_string(kElements), {"--profile"});
    const json& profile = stats.at("profile");
    // 32 lanes x 4 bytes are one line of 128 bytes, or two of 64 bytes.
    const auto line_bytes = profile.at("line_bytes").get<std::uint64_t>();
    CHECK(line_bytes == stats.at("config").at("system").at("line_bytes"));
    const std::uint64_t lines = 4 * kElements / line_bytes;
    const std::vector<json> loads = instructions(profile, "ld.global.f32");
    const std::vector<json> stores = instructions(profile, "st.global.f32");
    REQUIRE(loads.size() == 2);
    REQUIRE(stores.size() == 1);
    REQUIRE(profile.at("lines").size() == 3);
    for (const json& i : {loads[0], loads[1], stores[0]}) {
      CHECK(i.at("kernel") == "vecadd");
      CHECK(i.at("warp_accesses") == kWarps);
      CHECK(i.at("lines") == lines);
      CHECK(i.at("sectors") == 4 * kWarps);
      CHECK(i.at("useful_bytes") == 4 * kElements);
      CHECK_FALSE(i.contains("source_line"));  // this PTX has no .loc
    }
    CHECK_THAT(loads[0].at("place").get<std::string>(), Catch::StartsWith("vecadd.ptx:"));
    CHECK(stores[0].at("stores") == lines);
    for (const json& i : loads) {
      // Each line is read once.
      CHECK(i.at("loads") == lines);
      CHECK(i.at("load_misses") == lines);
      CHECK(i.at("served_misses") == lines);
      CHECK(i.at("filled_bytes") == 4 * kElements);
    }
    std::map<std::string, json> arrays;
    for (const json& array : profile.at("arrays")) arrays[array.at("name")] = array;
    REQUIRE(arrays.size() == 3);
    CHECK(arrays.at("a").at("loads") == lines);
    CHECK(arrays.at("a").at("filled_bytes") == 4 * kElements);
    CHECK(arrays.at("b").at("loads") == lines);
    CHECK(arrays.at("c").at("stores") == lines);
    CHECK(arrays.at("c").at("bytes") == 4 * kElements);
    const std::uint64_t pages = 3 * (4 * kElements / profile.at("page_bytes").get<std::uint64_t>());
    CHECK(profile.at("pages").at("touched") == pages);
  }
}

TEST_CASE("sums over instructions, arrays and pages are those of SMs and L1s") {
  for (const char* platform : {"uba-mem-small", "nuba-small", "dualopt-small", "umh-1-small"}) {
    for (const char* workload : {"bfs", "histogram", "spmv"}) {
      CAPTURE(platform, workload);
      check_sums(run(platform, workload, {"--profile"}));
    }
  }
}

TEST_CASE("remote misses are those of the L1s and of the homes' nodes") {
  const json gpus = run("dualopt-small", "spmv", {"--profile"});
  const json& lines = gpus.at("profile").at("lines");
  CHECK(sum_of(lines, "remote_misses") == modules_sum(gpus, "l1_", "remote_load_misses"));
  CHECK(sum_of(lines, "remote_writes") == modules_sum(gpus, "l1_", "remote_stores"));
  CHECK(sum_of(lines, "remote_misses") > 0);
  const json nuba = run("nuba-small", "kmeans", {"--profile"});
  const json& matrix = nuba.at("derived").at("misses_by_home");
  std::uint64_t remote = 0;
  for (std::size_t f = 0; f < matrix.at("from").size(); ++f) {
    for (std::size_t t = 0; t < matrix.at("to").size(); ++t) {
      if (matrix.at("from")[f] != matrix.at("to")[t]) {
        remote += matrix.at("misses")[f][t].get<std::uint64_t>();
      }
    }
  }
  CHECK(sum_of(nuba.at("profile").at("lines"), "remote_misses") == remote);
  CHECK(remote > 0);
  CHECK(sum_of(run("uba-mem-small", "kmeans", {"--profile"}).at("profile").at("lines"),
               "remote_misses") == 0);
}

TEST_CASE("the homes of pages are those of the page table") {
  const json stats = run("nuba-small", "vecadd:n=65536", {"--profile"});
  std::map<std::uint64_t, std::uint64_t> pages;
  for (const json& page : stats.at("profile").at("pages").at("list")) {
    ++pages[page.at("home").get<std::uint64_t>()];
    // A channel of nuba-small is a partition's.
    CHECK(page.at("home_node") ==
          "system.gpu0.partition" + std::to_string(page.at("home").get<std::uint64_t>()));
  }
  const json& uvm = stats.at("modules").at("system.gpu0.uvm");
  for (std::uint64_t c = 0; c < 4; ++c) {
    CHECK(pages[c] == uvm.at("pages_channel" + std::to_string(c)).get<std::uint64_t>());
  }
}

TEST_CASE("lines of CUDA have their text, and lanes of a column or of a row their lines") {
  constexpr std::uint64_t kN = 256;
  constexpr std::uint64_t kWarps = kN / 32;
  const json stats = run("uba-mem-small", kExample, {"--profile"});
  std::map<std::uint64_t, json> by_line;
  for (const json& i : stats.at("profile").at("lines")) {
    CHECK(i.at("source_file") == "columns.cu");
    by_line[i.at("source_line").get<std::uint64_t>()] = i;
  }
  REQUIRE(by_line.size() == 4);
  const json& column = by_line.at(9);
  CHECK(column.at("source_text") == "column += matrix[k * n + i];");
  CHECK(column.at("warp_accesses") == kWarps * kN);
  CHECK(column.at("lines") == kWarps * kN);
  CHECK(column.at("useful_bytes") == kWarps * kN * 128);
  const json& row = by_line.at(14);
  CHECK(row.at("source_text") == "row += matrix[i * n + k];");
  CHECK(row.at("warp_accesses") == kWarps * kN);
  CHECK(row.at("lines") == kWarps * kN * 32);
  CHECK(row.at("useful_bytes") == kWarps * kN * 128);
  CHECK(by_line.at(11).at("stores") == kWarps);
  CHECK(by_line.at(16).at("stores") == kWarps);
}

TEST_CASE("a window's profile has the accesses of the window") {
  const json stats =
      run("uba-mem-small", "vecadd", {"--profile", "--skip", "1000000", "--detail", "500000"});
  check_sums(stats);
  const json whole = run("uba-mem-small", "vecadd", {"--profile"});
  CHECK(sum_of(stats.at("profile").at("lines"), "lines") <
        sum_of(whole.at("profile").at("lines"), "lines"));
}

TEST_CASE("option --profile changes nothing else") {
  for (const char* platform : {"uba-mem-small", "nuba-small", "dualopt-small", "umh-1-small"}) {
    for (const char* values : {"functional", "carried"}) {
      CAPTURE(platform, values);
      json plain = run(platform, "spmv", {"--values", values});
      json profiled = run(platform, "spmv", {"--values", values, "--profile"});
      CHECK_FALSE(plain.contains("profile"));
      REQUIRE(profiled.contains("profile"));
      for (json* d : {&plain, &profiled}) {
        d->erase("profile");
        d->erase("host");
      }
      CHECK(plain == profiled);
    }
  }
}

TEST_CASE("a captured run has the profile of the same run without --capture") {
  const json plain = run("uba-mem-small", kExample, {"--profile"});
  const json captured = run("uba-mem-small", kExample, {"--profile", "--capture", "run.ttrace"});
  CHECK(captured.at("profile") == plain.at("profile"));
}

TEST_CASE("option --profile is refused with --threads") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera(
      {"run", "dca-small", "vecadd", "--values", "carried", "--threads", "2", "--profile"},
      folder.path());
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Contains("--profile runs without --threads"));
}

TEST_CASE("the commands of the guide to profiles run, and name the line") {
  std::ifstream guide(TESSERA_SOURCE_DIR "/docs/guide/profile.md");
  const ScratchFolder folder;
  int commands = 0;
  std::string out;
  for (std::string line; std::getline(guide, line);) {
    if (line.rfind("tessera ", 0) != 0) continue;
    std::istringstream words(line.substr(8));
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    for (std::string& word : arguments) {
      if (word.rfind("docs/", 0) == 0) word = TESSERA_SOURCE_DIR "/" + word;
    }
    const CommandResult r = run_tessera(arguments, folder.path());
    CAPTURE(line, r.error);
    CHECK(r.status == 0);
    out += r.out;
    ++commands;
  }
  CHECK(commands == 3);
  CHECK_THAT(out, Contains("columns.cu:14") && Contains("row += matrix[i * n + k];") &&
                      Contains("The longest waits are for kernel 'sums', columns.cu:9"));
}

}  // namespace tessera::profile_run_test
