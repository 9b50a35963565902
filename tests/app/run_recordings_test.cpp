// SPDX-License-Identifier: Apache-2.0
// Files that `tessera run` writes beside its results.
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/app/command.h"

namespace tessera::run_recordings_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

const Words kRun = {"run", "nuba-small", "vecadd:n=1024", "--quiet"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("two options that name one file are refused with both names") {
  const ScratchFolder folder;
  fs::create_directory_symlink(".", folder.path() / "link");
  const auto check = [&folder](const Words& more, const std::string& expected) {
    const CommandResult r = run_tessera(with(kRun, more), folder.path());
    CAPTURE(more, r.error);
    CHECK(r.status == 2);
    CHECK_THAT(r.error, Contains(expected));
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
  };
  check({"--capture", "z.ttrace", "--timeline", "z.ttrace"},
        "--capture and --timeline name one file: z.ttrace");
  check({"--capture", "z.ttrace", "--timeline", "./link/z.ttrace"},
        "--capture and --timeline name one file");
  check({"--record-traffic", "system.gpu0.dram0=a.stl", "--record-traffic",
         "system.gpu0.dram1=./a.stl"},
        "--record-traffic system.gpu0.dram0 and --record-traffic system.gpu0.dram1 name one file");
  check({"--out", "o", "--timeline", "o/stats.json"},
        "the run's stats.json and --timeline name one file: o/stats.json");
  check({"--store", "r.sqlite", "--timeline", "r.sqlite"},
        "--store and --timeline name one file: r.sqlite");
}

TEST_CASE("an output is neither the database of results nor another output's partial file") {
  const ScratchFolder folder;
  REQUIRE(run_tessera(kRun, folder.path()).status == 0);
  const std::string kept = folder.read("out/results.sqlite");
  const auto refused = [&folder](const Words& more) {
    const CommandResult r = run_tessera(with(kRun, more), folder.path());
    CHECK(r.status == 2);
    return r.error;
  };
  CHECK_THAT(refused({"--timeline", "out/results.sqlite"}),
             Contains("the database of results and --timeline name one file: out/results.sqlite"));
  CHECK(folder.read("out/results.sqlite") == kept);
  CHECK_THAT(refused({"--capture", "x.ttrace", "--timeline", "x.ttrace.partial"}),
             Contains("--capture and --timeline name one file: x.ttrace.partial"));
  CHECK_THAT(refused({"--store", "t.partial", "--timeline", "t"}),
             Contains("--store and --timeline name one file: t"));
  fs::create_symlink("x.ttrace", folder.path() / "link.ttrace");  // to a file that is not there
  CHECK_THAT(refused({"--capture", "x.ttrace", "--timeline", "link.ttrace"}),
             Contains("--capture and --timeline name one file: link.ttrace"));
}

TEST_CASE("a run that gets a SIGHUP ends as an interrupted one") {
  const ScratchFolder folder;
  BackgroundCommand run({"run", "h100", "spmv", "--scale", "medium", "--quiet", "--capture",
                         "c.ttrace", "--timeline", "t.pftrace"},
                        folder.path());
  for (int i = 0; i < 600 && !fs::exists(folder.path() / "t.pftrace.partial"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  run.signal(SIGHUP);
  const CommandResult r = run.wait();
  CHECK(r.status != 0);
  CHECK_THAT(r.error, Contains("interrupted"));
  CHECK_FALSE(fs::exists(folder.path() / "c.ttrace.partial"));
  CHECK_FALSE(fs::exists(folder.path() / "t.pftrace.partial"));
}

TEST_CASE("a folder in the place of a recording is refused before the run") {
  const ScratchFolder folder;
  fs::create_directory(folder.path() / "d.ttrace");
  for (const char* option : {"--capture", "--timeline"}) {
    const CommandResult r = run_tessera(with(kRun, {option, "d.ttrace"}), folder.path());
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK_THAT(r.error,
               Contains(std::string(option) + ": d.ttrace cannot be written: it is a folder"));
  }
}

TEST_CASE("a run names the files that it has recorded, and those alone") {
  const ScratchFolder folder;
  const Words options = {"--capture", "c.ttrace",         "--timeline",
                         "t.pftrace", "--record-traffic", "system.gpu0.dram0=a.stl"};
  const CommandResult r = run_tessera(with(kRun, options), folder.path());
  CAPTURE(r.error);
  REQUIRE(r.status == 0);
  CHECK_THAT(r.out, Contains("  captured run   c.ttrace\n"
                             "  time line      t.pftrace\n"
                             "  traffic        a.stl (system.gpu0.dram0)\n"));
  const CommandResult full = run_tessera(with(kRun, {"--timeline", "/dev/full"}), folder.path());
  CHECK(full.status == 1);
  CHECK_THAT(full.out, !Contains("time line"));
}

TEST_CASE("a time line without recorded time is reported") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera(
      with(kRun, {"--timeline", "t.pftrace", "--timeline-window", "5000000:"}), folder.path());
  CHECK(r.status == 0);
  CHECK_THAT(r.error, Contains("note: the time line t.pftrace is empty: the run ends at ") &&
                          Contains(" ns, before the begin of --timeline-window (5000000 ns)"));
  const CommandResult some = run_tessera(
      with(kRun, {"--timeline", "t.pftrace", "--timeline-window", "1:5000000"}), folder.path());
  CHECK(some.error.empty());
}

TEST_CASE("names of folders that are not UTF-8 do not keep a run from being captured") {
  const ScratchFolder folder;
  const std::string name = "d\xff";
  fs::copy(TESSERA_EXAMPLES_DIR "/columns", folder.path() / name);
  const std::string captured = name + "/c.ttrace";
  const CommandResult r = run_tessera({"run", "nuba-small", name + "/columns.json", "--capture",
                                       captured, "--out", "o", "--store", "r.sqlite", "--quiet"},
                                      folder.path());
  CAPTURE(r.error);
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Contains("  captured run   d\\xff/c.ttrace\n"));
  const CommandResult replay =
      run_tessera({"run", "nuba-small", captured, "--store", "r.sqlite", "--quiet"}, folder.path());
  CHECK(replay.status == 0);
  CHECK(replay.error.empty());
}

}  // namespace tessera::run_recordings_test
