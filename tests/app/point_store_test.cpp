// SPDX-License-Identifier: Apache-2.0
// The database of results: round trips, several writers, kills, damage, full disks.
#include "app/point_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "app/console.h"
#include "app/old_points.h"
#include "common/error.h"
#include "common/json.h"
#include "common/sha256.h"
#include "tests/app/command.h"

namespace tessera::point_store_test {

using namespace tessera::test;
using namespace tessera::app;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

ordered_json stats_of(int n) {
  return {{"tessera", "0.1.0"},
          {"platform", "p" + std::to_string(n % 3)},
          {"workload", "mm"},
          {"scale", "small"},
          {"values", "functional"},
          {"settings", {{"llc.sets", n}}},
          {"config", {{"llc", {{"sets", n}, {"ways", 16}}}}},
          {"seed", 7},
          {"cycles", 1000 + n},
          {"time_ns", 12.5},
          {"modules", {{"system.gpu0", {{"text", std::string(3000, 'x')}}}}},
          {"derived", {{"ipc", 0.1}, {"latency_breakdown", {{"llc", 3}}}}},
          {"energy", {{"noc", {{"total_j", 2.5}}}, {"total_j", 4.5}}},
          {"verified", true},
          {"host", {{"seconds", 3.5}, {"peak_rss_bytes", 4096}}}};
}

std::string key_of(int n) { return "key" + std::to_string(n); }

/// Runs `work` in a child process. Returns its process id.
template <class Work>
pid_t in_child(const Work& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    work();
    ::_exit(0);
  }
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

TEST_CASE("a saved point is loaded as it was, without its host") {
  const ScratchFolder folder;
  const PointStore store(folder.path() / "deep/er/r.sqlite");
  CHECK_FALSE(store.load("key1"));
  store.save("key1", stats_of(1));
  ordered_json expected = stats_of(1);
  expected.erase("host");
  const auto loaded =
      PointStore(store.path()).load("key1", [](const std::string& why) { FAIL(why); });
  REQUIRE(loaded);
  CHECK(loaded->dump() == expected.dump());
  // A later result takes the place of the first.
  store.save("key1", stats_of(2));
  CHECK(store.load("key1")->at("cycles") == 1002);
  CHECK(store.entries().size() == 1);
}

TEST_CASE("entries have the point's fields, settings and figures") {
  const ScratchFolder folder;
  const PointStore store(folder.path() / "r.sqlite");
  store.save("key4", stats_of(4));
  const auto entries = store.entries();
  REQUIRE(entries.size() == 1);
  const PointEntry& e = entries[0];
  CHECK(e.key == "key4");
  CHECK(e.platform == "p1");
  CHECK(e.workload == "mm");
  CHECK(e.scale == "small");
  CHECK(e.values == "functional");
  CHECK(e.seed == 7);
  CHECK(e.window.empty());
  CHECK(e.verified == true);
  CHECK(e.model.size() == 64);
  CHECK(e.created.size() == 20);
  CHECK(e.host_seconds == 3.5);
  CHECK(e.host_peak_bytes == 4096);
  CHECK(e.settings->dump() == R"({"llc.sets":4})");
  CHECK(
      e.figures->dump() ==
      R"({"cycles":1004,"time_ns":12.5,"derived.ipc":0.1,"energy.noc.total_j":2.5,"energy.total_j":4.5})");
  const auto configs = store.configurations();
  REQUIRE(configs.count(e.config) == 1);
  CHECK(configs.at(e.config)->at("llc").at("ways") == 16);
}

TEST_CASE("eight processes save at once, and no point is lost") {
  const ScratchFolder folder;
  const PointStore store(folder.path() / "r.sqlite");
  std::vector<pid_t> children;
  for (int c = 0; c < 8; ++c) {
    children.push_back(in_child([&] {
      for (int n = 0; n < 16; ++n) store.save(key_of(16 * c + n), stats_of(16 * c + n));
    }));
  }
  for (const pid_t child : children) CHECK(status_of(child) == 0);
  CHECK(store.entries().size() == 128);
  for (int n = 0; n < 128; ++n) CHECK(store.load(key_of(n))->at("cycles") == 1000 + n);
}

TEST_CASE("a killed writer leaves whole points, and others can go on") {
  const ScratchFolder folder;
  const PointStore store(folder.path() / "r.sqlite");
  std::size_t before = 0;
  for (int round = 0; round < 10; ++round) {
    const pid_t child = in_child([&] {
      for (int n = 0; n < 10'000; ++n) store.save(key_of(10'000 * round + n), stats_of(n));
    });
    while (store.entries().size() < before + 3) ::usleep(1000);
    ::kill(child, SIGKILL);
    CHECK(WIFSIGNALED(status_of(child)));
    const auto entries = store.entries();
    CHECK(entries.size() >= before + 3);
    for (const PointEntry& e : entries) {
      const auto stats = store.load(e.key, [](const std::string& why) { FAIL(why); });
      REQUIRE(stats);
      CHECK(stats->at("cycles") == e.figures->at("cycles"));
    }
    before = entries.size();
  }
}

TEST_CASE("a row that was changed or damaged is reported and not loaded, and others are") {
  const ScratchFolder folder;
  const PointStore store(folder.path() / "r.sqlite");
  for (int n = 0; n < 4; ++n) store.save(key_of(n), stats_of(n));
  {
    SQLite::Database db(store.path(), SQLite::OPEN_READWRITE);
    CHECK(db.exec("UPDATE results SET stats = substr(stats, 1, 20) WHERE key = 'key0'") == 1);
    CHECK(db.exec("UPDATE results SET stats = (SELECT stats FROM results WHERE key = 'key3') "
                  "WHERE key = 'key1'") == 1);
    CHECK(db.exec("UPDATE configs SET document = '{}' WHERE document LIKE '%\"sets\":2%'") == 1);
  }
  for (const auto& [key, why] : {std::pair{"key0", "is damaged"},
                                 {"key1", "has been changed since it was written"},
                                 {"key2", "has been changed since it was written"}}) {
    std::string said;
    CHECK_FALSE(store.load(key, [&](const std::string& text) { said = text; }));
    CHECK_THAT(said, Contains(why) && Contains(key) && Contains("is computed again"));
  }
  CHECK(store.load("key3")->at("cycles") == 1003);
  // Damaged and missing points do not keep the others from being loaded.
  std::vector<std::size_t> found;
  std::size_t refused = 0;
  store.load_each(
      {"key3", "key0", "key9", "key2", "key3"},
      [&](std::size_t i, const ordered_json& stats) {
        found.push_back(i);
        CHECK(stats.at("cycles") == 1003);
      },
      [&](const std::string&) { ++refused; });
  CHECK(found == std::vector<std::size_t>{0, 4});
  CHECK(refused == 2);
  store.save("key0", stats_of(0));
  CHECK(store.load("key0")->at("cycles") == 1000);
}

TEST_CASE("a file system that is full loses the point in work only") {
  const ScratchFolder folder;
  const PointStore store(folder.path() / "r.sqlite");
  store.save("key0", stats_of(0));
  const pid_t child = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{60'000, 60'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      for (int n = 1; n < 1000; ++n) store.save(key_of(n), stats_of(n));
    } catch (const RunError& e) {
      ::_exit(std::string(e.what()).find("cannot be written") == std::string::npos ? 2 : 3);
    }
  });
  CHECK(WEXITSTATUS(status_of(child)) == 3);
  const auto entries = store.entries();
  CHECK(entries.size() > 1);
  for (const PointEntry& e : entries) CHECK(store.load(e.key));
  store.save("key1000", stats_of(1000));
  CHECK(store.load("key1000"));
}

TEST_CASE("another kind of file, and a newer schema, are refused") {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "text") << std::string(5000, 'a');
  CHECK_THROWS_WITH(PointStore(folder.path() / "text"), Contains("cannot be used as a database"));
  std::filesystem::create_directory(folder.path() / "dir");
  CHECK_THROWS_AS(PointStore(folder.path() / "dir"), InputError);
  const std::string path = folder.path() / "r.sqlite";
  { const PointStore made(path); }
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  CHECK_THROWS_WITH(PointStore(path), Contains("of a newer Tessera (schema 99"));
}

TEST_CASE("a database without tables, as after a kill while it was made, gets them") {
  const ScratchFolder folder;
  const std::string path = folder.path() / "r.sqlite";
  std::ofstream(path).close();
  const PointStore store(path);
  store.save("key1", stats_of(1));
  CHECK(store.load("key1"));
}

TEST_CASE("the option --store comes before TESSERA_STORE, and that before the default") {
  const ScratchFolder folder;
  const std::string named = folder.path() / "named.sqlite";
  ::setenv("TESSERA_STORE", named.c_str(), 1);
  CHECK(open_store(std::nullopt)->path() == named);
  const std::string given = folder.path() / "given.sqlite";
  CHECK(open_store(given)->path() == given);
  CHECK_THROWS_AS(open_store("/dev/null/x"), InputError);
  ::unsetenv("TESSERA_STORE");
  std::filesystem::current_path(folder.path());
  CHECK(open_store(std::nullopt)->path() == "out/results.sqlite");
  // The default is only reported when it cannot be used.
  std::filesystem::remove_all(folder.path() / "out");
  std::ofstream(folder.path() / "out") << "a file";
  CHECK_FALSE(open_store(std::nullopt));
}

TEST_CASE("points of old files are listed with an unknown model, and are never loaded") {
  const ScratchFolder folder;
  const PointStore store(folder.path() / "r.sqlite");
  const auto old_file = [](const std::string& key, const ordered_json& stats) {
    return document_text(
        {{"key", key}, {"sha256", sha256(document_text(stats))}, {"stats", stats}});
  };
  const std::string first(64, 'a');
  const std::string second(64, 'b');
  const std::string changed(64, 'c');
  const std::string renamed(64, 'd');
  const std::string bare(64, 'e');
  std::filesystem::create_directories(folder.path() / "compare/runs");
  folder.write("compare/runs/" + first + ".json", old_file(first, stats_of(1)));
  folder.write("compare/" + second + ".json", old_file(second, stats_of(2)));
  std::string text = old_file(changed, stats_of(3));
  text.replace(text.find("1003"), 4, "1004");
  folder.write("compare/runs/" + changed + ".json", text);
  folder.write("compare/runs/" + renamed + ".json", old_file(first, stats_of(1)));
  folder.write("compare/runs/" + bare + ".json", old_file(bare, {{"cycles", 3}}));
  folder.write("compare/compare.json", "{}");
  std::vector<std::string> refused;
  const auto import_all = [&] {
    return import_old_points(folder.path() / "compare", store,
                             [&](const std::string& why) { refused.push_back(why); });
  };
  const OldPoints points = import_all();
  CHECK(points.imported == 2);
  CHECK(points.present == 0);
  CHECK(points.refused == 3);
  REQUIRE(refused.size() == 3);
  CHECK_THAT(refused[0], Contains(changed + ".json has been changed since it was written"));
  CHECK_THAT(refused[1], Contains(renamed + ".json is not the result of a point"));
  CHECK_THAT(refused[2], Contains(bare + ".json is not the result of a point"));
  const std::vector<PointEntry> entries = store.entries();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].key == first);
  CHECK(entries[0].model == "unknown");
  CHECK(entries[0].settings->at("llc.sets") == 1);
  CHECK(entries[0].figures->at("energy.noc.total_j") == 2.5);
  CHECK(entries[1].figures->at("cycles") == 1002);
  for (const std::string& key : {first, second}) CHECK_FALSE(store.load(key));
  // A second import, and a point of a command under the same key.
  store.save(first, stats_of(5));
  const OldPoints again = import_all();
  CHECK(again.imported == 0);
  CHECK(again.present == 2);
  REQUIRE(store.load(first));
  CHECK(store.load(first)->at("cycles") == 1005);
  CHECK_THROWS_AS(import_old_points(folder.path() / "none", store, [](const std::string&) {}),
                  InputError);
}

}  // namespace tessera::point_store_test
