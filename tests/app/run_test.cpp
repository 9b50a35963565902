// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <utility>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::run_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("run --json prints one document with the sections of the contract, in their order") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera(
      {"run", "uba-mem-small", "vecadd", "--json", "--values", "carried"}, folder.path());
  CAPTURE(r.error);
  REQUIRE(r.status == 0);
  const auto document = nlohmann::ordered_json::parse(r.out);
  std::vector<std::string> keys;
  const std::vector<std::string> contract = {
      "tessera",      "platform", "workload", "config",  "seed",   "cycles",   "time_ns",
      "instructions", "kernels",  "modules",  "derived", "energy", "verified", "host"};
  for (const auto& [key, value] : document.items()) {
    if (std::find(contract.begin(), contract.end(), key) != contract.end()) keys.push_back(key);
  }
  CHECK(keys == contract);
  CHECK(document["verified"] == true);
  CHECK(document["cycles"] > 0);
  CHECK(document["platform"] == "uba-mem-small");
  CHECK(document["workload"] == "vecadd");
  CHECK(document["footprint_bytes"] == 3 * 262144 * 4);
  // Only --out makes files then.
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a microbenchmark's figures are in the summary and in the files") {
  const ScratchFolder folder;
  const CommandResult r =
      run_tessera({"run", "uba-mem", "micro-chase:hops=1000", "--out", "out"}, folder.path());
  CAPTURE(r.error);
  REQUIRE(r.status == 0);
  CHECK_THAT(r.out, Contains("  Figures        value  unit       description\n"
                             "  latency         29.0  cycle/hop  mean of all chains\n"));
  CHECK_THAT(folder.read("out/stats.csv"), Contains("figures,latency,29.008,cycle/hop\r\n"));
  CHECK_THAT(folder.read("out/stats.json"), Contains("\"value\": 29.008"));
}

TEST_CASE("two runs with one seed give the same statistics") {
  const ScratchFolder folder;
  const auto once = [&folder] {
    json d = run_tessera({"run", "uba-mem-small", "mm", "--json", "--seed", "7"}, folder.path())
                 .document();
    d.erase("host");
    return d.dump();
  };
  CHECK(once() == once());
}

TEST_CASE("GPUs on two threads give the same statistics, whatever the window") {
  const ScratchFolder folder;
  const auto once = [&folder](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run",    "dca-small", "mm",
                                          "--json", "--values",  "carried"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    json d = run_tessera(arguments, folder.path()).document();
    CHECK(d["verified"] == true);
    const json threads = d["host"]["threads"];
    d.erase("host");
    CHECK(d.erase("critical_path") == (arguments.size() == 6 ? 1 : 0));  // none with threads
    return std::pair(d.dump(), threads);
  };
  const auto [expected, one] = once({});
  CHECK(one == 1);
  CHECK(once({"--threads", "2"}) == std::pair(expected, json(2)));
  CHECK(once({"--threads", "1", "--lookahead", "50"}) == std::pair(expected, json(1)));
}

TEST_CASE("a window is measured, the rest is executed, and the result is verified") {
  const ScratchFolder folder;
  const json whole = run_tessera({"run", "nuba-small", "mm", "--json"}, folder.path()).document();
  CHECK_FALSE(whole.contains("window"));
  const json d =
      run_tessera({"run", "nuba-small", "mm", "--json", "--skip", "50000", "--detail", "2e5"},
                  folder.path())
          .document();
  CHECK(d["verified"] == true);
  CHECK(d["window"]["skip"] == 50'000);
  CHECK(d["window"]["detail"] == 200'000);
  CHECK(d["window"]["complete"] == true);
  CHECK(d["cycles"] < whole["cycles"]);
  const CommandResult text =
      run_tessera({"run", "nuba-small", "mm", "--skip", "50000", "--detail", "2e5"}, folder.path());
  CHECK_THAT(text.out,
             Contains("window         200 ") && Contains(" thread instructions, after 50 0"));
}

TEST_CASE("run prints the bandwidth of each level and writes its three files") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera({"run", "uba-mem-small", "vecadd"}, folder.path());
  CAPTURE(r.error);
  REQUIRE(r.status == 0);
  CHECK_THAT(r.out, Contains("vecadd on uba-mem-small"));
  CHECK_THAT(r.out, Contains("match the CPU reference"));
  for (const char* level : {"L1 fills", "NoC request", "NoC response", "LLC", "DRAM"}) {
    CHECK_THAT(r.out, Contains(level));
  }
  CHECK_THAT(r.out, Contains("out/uba-mem-small-vecadd/report.html"));
  const std::string stem = "out/uba-mem-small-vecadd/";
  const json stats = json::parse(folder.read(stem + "stats.json"));
  CHECK(stats["verified"] == true);
  CHECK_THAT(folder.read(stem + "stats.csv"), Contains("run,cycles," + stats["cycles"].dump()));
  CHECK_THAT(folder.read(stem + "stats.csv"),
             Contains("energy,noc_j," + stats["energy"]["noc_j"].dump() + ",J"));
  for (const char* part : {"energy  ", ": SM ", ", L1 ", ", LLC ", ", NoC ", ", DRAM "}) {
    CHECK_THAT(r.out, Contains(part));
  }
  CHECK_THAT(folder.read(stem + "report.html"), Contains("vecadd"));
}

TEST_CASE("an option --out says where the files go, with --json too") {
  const ScratchFolder folder;
  const CommandResult r =
      run_tessera({"run", "uba-mem-small", "vecadd", "--json", "--out", "a/b"}, folder.path());
  REQUIRE(r.status == 0);
  json printed = r.document();
  CHECK(printed == json::parse(folder.read("a/b/stats.json")));
}

TEST_CASE("a setting of --set changes what runs") {
  const ScratchFolder folder;
  const CommandResult r =
      run_tessera({"run", "uba-mem-small", "vecadd", "--json", "--set", "llc.latency_cycles=500"},
                  folder.path());
  REQUIRE(r.status == 0);
  const CommandResult base =
      run_tessera({"run", "uba-mem-small", "vecadd", "--json"}, folder.path());
  CHECK(r.document().at("config").at("llc").at("latency_cycles") == 500);
  CHECK(r.document().at("cycles") > base.document().at("cycles"));
}

TEST_CASE("a setting that nothing reads is reported, once, unless --quiet") {
  const ScratchFolder folder;
  const std::vector<std::string> arguments = {"run",    "uba-mem-small", "vecadd",
                                              "--json", "--set",         "rdma.timeout_cycles=5",
                                              "--set",  "llc.sets=32"};
  const CommandResult r = run_tessera(arguments, folder.path());
  CHECK(r.status == 0);
  CHECK(r.document()["config"]["rdma"]["timeout_cycles"] == 5);
  CHECK_THAT(r.error, Contains("tessera: note: --set rdma.timeout_cycles=5 changes nothing: "
                               "on uba-mem-small system.topology is uba-mem\n"));
  CHECK_THAT(r.error, !Contains("llc.sets"));
  std::vector<std::string> quiet = arguments;
  quiet.emplace_back("--quiet");
  CHECK(run_tessera(quiet, folder.path()).error.empty());
}

TEST_CASE("a setting of a platform's own file that nothing reads is reported with its line") {
  const ScratchFolder folder;
  folder.write("mine.json", "{\"base\": \"uba-mem-small\",\n\"mcm\": {\"ports\": 5}}");
  const std::string note =
      "tessera: note: mine.json:2: mcm.ports changes nothing: system.modules is 1\n";
  CHECK(run_tessera({"run", "mine.json", "vecadd", "--json"}, folder.path()).error == note);
  CHECK(run_tessera({"config", "mine.json"}, folder.path()).error == note);
  CHECK(run_tessera({"run", "mine.json", "vecadd", "--json", "--quiet"}, folder.path())
            .error.empty());
}

TEST_CASE("config reports a setting that nothing reads") {
  const ScratchFolder folder;
  CHECK_THAT(run_tessera({"config", "uba-mem-small", "--set", "mcm.ports=5"}, folder.path()).error,
             Contains("--set mcm.ports=5 changes nothing: on uba-mem-small system.modules is 1\n"));
}

TEST_CASE("compare reports a setting that none of its platforms reads") {
  const ScratchFolder folder;
  const auto note = [&](const std::string& platforms) {
    return run_tessera({"compare", platforms, "vecadd", "--json", "--set", "mdr.sampled_sets=4"},
                       folder.path())
        .error;
  };
  CHECK_THAT(note("uba-mem-small,nuba-small"), !Contains("changes nothing"));
  CHECK_THAT(note("uba-mem-small,nuba-norep-small"),
             Contains("mdr.sampled_sets=4 changes nothing"));
}

TEST_CASE("an interrupted run keeps what it measured and ends with status 1") {
  const ScratchFolder folder;
  const CommandResult r =
      run_tessera({"run", "uba-mem", "mm", "--scale", "paper", "--values", "carried", "--out", "o"},
                  folder.path(), 2);
  CHECK(r.status == 1);
  CHECK_THAT(r.error, Contains("interrupted"));
  CHECK(json::parse(folder.read("o/stats.json")).at("verified").is_null());
  CHECK_FALSE(folder.read("o/report.html").empty());
}

}  // namespace tessera::run_test
