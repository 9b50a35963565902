// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::study_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kTiny = std::string(TESSERA_SOURCE_DIR) + "/tests/studies/data/tiny";

/// The tiny study in a folder where it can be changed.
void copy_tiny(const ScratchFolder& folder) { fs::copy(kTiny, folder.path() / "tiny"); }

void replace(const ScratchFolder& folder, const std::string& file, const std::string& from,
             const std::string& to) {
  std::string text = folder.read(file);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  folder.write(file, text.replace(at, from.size(), to));
}

std::size_t kept_points(const ScratchFolder& folder) {
  return run_tessera({"results", "--json"}, folder.path()).document().at("points").size();
}

}  // namespace

TEST_CASE("study prints figures and claims, and writes its files") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera({"study", kTiny, "--out", "s"}, folder.path());
  CAPTURE(r.error, r.out);
  REQUIRE(r.status == 0);
  for (const char* part :
       {"fig1: Speedup (Fig. 1)", "speedup over base", "(paper)", "fig2: Latency", "CLAIM",
        "6 claims: 1 holds, 0 direction only, 2 fails, 3 not run", "does not have yet: LBM",
        "4 points: 4 run, 0 kept from earlier, 0 failed", "s/report.html"}) {
    CHECK_THAT(r.out, Contains(part));
  }
  const json d = json::parse(folder.read("s/study.json"));
  CHECK(d["study"] == "tiny");
  CHECK(d["scale"] == "small");
  CHECK(d["claims"].size() == 6);
  // The one measured claim whose value is a ratio: 0.5, which a latency of 600 is far from.
  const double effect = d["claims"][0]["effect"];
  CHECK(effect == Approx(std::log(d["claims"][0]["measured"].get<double>()) / std::log(0.5)));
  CHECK(d["summary"] == json({{"holds", 1},
                              {"direction", 0},
                              {"fails", 2},
                              {"not_run", 3},
                              {"effect", {{"claims", 1}, {"mean", effect}, {"median", effect}}}}));
  CHECK_THAT(r.out, Contains("Effect (1: as published, 0: none): mean 0.0"));
  // What the claim says is what two runs of the same points say.
  const double base =
      run_tessera({"run", "uba-mem-small", "vecadd", "--json"}, folder.path()).document()["cycles"];
  const double slow =
      run_tessera({"run", "uba-mem-small", "vecadd", "--json", "--set", "llc.latency_cycles=600"},
                  folder.path())
          .document()["cycles"];
  CHECK(d["claims"][0]["workloads"]["VA"].get<double>() == Approx(base / slow));
  CHECK_THAT(folder.read("s/table.md"), Contains("| slower | slow over base | page 1 | 0.500 |"));
  CHECK_THAT(folder.read("s/table.md"), Contains("--scale small --seed 1"));
  CHECK_THAT(folder.read("s/table.md"), Contains("| measured | effect | verdict |"));
  CHECK_THAT(folder.read("s/table.md"), Contains("\n### fig1: "));
  CHECK_THAT(folder.read("s/table.md"), Contains("\n| VA | "));
  CHECK_THAT(folder.read("s/report.html"), Contains("Two LLCs"));
}

TEST_CASE("a study's runs are windows if the command or the study says so") {
  const ScratchFolder folder;
  const auto study = [&folder](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"study", "tiny", "--out", "s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult r = run_tessera(arguments, folder.path());
    REQUIRE(r.status == 0);
    return r;
  };
  copy_tiny(folder);
  const CommandResult window = study({"--detail", "20000", "--no-rest"});
  CHECK_THAT(window.out,
             Contains("in detail for 20 000 thread instructions") && Contains("4 points: 4 run"));
  const json d = json::parse(folder.read("s/study.json"));
  CHECK(d["window"] == json({{"skip", 0}, {"detail", 20'000}, {"rest", false}}));
  // The same window from the study's file is the same points.
  replace(folder, "tiny/study.json", "\"platforms\"",
          "\"windows\": {\"small\": {\"detail\": 20000, \"rest\": false}}, \"platforms\"");
  CHECK_THAT(study({}).out, Contains("4 points: 0 run, 4 kept from earlier"));
  CHECK_THAT(study({"--detail", "30000"}).out, Contains("4 points: 4 run"));
}

TEST_CASE("a second run runs nothing and gives the same document, byte for byte") {
  const ScratchFolder folder;
  REQUIRE(run_tessera({"study", kTiny, "--out", "s"}, folder.path()).status == 0);
  const std::string first = folder.read("s/study.json");
  const CommandResult again = run_tessera({"study", kTiny, "--out", "s"}, folder.path());
  CHECK_THAT(again.out, Contains("4 points: 0 run, 4 kept from earlier"));
  CHECK(folder.read("s/study.json") == first);
  // From nothing, in another order of finishing, and on standard output.
  const CommandResult other =
      run_tessera({"study", kTiny, "--out", "t", "--jobs", "4", "--json"}, folder.path());
  CHECK(folder.read("t/study.json") == first);
  CHECK(other.out == first);
}

TEST_CASE("a rerun runs what has changed and nothing else") {
  const ScratchFolder folder;
  copy_tiny(folder);
  const auto run = [&folder](const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"study", "tiny", "--out", "s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tessera(arguments, folder.path()).out;
  };
  CHECK_THAT(run(), Contains("4 points: 4 run, 0 kept"));
  // Words change no run; the slow platform has two.
  replace(folder, "tiny/fig1.json", "speedup over base", "faster");
  CHECK_THAT(run(), Contains("4 points: 0 run, 4 kept"));
  replace(folder, "tiny/study.json", "\"small\": 600", "\"small\": 500");
  CHECK_THAT(run(), Contains("4 points: 2 run, 2 kept"));
  CHECK_THAT(run({"--seed", "2"}), Contains("4 points: 4 run, 0 kept"));
  CHECK_THAT(run({"--values", "carried"}), Contains("4 points: 4 run, 0 kept"));
  // And back: nothing that was done is lost.
  CHECK_THAT(run(), Contains("4 points: 0 run, 4 kept"));
}

TEST_CASE("a point that was changed in the database is reported and run again") {
  const ScratchFolder folder;
  const std::vector<std::string> command = {"study", kTiny, "--out", "s"};
  REQUIRE(run_tessera(command, folder.path()).status == 0);
  const std::string whole = folder.read("s/study.json");
  {
    SQLite::Database db((folder.path() / "out/results.sqlite").string(), SQLite::OPEN_READWRITE);
    REQUIRE(db.exec("UPDATE results SET stats = substr(stats, 2) WHERE key IN "
                    "(SELECT key FROM results ORDER BY key LIMIT 1)") == 1);
    REQUIRE(db.exec("DELETE FROM results WHERE key IN "
                    "(SELECT key FROM results ORDER BY key DESC LIMIT 1)") == 1);
  }
  const CommandResult r = run_tessera(command, folder.path());
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Contains("4 points: 2 run, 2 kept"));
  CHECK_THAT(r.error, Contains("the point is computed again"));
  CHECK(folder.read("s/study.json") == whole);
  CHECK_THAT(run_tessera(command, folder.path()).out, Contains("4 points: 0 run, 4 kept"));
}

TEST_CASE("run, compare and study share their points") {
  const ScratchFolder folder;
  const CommandResult run =
      run_tessera({"run", "uba-mem-small", "vecadd", "--quiet"}, folder.path());
  REQUIRE(run.status == 0);
  CHECK(kept_points(folder) == 1);
  REQUIRE(run_tessera({"compare", "uba-mem-small,nuba-small", "vecadd", "--quiet"}, folder.path())
              .status == 0);
  CHECK(kept_points(folder) == 2);
  copy_tiny(folder);
  CHECK_THAT(run_tessera({"study", "tiny"}, folder.path()).out,
             Contains("4 points: 3 run, 1 kept"));
  CHECK(kept_points(folder) == 5);
}

TEST_CASE("a study does not write into the folder of another command's result") {
  const ScratchFolder folder;
  REQUIRE(run_tessera({"run", "uba-mem-small", "vecadd", "--quiet", "--out", "s"}, folder.path())
              .status == 0);
  const std::string report = folder.read("s/report.html");
  const CommandResult r = run_tessera({"study", kTiny, "--out", "s"}, folder.path());
  CHECK(r.status == 2);
  CHECK(r.error ==
        "tessera: s has another command's result (stats.json); choose another folder with --out\n");
  CHECK(folder.read("s/report.html") == report);
}

TEST_CASE("two studies in one folder share the work") {
  const ScratchFolder folder;
  const std::vector<std::string> command = {"study", kTiny, "--out", "s", "--jobs", "2"};
  BackgroundCommand other(command, folder.path());
  const CommandResult mine = run_tessera(command, folder.path());
  const CommandResult theirs = other.wait();
  CHECK(mine.status == 0);
  CHECK(theirs.status == 0);
  CHECK(kept_points(folder) == 4);
  // No lock and no journal is left.
  for (const auto& entry : fs::directory_iterator(folder.path() / "out")) {
    CHECK(entry.path().filename() == "results.sqlite");
  }
}

TEST_CASE("one figure runs its own points, and shares them with the whole") {
  const ScratchFolder folder;
  const CommandResult one = run_tessera({"study", kTiny + "/fig2", "--out", "s"}, folder.path());
  CAPTURE(one.error);
  REQUIRE(one.status == 0);
  CHECK_THAT(one.out, Contains("2 points: 2 run") && !Contains("fig1"));
  CHECK_THAT(run_tessera({"study", kTiny, "--out", "s"}, folder.path()).out,
             Contains("4 points: 2 run, 2 kept"));
}

TEST_CASE("a killed study goes on where it was") {
  const ScratchFolder folder;
  copy_tiny(folder);
  // A long point after the short ones: the kill finds it running.
  replace(folder, "tiny/workloads.json", "\"not-there-yet\"", "\"kmeans\"");
  replace(folder, "tiny/study.json", "\"preset\": \"uba-mem-small\"}", "\"preset\": \"uba-mem\"}");
  const std::vector<std::string> command = {"study", "tiny", "--out", "s", "--jobs", "1"};
  BackgroundCommand killed(command, folder.path());
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(4);
  while (kept_points(folder) < 2 && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  killed.signal(SIGKILL);
  CHECK(killed.wait().status == -1);
  const std::size_t kept = kept_points(folder);
  REQUIRE(kept >= 2);
  REQUIRE(kept < 7);
  const CommandResult rest = run_tessera(command, folder.path());
  CAPTURE(rest.error);
  CHECK(rest.status == 0);
  CHECK_THAT(rest.out, Contains(std::to_string(kept) + " kept from earlier, 0 failed"));
}

TEST_CASE("an interrupted study keeps its points and ends with status 1") {
  const ScratchFolder folder;
  copy_tiny(folder);
  replace(folder, "tiny/workloads.json", "\"saxpy\"", "\"atax\"");
  const CommandResult r = run_tessera({"study", "tiny", "--out", "s", "--jobs", "1", "--scale",
                                       "paper", "--values", "carried", "--json"},
                                      folder.path(), 2);
  CHECK(r.status == 1);
  CHECK_THAT(r.error, Contains("interrupted: ") && Contains("goes on from there"));
  CHECK(r.document().at("exit_status") == 1);
  // Nothing is said about claims whose runs were stopped.
  CHECK_FALSE(fs::exists(folder.path() / "s/study.json"));
}

TEST_CASE("a failing point is reported, the others are done, and the status is 1") {
  const ScratchFolder folder;
  copy_tiny(folder);
  replace(folder, "tiny/study.json",
          "\"llc.latency_cycles\": {\"small\": 600, \"medium\": 601, \"paper\": 602}",
          "\"system.cycle_limit\": 10");
  const CommandResult r = run_tessera({"study", "tiny", "--out", "s"}, folder.path());
  CAPTURE(r.error);
  CHECK(r.status == 1);
  CHECK_THAT(r.error, Contains("VA on slow: ") && Contains("SX on slow: "));
  CHECK_THAT(r.out, Contains("4 points: 4 run, 0 kept from earlier, 2 failed"));
  const json d = json::parse(folder.read("s/study.json"));
  CHECK(d["failed"].size() == 2);
  CHECK(d["claims"][0]["verdict"] == "not_run");
  CHECK(d["figures"][1]["series"][0]["points"][0]["measured"] > 0);
  // Failures are not kept: they are tried again.
  CHECK(kept_points(folder) == 2);
  CHECK_THAT(run_tessera({"study", "tiny", "--out", "s"}, folder.path()).out,
             Contains("4 points: 2 run, 2 kept from earlier, 2 failed"));
}

TEST_CASE("a workload by manifest is known by its contents") {
  const ScratchFolder folder;
  copy_tiny(folder);
  const fs::path suite = fs::path(TESSERA_SOURCE_DIR) / "stimuli/kernels/saxpy";
  fs::copy(suite / "manifest.json", folder.path() / "tiny/mine.json.in");
  fs::create_directory(folder.path() / "mine");
  fs::copy(suite / "manifest.json", folder.path() / "mine/manifest.json");
  fs::copy(suite / "saxpy.ptx", folder.path() / "mine/saxpy.ptx");
  fs::remove(folder.path() / "tiny/mine.json.in");
  replace(folder, "tiny/workloads.json", "\"saxpy\"", "\"../mine/manifest.json\"");
  const auto run = [&folder](const std::string& study) {
    const CommandResult r = run_tessera({"study", study, "--out", "s"}, folder.path());
    CAPTURE(r.error);
    CHECK(r.status == 0);
    return r.out;
  };
  CHECK_THAT(run("tiny"), Contains("4 points: 4 run"));
  // Elsewhere, the same.
  fs::create_directory(folder.path() / "deep");
  fs::copy(folder.path() / "tiny", folder.path() / "deep/tiny");
  fs::copy(folder.path() / "mine", folder.path() / "deep/mine");
  CHECK_THAT(run("deep/tiny"), Contains("4 points: 0 run, 4 kept"));
  replace(folder, "mine/saxpy.ptx", "//", "// changed");
  CHECK_THAT(run("tiny"), Contains("4 points: 2 run, 2 kept"));
}

TEST_CASE("bad studies are refused before anything is made") {
  const ScratchFolder folder;
  const auto refused = [&folder](const std::vector<std::string>& arguments,
                                 const std::string& part) {
    const CommandResult r = run_tessera(arguments, folder.path());
    CAPTURE(r.error);
    CHECK(r.status == 2);
    CHECK_THAT(r.error, Contains(part));
  };
  refused({"study"}, "NAME[/FIGURE] is missing");
  refused({"study", "nbua"}, "did you mean 'nuba'?");
  refused({"study", "nuba/fig70"}, "did you mean 'fig0");
  refused({"study", kTiny, "--set", "llc.ways=8"}, "--set");
  refused({"study", kTiny, "--jobs", "0"}, "--jobs");
  CHECK(fs::is_empty(folder.path()));
}

}  // namespace tessera::study_test
