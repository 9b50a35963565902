// SPDX-License-Identifier: Apache-2.0
#include "common/input_file.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/error.h"

namespace tessera::input_file_test {

namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tessera-input-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string error_of(const std::string& path, std::uint64_t most = kMostInputBytes) {
  try {
    read_input_file(path, most);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a file is read with all its bytes, whatever its length") {
  const Folder folder;
  for (const std::size_t length : {0U, 1U, 65536U, 200003U}) {
    std::string text(length, 'x');
    if (length > 1) text[length / 2] = '\0';
    std::ofstream(folder.at("f"), std::ios::binary) << text;
    CHECK(read_input_file(folder.at("f")) == text);
    CHECK(InputFile(folder.at("f")).bytes() == length);
  }
  // A file of the kernel's, whose size is 0.
  CHECK_FALSE(read_input_file("/proc/self/status").empty());
}

TEST_CASE("a part of a file is read at its offset, and ends at the file's end") {
  const Folder folder;
  std::ofstream(folder.at("f"), std::ios::binary) << "abcdef";
  const InputFile file(folder.at("f"));
  char out[4] = {};
  CHECK(file.read(1, out, 3) == 3);
  CHECK(std::string(out, 3) == "bcd");
  CHECK(file.read(4, out, 4) == 2);
  CHECK(std::string(out, 2) == "ef");
  CHECK(file.read(9, out, 4) == 0);
}

TEST_CASE("what is no regular file is refused at once, with what it is") {
  const Folder folder;
  REQUIRE(::mkfifo(folder.at("pipe").c_str(), 0600) == 0);
  CHECK(error_of(folder.at("pipe")) ==
        folder.at("pipe") + ": cannot be read: is a pipe; expected a regular file");
  CHECK(error_of("/dev/zero") == "/dev/zero: cannot be read: is a device; expected a regular file");
  fs::create_symlink("/dev/zero", folder.at("zero.json"));
  CHECK(error_of(folder.at("zero.json")) ==
        folder.at("zero.json") + ": cannot be read: is a device; expected a regular file");
  CHECK(error_of(folder.at(".")) == folder.at(".") + ": cannot be read: is a folder");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = folder.at("socket");
  REQUIRE(name.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, name.c_str(), name.size());
  REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(error_of(name) == name + ": cannot be read: is a socket; expected a regular file");
  ::close(socket);
}

TEST_CASE("a path that leads nowhere is refused with the reason") {
  const Folder folder;
  CHECK(error_of("") == "'': cannot be read: no such file");
  CHECK(error_of(folder.at("none")) == folder.at("none") + ": cannot be read: no such file");
  fs::create_symlink("none", folder.at("dangling"));
  CHECK(error_of(folder.at("dangling")) ==
        folder.at("dangling") + ": cannot be read: no such file");
  fs::create_symlink("loop", folder.at("loop"));
  CHECK(error_of(folder.at("loop")) ==
        folder.at("loop") + ": cannot be read: Too many levels of symbolic links");
  const std::string longest = folder.at(std::string(300, 'n'));
  CHECK(error_of(longest) == longest + ": cannot be read: File name too long");
}

TEST_CASE("a file that is longer than the limit is refused with the limit") {
  const Folder folder;
  const std::string file = folder.at("f");
  std::ofstream(file, std::ios::binary) << std::string(1001, 'x');
  CHECK(read_input_file(file, 1001).size() == 1001);
  CHECK(error_of(file, 1000) ==
        file + ": is longer than 1000 bytes, the most that is read of such a file");
  // Without a byte of it being read: the file has no blocks.
  fs::resize_file(file, std::uint64_t{1} << 40);
  CHECK(error_of(file) == file + ": is longer than 256 MiB, the most that is read of such a file");
}

TEST_CASE("a path names something if anything is there, readable or not") {
  const Folder folder;
  fs::create_symlink("loop", folder.at("loop"));
  fs::create_symlink("none", folder.at("dangling"));
  for (const char* there : {".", "loop", "dangling"}) CHECK(names_something(folder.at(there)));
  CHECK_FALSE(names_something(folder.at("none")));
  CHECK_FALSE(names_something("/etc/passwd/none"));
}

}  // namespace tessera::input_file_test
