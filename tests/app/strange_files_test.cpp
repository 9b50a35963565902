// SPDX-License-Identifier: Apache-2.0
// Pipes, devices, folders and links that lead nowhere in place of every file that the command
// reads: refused at once with status 2, the path and the reason.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>

#include "tests/app/command.h"

namespace tessera::strange_files_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// What stands in place of a file.
struct Kind {
  const char* name;
  void (*make)(const fs::path& path);
  const char* reason;
};

const Kind kKinds[] = {
    {"pipe", [](const fs::path& p) { REQUIRE(::mkfifo(p.c_str(), 0600) == 0); }, "is a pipe"},
    {"device", [](const fs::path& p) { fs::create_symlink("/dev/zero", p); }, "is a device"},
    {"folder", [](const fs::path& p) { fs::create_directory(p); }, "is a folder"},
    {"link to itself", [](const fs::path& p) { fs::create_symlink(p.filename(), p); },
     "Too many levels of symbolic links"},
    {"link to nothing", [](const fs::path& p) { fs::create_symlink("gone", p); }, "no such file"},
};

/// A file that the command reads.
struct Reader {
  const char* file;  ///< its path in the folder
  std::vector<std::string> arguments;
  bool takes_folders = false;
};

constexpr char kPtx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";

/// A manifest of kernel k with an array of 4 elements; `more`: of the array.
std::string manifest(const std::string& ptx, const std::string& array, const std::string& more) {
  return R"({"name": "m", "ptx": ")" + ptx + R"(", "arrays": [{"name": "a", "type": "u32",
"count": 4, )" +
         array + R"(}], "launches": [{"kernel": "k", "grid": 1, "block": 1, "arguments": []}])" +
         more + "}";
}

void check_refused(const std::vector<Reader>& readers,
                   const std::function<void(const ScratchFolder&)>& prepare) {
  for (const Reader& reader : readers) {
    for (const Kind& kind : kKinds) {
      const bool is_folder = std::string(kind.name) == "folder";
      if (reader.takes_folders && is_folder) continue;
      const ScratchFolder folder;
      prepare(folder);
      const fs::path path = folder.path() / reader.file;
      fs::create_directories(path.parent_path());
      fs::remove_all(path);
      kind.make(path);
      // A command that waits for a pipe or reads a device without end is ended.
      const CommandResult r = run_tessera_in({"", 0, 20}, reader.arguments, folder.path());
      CAPTURE(kind.name, reader.file, reader.arguments, r.error);
      CHECK(r.status == 2);
      CHECK_THAT(r.error, Contains(std::string(reader.file) + ": cannot be read: " + kind.reason));
      CHECK_THAT(r.error, !Contains("internal error"));
    }
  }
}

}  // namespace

TEST_CASE("a platform's file, its base and its plugin must be regular files") {
  const std::vector<std::string> plugin = {"list", "policies", "--plugin", "p.so"};
  check_refused({{"p.json", {"config", "p.json"}},
                 {"p.json", {"run", "p.json", "vecadd"}},
                 {"p.json", {"compare", "nuba-small,p.json", "vecadd"}},
                 {"p.json", {"config", "nuba-small", "p.json"}},
                 {"p.json", {"list", "parameters", "--platform", "p.json"}},
                 {"base.json", {"config", "own.json"}},
                 {"p.so", {"config", "with.json"}},
                 {"p.so", plugin}},
                [](const ScratchFolder& folder) {
                  folder.write("own.json", R"({"base": "base.json"})");
                  folder.write("with.json", R"({"base": "nuba-small", "plugins": ["p.so"]})");
                });
}

TEST_CASE("a manifest, its PTX and its data must be regular files") {
  check_refused({{"m.json", {"run", "nuba-small", "m.json"}},
                 {"m.json", {"run", "nuba-small", "m.json:n=4"}},
                 {"m.json", {"compare", "nuba-small", "m.json"}},
                 {"m.json", {"run", "nuba-small", "k.ptx", "--manifest", "m.json"}},
                 {"k.ptx", {"run", "nuba-small", "of-k.json"}},
                 {"k.ptx", {"run", "nuba-small", "k.ptx", "--manifest", "of-k.json"}},
                 {"k.ptx", {"analyze", "k.ptx"}},
                 {"g.config", {"import", "g.config"}},
                 {"a.bin", {"run", "nuba-small", "data.json", "--json"}},
                 {"a.bin", {"run", "nuba-small", "expected.json", "--json"}}},
                [](const ScratchFolder& folder) {
                  folder.write("k.ptx", kPtx);
                  folder.write("of-k.json", manifest("k.ptx", R"("init": "zero")", ""));
                  folder.write("data.json", manifest("k.ptx", R"("init": {"file": "a.bin"})", ""));
                  folder.write(
                      "expected.json",
                      manifest("k.ptx", R"("init": "zero")",
                               R"(, "outputs": [{"array": "a"}], "expected": {"a": "a.bin"})"));
                });
}

TEST_CASE("the files of a study and the results that diff reads must be regular files") {
  check_refused({{"s/study.json", {"study", "s"}},
                 {"s/workloads.json", {"study", "s"}},
                 {"s/claims.json", {"study", "s"}},
                 {"s/fig1.json", {"study", "s"}},
                 {"a.json", {"diff", "a.json", "b.json"}, true},
                 {"a.json", {"diff", "b.json", "a.json"}, true},
                 {"r/stats.json", {"diff", "r", "r"}},
                 {"r/compare.json", {"diff", "r", "r"}},
                 {"r/one/stats.json", {"diff", "r", "r"}},
                 {"r/stats.json", {"run", "nuba-small", "vecadd", "--out", "r"}}},
                [](const ScratchFolder& folder) {
                  fs::copy(TESSERA_SOURCE_DIR "/tests/studies/data/tiny", folder.path() / "s");
                  folder.write("b.json", R"({"cycles": 1, "config": {}})");
                });
}

TEST_CASE("a file that is too long is refused with the limit, without a byte of it being read") {
  const ScratchFolder folder;
  const auto check = [&folder](const char* file, const std::vector<std::string>& arguments) {
    folder.write(file, "");
    fs::resize_file(folder.path() / file, std::uint64_t{1} << 40);
    const CommandResult r = run_tessera_in({"", 0, 20}, arguments, folder.path());
    CAPTURE(r.error);
    CHECK(r.status == 2);
    CHECK_THAT(r.error, Contains(file) && Contains("is longer than 256 MiB, the most"));
    CHECK(r.peak_bytes < std::uint64_t{200} << 20);
  };
  check("p.json", {"config", "p.json"});
  check("m.json", {"run", "nuba-small", "m.json"});
  check("k.ptx", {"analyze", "k.ptx"});
  check("g.config", {"import", "g.config"});
}

}  // namespace tessera::strange_files_test
