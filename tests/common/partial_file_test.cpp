// SPDX-License-Identifier: Apache-2.0
#include "common/partial_file.h"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>

#include "common/error.h"
#include "tests/support/temporary_file.h"

namespace tessera::partial_file_test {

namespace fs = std::filesystem;

namespace {

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("A recorded file replaces the old one when it is complete") {
  const test::TemporaryFile old("old");
  {
    PartialFile file(old.path());
    file.write("new");
    file.flush();
    CHECK(read(old.path()) == "old");
    CHECK(read(old.path() + ".partial") == "new");
    CHECK(file.complete().empty());
  }
  CHECK(read(old.path()) == "new");
  CHECK_FALSE(fs::exists(old.path() + ".partial"));
}

TEST_CASE("A recorded file that is not completed leaves the old one") {
  const test::TemporaryFile old("old");
  { PartialFile(old.path()).write("new"); }
  CHECK(read(old.path()) == "old");
  CHECK_FALSE(fs::exists(old.path() + ".partial"));
}

TEST_CASE("The file that another writer writes is refused until that writer has ended") {
  const test::TemporaryFile old("old");
  const std::string partial = old.path() + ".partial";
  {
    PartialFile first(old.path());
    first.write("first");
    first.flush();
    CHECK_THROWS_WITH(
        PartialFile(old.path()),
        old.path() + ": cannot be written: another process is writing it (" + partial + ")");
    CHECK(read(partial) == "first");
    CHECK(first.complete().empty());
    CHECK_NOTHROW(PartialFile(old.path()));
  }
  CHECK(read(old.path()) == "first");
  // What a killed process has left.
  std::ofstream(partial) << "left over";
  PartialFile second(old.path());
  second.write("2nd");
  CHECK(second.complete().empty());
  CHECK(read(old.path()) == "2nd");
}

TEST_CASE("A link to a file stays a link") {
  const test::TemporaryFile old("old");
  const std::string link = old.path() + ".link";
  fs::create_symlink(old.path(), link);
  {
    PartialFile file(link);
    file.write("new");
    CHECK(file.complete().empty());
  }
  CHECK(fs::is_symlink(link));
  CHECK(read(old.path()) == "new");
  fs::remove(link);
}

TEST_CASE("A link to a file that is not there makes that file") {
  const test::TemporaryFile old("old");
  const std::string target = old.path() + ".target";
  const std::string link = old.path() + ".link";
  fs::create_symlink(fs::path(target).filename(), link);
  {
    PartialFile file(link);
    file.write("new");
    CHECK(file.complete().empty());
  }
  CHECK(fs::is_symlink(link));
  CHECK(read(target) == "new");
  fs::remove(link);
  fs::remove(target);
}

TEST_CASE("A device is written directly, and a full one is an error") {
  PartialFile file("/dev/full");
  file.write("new");
  CHECK(file.complete() == "No space left on device");
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("A pipe is written directly, also by a link") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  PartialFile file("/proc/self/fd/" + std::to_string(ends[1]));
  file.write("new");
  CHECK(file.complete().empty());
  std::array<char, 4> read{};
  CHECK(::read(ends[0], read.data(), read.size()) == 3);
  CHECK(std::string(read.data()) == "new");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("A folder, and a file in a folder that does not exist, are refused") {
  CHECK_THROWS_WITH(PartialFile("/tmp"), "/tmp: cannot be written: it is a folder");
  CHECK_THROWS_WITH(PartialFile("/no/such/folder/f"),
                    "/no/such/folder/f: cannot be written: No such file or directory");
}

}  // namespace tessera::partial_file_test
