// SPDX-License-Identifier: Apache-2.0
#include "common/sha256.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "common/error.h"

namespace tessera::sha256_test {

// Vectors of FIPS 180-4's examples (NIST's "SHA256.pdf" and its additional ones).
TEST_CASE("the standard's examples have the standard's hashes") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a file's hash is that of its contents, whatever the pieces") {
  const auto file = std::filesystem::temp_directory_path() / "tessera-sha256-test";
  const std::string text(200003, 'x');
  std::ofstream(file, std::ios::binary) << text;
  CHECK(sha256_of_file(file.string()) == sha256(text));
  Sha256 in_parts;
  for (std::size_t at = 0; at < text.size(); at += 63) in_parts.update(text.substr(at, 63));
  CHECK(in_parts.hex() == sha256(text));
  std::filesystem::remove(file);
}

TEST_CASE("a file that cannot be read has no hash") {
  CHECK_THROWS_AS(sha256_of_file("/nonexistent/x"), InputError);
  CHECK_THROWS_AS(sha256_of_file("/tmp"), InputError);
}

}  // namespace tessera::sha256_test
