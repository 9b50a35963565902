// SPDX-License-Identifier: Apache-2.0
// Folders that could lose results: slashes, other commands' folders, changed files, two at once.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::result_folder_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const std::vector<std::string> kRun = {"run", "uba-mem-small", "vecadd", "--quiet"};
/// Takes far longer than the tests wait.
const std::vector<std::string> kLong = {"run",      "uba-mem", "mm",      "--scale", "paper",
                                        "--values", "carried", "--quiet", "--out"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Whether the child process has ended (and is not waited for).
bool has_ended(int pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

/// Whether the process runs the command and has the file open.
bool has_open(int pid, const std::string& file) {
  const std::string process = "/proc/" + std::to_string(pid);
  std::error_code error;
  // Before that, it has the files of this process.
  if (std::filesystem::read_symlink(process + "/exe", error) != TESSERA_COMMAND) return false;
  auto it = std::filesystem::directory_iterator(process + "/fd", error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    if (std::filesystem::read_symlink(it->path(), error) == file) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a slash at the end of --out changes nothing") {
  const ScratchFolder folder;
  REQUIRE(run_tessera(with(kRun, {"--out", "o/"}), folder.path()).status == 0);
  CHECK(run_tessera(with(kRun, {"--out", "o"}), folder.path()).status == 2);
  CHECK(run_tessera(with(kLong, {"o/", "--overwrite"}), folder.path(), 2).status == 1);
  CHECK(std::filesystem::exists(folder.path() / "o-incomplete" / "stats.json"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "o" / "-incomplete"));
}

TEST_CASE("a run does not replace a comparison's report, nor a comparison a run's") {
  const ScratchFolder folder;
  const std::vector<std::string> compare = {"compare", "uba-mem-small", "vecadd", "--quiet",
                                            "--out"};
  REQUIRE(run_tessera(with(compare, {"c"}), folder.path()).status == 0);
  const std::string report = folder.read("c/report.html");
  CHECK(run_tessera(with(kRun, {"--out", "c"}), folder.path()).status == 2);
  CHECK(folder.read("c/report.html") == report);
  REQUIRE(run_tessera(with(kRun, {"--out", "r"}), folder.path()).status == 0);
  CHECK(run_tessera(with(compare, {"r"}), folder.path()).status == 2);
  // The comparison that the folder was made for goes on as before.
  CHECK(run_tessera(with(compare, {"c"}), folder.path()).status == 0);
}

TEST_CASE("a comparison of a file that has changed since is another comparison") {
  const ScratchFolder folder;
  json config = run_tessera({"config", "uba-mem-small"}, folder.path()).document();
  folder.write("mine.json", config.dump());
  const std::vector<std::string> command = {"compare", "uba-mem-small,mine.json", "vecadd",
                                            "--quiet"};
  REQUIRE(run_tessera(command, folder.path()).status == 0);
  const std::string first = folder.read("out/compare/compare.json");
  config["llc"]["latency_cycles"] = 300;
  folder.write("mine.json", config.dump());
  CHECK_THAT(run_tessera(command, folder.path()).out, Contains("out/compare-2/report.html"));
  CHECK(folder.read("out/compare/compare.json") == first);
}

TEST_CASE("an interrupted comparison goes on in its own folder") {
  const ScratchFolder folder;
  std::vector<std::string> command = kLong;
  command.front() = "compare";
  command.emplace_back("c");
  for (int i = 0; i < 2; ++i) {
    CHECK(run_tessera(command, folder.path(), 2).status == 1);
    CHECK_FALSE(folder.read("c/compare.json").empty());
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "c-incomplete"));
}

TEST_CASE("of two runs with one --out at once, none replaces the other") {
  const ScratchFolder folder;
  // The first is under way, without a result yet, when the second begins and ends.
  BackgroundCommand slow(with(kLong, {"o"}), folder.path());
  while (!std::filesystem::exists(folder.path() / "o")) std::this_thread::yield();
  REQUIRE(run_tessera(with(kRun, {"--out", "o"}), folder.path()).status == 0);
  const std::string first = folder.read("o/stats.json");
  slow.signal(SIGINT);
  CHECK(slow.wait().status == 1);
  CHECK(folder.read("o/stats.json") == first);
  CHECK(json::parse(folder.read("o-incomplete/stats.json")).at("interrupted") == true);
}

TEST_CASE("two runs that end at the same time in one --out have a folder each") {
  for (const bool overwrite : {false, true}) {
    const ScratchFolder folder;
    std::filesystem::create_directory(folder.path() / "o");
    // The other run: it holds the folder while it writes its result.
    const std::string lock = (folder.path() / "o/.result.lock").string();
    const int file = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(::flock(file, LOCK_EX) == 0);
    std::vector<std::string> command = with(kRun, {"--out", "o"});
    if (overwrite) command.emplace_back("--overwrite");
    BackgroundCommand mine(command, folder.path());
    while (!has_ended(mine.pid()) && !has_open(mine.pid(), lock)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const std::string theirs = R"({"cycles": 1, "config": {}})";
    folder.write("o/stats.json", theirs);
    std::filesystem::remove(lock);
    ::close(file);
    const CommandResult r = mine.wait();
    CAPTURE(overwrite, r.error);
    CHECK(r.status == 0);
    CHECK_THAT(r.out, Contains("report         o-2/report.html"));
    CHECK(folder.read("o/stats.json") == theirs);
    CHECK(json::parse(folder.read("o-2/stats.json")).at("verified") == true);
    // No lock is left.
    for (const char* name : {"o", "o-2"}) {
      CHECK_FALSE(std::filesystem::exists(folder.path() / name / ".result.lock"));
    }
  }
}

TEST_CASE("of four equal runs at once in one --out, each has its result") {
  const ScratchFolder folder;
  std::vector<std::unique_ptr<BackgroundCommand>> runs;
  for (int i = 0; i < 4; ++i) {
    runs.push_back(std::make_unique<BackgroundCommand>(with(kRun, {"--out", "o"}), folder.path()));
  }
  for (const auto& run : runs) CHECK(run->wait().status == 0);
  for (const char* name : {"o", "o-2", "o-3", "o-4"}) {
    CHECK(json::parse(folder.read(std::string(name) + "/stats.json")).at("verified") == true);
    CHECK_FALSE(folder.read(std::string(name) + "/report.html").empty());
  }
}

TEST_CASE("a folder's name is printed as text, and the document about it is one of JSON") {
  const ScratchFolder folder;
  const std::string name = "d\xff\x1b[31m";
  const CommandResult r = run_tessera(with(kRun, {"--out", name}), folder.path());
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Contains("d\\xff\\x1b[31m/report.html") && !Contains("\x1b"));
  CHECK_NOTHROW(json::parse(folder.read(name + "/stats.json")));
}

TEST_CASE("option --overwrite without --out says what it goes with") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera(with(kRun, {"--overwrite"}), folder.path());
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Contains("--overwrite goes with --out"));
}

TEST_CASE("a run that could not begin leaves no empty folder") {
  const ScratchFolder folder;
  // Found only when the platform's blocks are made and the arrays allocated.
  folder.write("short.bin", "1234");
  folder.write("k.ptx",
               ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
  const std::string manifest = folder.write("m.json", R"({"name": "m", "ptx": "k.ptx",
"arrays": [{"name": "a", "type": "u32", "count": 1000, "init": {"file": "short.bin"}}],
"launches": [{"kernel": "k", "grid": 1, "block": 1, "arguments": []}]})");
  const CommandResult r = run_tessera({"run", "uba-mem-small", manifest, "--quiet"}, folder.path());
  CAPTURE(r.error);
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Contains("short.bin: expected 4000 bytes, found 4"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out" / "uba-mem-small-m"));
}

}  // namespace tessera::result_folder_test
