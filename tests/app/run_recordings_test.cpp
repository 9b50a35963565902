// SPDX-License-Identifier: Apache-2.0
// Files that `tessera run` writes beside its results.
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
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
  fs::create_symlink("z.ttrace", folder.path() / "z.pftrace");  // to a file that is not there
  fs::create_symlink("o/stats.json", folder.path() / "s.pftrace");
  const auto check = [&folder](const Words& more, const std::string& expected) {
    const CommandResult r = run_tessera(with(kRun, more), folder.path());
    CAPTURE(more, r.error);
    CHECK(r.status == 2);
    CHECK_THAT(r.error, Contains(expected));
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 3);
  };
  check({"--capture", "z.ttrace", "--timeline", "z.pftrace"},
        "--capture and --timeline name one file: z.pftrace");
  check({"--capture", "z.ttrace", "--timeline", "./link/z.pftrace"},
        "--capture and --timeline name one file");
  check({"--record-traffic", "system.gpu0.dram0=a.stl", "--record-traffic",
         "system.gpu0.dram1=./a.stl"},
        "--record-traffic system.gpu0.dram0 and --record-traffic system.gpu0.dram1 name one file");
  check({"--out", "o", "--timeline", "s.pftrace"},
        "the run's stats.json and --timeline name one file: s.pftrace");
  check({"--store", "r.pftrace", "--timeline", "r.pftrace"},
        "--store and --timeline name one file: r.pftrace");
}

TEST_CASE("a time line has the ending of one, unless it is a device or a pipe") {
  const ScratchFolder folder;
  folder.write("mm.json", "{}");
  const CommandResult r = run_tessera(with(kRun, {"--timeline", "mm.json"}), folder.path());
  CHECK(r.status == 2);
  CHECK(r.error ==
        "tessera: --timeline: 'mm.json' must end with .pftrace or .perfetto-trace, as traces of "
        "Perfetto do\n");
  CHECK(folder.read("mm.json") == "{}");
  for (const char* const name : {"a.pftrace", "a.perfetto-trace", "/dev/null"}) {
    const CommandResult run = run_tessera(with(kRun, {"--timeline", name}), folder.path());
    CAPTURE(name, run.error);
    CHECK(run.status == 0);
  }
}

TEST_CASE("a block whose traffic is recorded can be named as in reports, once") {
  const ScratchFolder folder;
  const CommandResult r =
      run_tessera(with(kRun, {"--record-traffic", "gpu0.dram0=a.stl"}), folder.path());
  CAPTURE(r.error);
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Contains("  traffic        a.stl (system.gpu0.dram0)\n"));
  CHECK(fs::file_size(folder.path() / "a.stl") > 100);
  const CommandResult twice = run_tessera(
      with(kRun,
           {"--record-traffic", "gpu0.dram0=b.stl", "--record-traffic", "system.gpu0.dram0=c.stl"}),
      folder.path());
  CHECK(twice.status == 2);
  CHECK_THAT(twice.error, Contains("--record-traffic: each block once"));
}

TEST_CASE("traffic without requests is reported") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera(
      with(kRun, {"--record-traffic", "gpu0.uvm=u.stl", "--record-traffic", "gpu0.dram0=d.stl"}),
      folder.path());
  CHECK(r.status == 0);
  CHECK(r.error ==
        "tessera: note: the traffic u.stl is empty: no request arrived at system.gpu0.uvm\n");
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
  fs::create_symlink("out/results.sqlite", folder.path() / "r.pftrace");
  CHECK_THAT(refused({"--timeline", "r.pftrace"}),
             Contains("the database of results and --timeline name one file: r.pftrace"));
  CHECK(folder.read("out/results.sqlite") == kept);
  // To files that are not there.
  fs::create_symlink("x.ttrace.partial", folder.path() / "partial.pftrace");
  CHECK_THAT(refused({"--capture", "x.ttrace", "--timeline", "partial.pftrace"}),
             Contains("--capture and --timeline name one file: partial.pftrace"));
  CHECK_THAT(refused({"--store", "t.pftrace.partial", "--timeline", "t.pftrace"}),
             Contains("--store and --timeline name one file: t.pftrace"));
  fs::create_symlink("x.ttrace", folder.path() / "link.pftrace");
  CHECK_THAT(refused({"--capture", "x.ttrace", "--timeline", "link.pftrace"}),
             Contains("--capture and --timeline name one file: link.pftrace"));
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
  for (const auto& [option, file] :
       {std::pair("--capture", "d.ttrace"), std::pair("--timeline", "d.pftrace")}) {
    fs::create_directory(folder.path() / file);
    const CommandResult r = run_tessera(with(kRun, {option, file}), folder.path());
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK_THAT(r.error,
               Contains(std::string(option) + ": " + file + " cannot be written: it is a folder"));
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
