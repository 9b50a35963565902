// SPDX-License-Identifier: Apache-2.0
#include "common/hex_bytes.h"

#include <catch2/catch.hpp>
#include <string>

namespace tessera::hex_bytes_test {

TEST_CASE("hex bytes: two digits a byte, and back") {
  const std::string bytes("\x00\x7f\x80\xff\x0a", 5);
  CHECK(hex_bytes(bytes.data(), bytes.size()) == "007f80ff0a");
  CHECK(bytes_of_hex("007f80ff0a") == bytes);
  CHECK(bytes_of_hex("0AfF") == std::string("\x0a\xff"));
  CHECK(bytes_of_hex("") == std::string());
}

TEST_CASE("hex bytes: odd lengths and other characters are refused") {
  CHECK_FALSE(bytes_of_hex("0"));
  CHECK_FALSE(bytes_of_hex("0g"));
  CHECK_FALSE(bytes_of_hex("g0"));
  CHECK_FALSE(bytes_of_hex(" 0"));
  CHECK_FALSE(hex_digit('/'));
  CHECK_FALSE(hex_digit(':'));
  CHECK_FALSE(hex_digit('G'));
  CHECK_FALSE(hex_digit('`'));
}

}  // namespace tessera::hex_bytes_test
