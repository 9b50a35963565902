// SPDX-License-Identifier: Apache-2.0
#include "common/number.h"

#include <catch2/catch.hpp>
#include <string>

namespace tessera::number_test {

TEST_CASE("numbers: whole ones, with a suffix or without") {
  std::string why;
  CHECK(read_whole("4096", "byte", why) == 4096U);
  CHECK(read_whole("010", "byte", why) == 10U);
  CHECK(read_whole("4K", "byte", why) == 4096U);
  CHECK(read_whole("18446744073709551615", "Hz", why) == 18446744073709551615U);
  CHECK(why.empty());
  for (const char* const text : {"", "-1", "1.5", "0x10", "18446744073709551616", "4 ", "x"}) {
    INFO(text);
    CHECK_FALSE(read_whole(text, "byte", why));
  }
  CHECK_FALSE(read_whole("5GB", "Hz", why));
  CHECK_FALSE(why.empty());
}

TEST_CASE("numbers: addresses") {
  CHECK(read_address("0x80200000") == 0x80200000U);
  CHECK(read_address("0XfF") == 0xffU);
  CHECK(read_address("16") == 16U);
  CHECK(read_address("010") == 10U);
  for (const char* const text : {"", "0x", "0xg", "x10", "-1", "+1", " 1", "0x1ffffffffffffffff"}) {
    INFO(text);
    CHECK_FALSE(read_address(text));
  }
}

}  // namespace tessera::number_test
