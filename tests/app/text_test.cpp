// SPDX-License-Identifier: Apache-2.0
#include "app/report/text.h"

#include <catch2/catch.hpp>

namespace tessera::text_test {

using namespace tessera::app;

TEST_CASE("numbers are written with about three digits") {
  CHECK(short_number(0) == "0");
  CHECK(short_number(0.01234) == "0.0123");
  CHECK(short_number(1.234) == "1.23");
  CHECK(short_number(45.67) == "45.7");
  CHECK(short_number(123.4) == "123");
  CHECK(short_number(-1.234) == "-1.23");
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1234567) == "1 234 567");
  CHECK(percent_text(0.1234) == "12.3 %");
  CHECK(percent_text(-1.5) == "-150 %");
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(12345678) == "12.3 MB");
  CHECK(time_text(8820) == "8.82 us");
  CHECK(energy_text(0.00123) == "1.23 mJ");
  CHECK(energy_text(4.5e-12) == "4.50 pJ");
  CHECK(duration_text(3) == "3 s");
  CHECK(duration_text(125) == "2:05 min");
  CHECK(duration_text(7260) == "2:01 h");
}

TEST_CASE("a bar has the given width and shows that little is not nothing") {
  CHECK(bar(0, 4, false) == "....");
  CHECK(bar(0.5, 4, false) == "##..");
  CHECK(bar(1, 4, false) == "####");
  CHECK(bar(7, 4, false) == "####");
  CHECK(bar(0.001, 4, false) == "#...");
  CHECK(bar(0.5, 4, true) == "██  ");
  CHECK(bar(0.001, 4, true) == "▏   ");
}

TEST_CASE("a table aligns texts left and numbers right") {
  CHECK(table_text({{"NAME", "N"}, {"a", "5"}, {"bcdef", "1 000"}}) ==
        "NAME       N\n"
        "a          5\n"
        "bcdef  1 000\n");
}

TEST_CASE("text is wrapped between words, and a long word has a line of its own") {
  CHECK(wrapped_text("one two three", 7) == "one two\nthree\n");
  CHECK(wrapped_text("one two three", 7, 2) == "  one\n  two\n  three\n");
  CHECK(wrapped_text("a incomprehensible b", 5) == "a\nincomprehensible\nb\n");
  CHECK(wrapped_text("", 5).empty());
}

}  // namespace tessera::text_test
