// SPDX-License-Identifier: Apache-2.0
// Lines and arrays of a profile, from a document written by hand.
#include "app/report/profile.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "app/report/summary.h"
#include "common/json.h"

namespace tessera::profile_test {

using namespace tessera::app;
using Catch::Contains;
using nlohmann::ordered_json;

namespace {

ordered_json load(int pc, int warp_accesses, int lines, int useful, int stalled) {
  return {{"kernel", "k"},
          {"pc", pc},
          {"place", "k.ptx:" + std::to_string(20 + pc)},
          {"text", "ld.global.f32 %f1, [%rd1];"},
          {"warp_accesses", warp_accesses},
          {"lines", lines},
          {"sectors", lines},
          {"useful_bytes", useful},
          {"loads", lines},
          {"load_hits", lines - 3},
          {"load_merges", 1},
          {"load_misses", 1},
          {"load_bypasses", 1},
          {"stores", 0},
          {"atomics", 0},
          {"remote_misses", 1},
          {"remote_writes", 0},
          {"filled_bytes", 128},
          {"served_misses", 2},
          {"miss_latency_cycles", 500},
          {"stall_cycles", stalled}};
}

/// Two loads of k.cu:7, a store without a place in the source, and two arrays.
ordered_json run() {
  ordered_json first = load(3, 10, 10, 1280, 30);
  ordered_json second = load(5, 10, 40, 320, 60);
  for (ordered_json* l : {&first, &second}) {
    (*l)["source_file"] = "dir/k.cu";
    (*l)["source_line"] = 7;
    (*l)["source_text"] = "s += a[i] * b[j];";
  }
  ordered_json store = load(9, 5, 5, 640, 10);
  store["text"] = "st.global.f32 [%rd2], %f2;";
  for (const char* none :
       {"loads", "load_hits", "load_merges", "load_misses", "load_bypasses", "remote_misses",
        "filled_bytes", "served_misses", "miss_latency_cycles"}) {
    store[none] = 0;
  }
  store["stores"] = 5;
  store["remote_writes"] = 2;
  ordered_json stats;
  stats["profile"] = {{"line_bytes", 128},
                      {"lines", {store, first, second}},
                      {"arrays",
                       {{{"name", "a"}, {"bytes", 4096}, {"loads", 10}, {"filled_bytes", 64}},
                        {{"name", "b"},
                         {"bytes", 8192},
                         {"loads", 40},
                         {"load_misses", 3},
                         {"load_bypasses", 1},
                         {"remote_misses", 2},
                         {"remote_writes", 1},
                         {"filled_bytes", 192},
                         {"served_misses", 4},
                         {"miss_latency_cycles", 1000}}}}};
  return stats;
}

}  // namespace

TEST_CASE("instructions of a line of source are one line, sorted by stalled time") {
  const std::vector<ProfiledLine> lines = lines_of(run());
  REQUIRE(lines.size() == 2);
  const ProfiledLine& l = lines[0];
  CHECK(l.kernel == "k");
  CHECK(l.place == "dir/k.cu:7");
  CHECK(l.text == "s += a[i] * b[j];");
  CHECK(l.is_source);
  CHECK(l.instructions == 2);
  CHECK(l.warp_accesses == 20);
  CHECK(l.lines == 50);
  CHECK(l.useful_bytes == 1600);
  CHECK(l.coalescing.value() == Approx(1600.0 / (50 * 128)));
  CHECK(l.load_hits == 44);
  CHECK(l.load_merges == 2);
  CHECK(l.load_misses == 4);  // with bypasses
  CHECK(l.remote == 2);
  CHECK(l.traffic_bytes == 256);
  CHECK(l.miss_latency == 250);
  CHECK(l.stall_cycles == 90);
  CHECK(l.stall.value() == Approx(0.9));
  CHECK(lines[1].place == "k.ptx:29");
  CHECK_FALSE(lines[1].is_source);
  CHECK(lines[1].writes == 5);
  CHECK(lines[1].remote == 2);
  CHECK(lines[1].traffic_bytes == 640);  // written
  CHECK(lines[1].miss_latency == 0);
}

TEST_CASE("lines without stalled time are sorted by traffic, and equal places of kernels differ") {
  ordered_json stats = run();
  for (ordered_json& line : stats["profile"]["lines"]) line["stall_cycles"] = 0;
  stats["profile"]["lines"][1]["kernel"] = "other";
  const std::vector<ProfiledLine> lines = lines_of(stats);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].place == "k.ptx:29");
  CHECK(lines[0].stall.value() == 0);
  CHECK(lines[1].kernel == "other");
  CHECK(lines[2].kernel == "k");
}

TEST_CASE("arrays are sorted by the bytes that misses fetched") {
  const std::vector<ProfiledArray> arrays = arrays_of(run());
  REQUIRE(arrays.size() == 2);
  CHECK(arrays[0].name == "b");
  CHECK(arrays[0].missed_bytes == 192);
  CHECK(arrays[0].missed.value() == Approx(0.75));
  CHECK(arrays[0].load_misses == 4);
  CHECK(arrays[0].remote == 3);
  CHECK(arrays[0].miss_latency == 250);
  CHECK(arrays[1].name == "a");
}

TEST_CASE("without a profile there are no lines, no table and no sentence") {
  const ordered_json stats = {{"cycles", 1}};
  CHECK(lines_of(stats).empty());
  CHECK(arrays_of(stats).empty());
  CHECK(profile_table(stats).empty());
  CHECK(waiting_sentence(stats).empty());
  CHECK(profile_json(stats).is_null());
}

TEST_CASE("the summary has the most expensive lines") {
  const std::string text = run_summary(run(), "passed", false);
  CHECK_THAT(text, Contains("k.cu:7") && Contains("90.0 %") && Contains("25.0 %") &&
                       Contains("s += a[i] * b[j];"));
  CHECK(text.find("k.cu:7") < text.find("k.ptx:29"));
  ordered_json many = run();
  for (int pc = 20; pc < 26; ++pc) many["profile"]["lines"].push_back(load(pc, 1, 3, 1, 1));
  const std::string table = profile_table(many);
  CHECK_THAT(table, Contains("k.ptx:42") && !Contains("k.ptx:43"));  // five
}

TEST_CASE("the sentence names line and array with their shares") {
  CHECK(waiting_sentence(run()) ==
        "The longest waits are for kernel 'k', dir/k.cu:7 's += a[i] * b[j];' (90.0 % of the "
        "stalled time), array b (75.0 % of the missed bytes).");
}

}  // namespace tessera::profile_test
