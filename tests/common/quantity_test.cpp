// SPDX-License-Identifier: Apache-2.0
#include "common/quantity.h"

#include <catch2/catch.hpp>

namespace tessera::quantity_test {

namespace {

/// The whole number that the text is in this unit; "..." of why it is none.
std::string whole(const std::string& text, const std::string& unit) {
  std::string why;
  const auto q = read_quantity(text, unit, why);
  if (!q) return "none" + why;
  const auto value = q->whole();
  return value ? std::to_string(*value) : "not whole";
}

double real(const std::string& text, const std::string& unit) {
  std::string why;
  const auto q = read_quantity(text, unit, why);
  CAPTURE(text, unit, why);
  REQUIRE(q);
  return q->real();
}

}  // namespace

TEST_CASE("sizes have binary suffixes") {
  CHECK(whole("64K", "byte") == "65536");
  CHECK(whole("64k", "byte") == "65536");
  CHECK(whole("64 KB", "byte") == "65536");
  CHECK(whole("64kB", "byte") == "65536");
  CHECK(whole("64KiB", "byte") == "65536");
  CHECK(whole("3M", "byte") == "3145728");
  CHECK(whole("2G", "byte") == "2147483648");
  CHECK(whole("1T", "byte") == "1099511627776");
  CHECK(whole("1.5K", "byte") == "1536");
  CHECK(whole("0.125K", "byte") == "128");
  CHECK(whole("1.50K", "byte") == "1536");
  CHECK(whole("128B", "byte") == "128");
  CHECK(whole("128 bytes", "byte") == "128");
  CHECK(whole("1.1K", "byte") == "not whole");
  CHECK(whole("16777215T", "byte") == "18446742974197923840");
  CHECK(whole("16777216T", "byte") == "not whole");
}

TEST_CASE("frequencies, bandwidths and times have decimal suffixes") {
  CHECK(whole("1.4GHz", "Hz") == "1400000000");
  CHECK(whole("1.4 GHz", "Hz") == "1400000000");
  CHECK(whole("1.4G", "Hz") == "1400000000");
  CHECK(whole("350MHz", "Hz") == "350000000");
  CHECK(whole("5kHz", "Hz") == "5000");
  CHECK(whole("5KHz", "Hz") == "5000");
  CHECK(whole("1.4e9Hz", "Hz") == "1400000000");
  CHECK(whole("1.4e3MHz", "Hz") == "1400000000");
  CHECK(whole("12e-1GHz", "Hz") == "1200000000");
  CHECK(whole("1.23456789012GHz", "Hz") == "not whole");
  CHECK(whole("32GB/s", "byte/s") == "32000000000");
  CHECK(whole("32G", "byte/s") == "32000000000");
  CHECK(whole("1.5us", "ns") == "1500");
  CHECK(whole("1.5\u00b5s", "ns") == "1500");
  CHECK(whole("2ms", "ns") == "2000000");
  CHECK(whole("1s", "ns") == "1000000000");
  CHECK(whole("3000ps", "ns") == "3");
  CHECK(whole("500ps", "ns") == "not whole");
  CHECK(real("720GB/s", "GB/s") == 720);
  CHECK(real("0.7TB/s", "GB/s") == 700);
  CHECK(real("500MB/s", "GB/s") == 0.5);
  CHECK(real("700mV", "V") == 0.7);
  CHECK(real("0.1 pJ/bit", "pJ/bit") == 0.1);
  CHECK(real("100fJ/bit", "pJ/bit") == 0.1);
  CHECK(real("2uW", "nW") == 2000);
  CHECK(real("0.045um", "nm") == 45);
}

TEST_CASE("words take no prefix, and each unit takes itself") {
  CHECK(whole("16 ways", "way") == "16");
  CHECK(whole("16way", "way") == "16");
  CHECK(whole("4 entries", "entry") == "4");
  CHECK(whole("32B/cycle", "byte/cycle") == "32");
  CHECK(whole("32byte/cycle", "byte/cycle") == "32");
  CHECK(real("3mm2", "mm2") == 3);
  CHECK(whole("64K", "set") == "none; 'K' is no suffix of sets");
  CHECK(whole("2G", "cycle") == "none; 'G' is no suffix of cycles");
  CHECK(whole("4 ways", "set") == "none; 'ways' is no suffix of sets");
  CHECK(whole("16GB/s", "byte/cycle") == "none; 'GB/s' is no suffix of byte/cycle");
  CHECK(whole("3um2", "mm2") == "none; 'um2' is no suffix of mm2");
  CHECK(whole("64K", "") == "none; the parameter has no unit");
}

TEST_CASE("a suffix of another unit is refused with the right ones") {
  CHECK(whole("1.4GB", "Hz") ==
        "none; 'GB' is no suffix of Hz, which take kHz, MHz, GHz, THz (powers of 1000)");
  CHECK(whole("5mHz", "Hz") ==
        "none; 'mHz' is no suffix of Hz, which take kHz, MHz, GHz, THz (powers of 1000)");
  CHECK(whole("64m", "byte") ==
        "none; 'm' is no suffix of bytes, which take K, M, G, T (powers of 1024)");
  CHECK(whole("64Kb", "byte") ==
        "none; 'Kb' is no suffix of bytes, which take K, M, G, T (powers of 1024)");
  CHECK(whole("720G", "GB/s") ==
        "none; 'G' is no suffix of GB/s, which take kB/s, MB/s, GB/s, TB/s (powers of 1000)");
  CHECK(whole("720GiB/s", "GB/s") ==
        "none; 'GiB/s' is no suffix of GB/s, which take kB/s, MB/s, GB/s, TB/s (powers of 1000)");
  CHECK(whole("5 min", "ns") ==
        "none; 'min' is no suffix of ns, which take fs, ps, ns, us, ms, s (powers of 1000)");
}

TEST_CASE("a text that is no number with a suffix has no reason") {
  for (const char* text : {"", "K", "64", "-64K", "+64K", ".5K", "0x10K", "1e999Hz", "many", " 64K",
                           "1,5K", "1234567890123456789K"}) {
    CAPTURE(text);
    const std::string got = whole(text, "byte");
    CHECK((got == "none" || got.rfind("none; '", 0) == 0));
  }
  CHECK(whole("64", "byte") == "none");
  CHECK(whole("-64K", "byte") == "none");
  CHECK(whole("1234567890123456789K", "byte") == "none");
  CHECK(whole("0x10K", "byte") ==
        "none; 'x10K' is no suffix of bytes, which take K, M, G, T (powers of 1024)");
}

TEST_CASE("words have no suffixes, symbols have prefixed ones") {
  CHECK(suffixes_of("set").empty());
  CHECK(suffixes_of("mm2").empty());
  CHECK(suffixes_of("fJ/bit") == suffixes_of("pJ/bit"));
  CHECK(suffixes_of("pJ/bit") == "fJ/bit, pJ/bit, nJ/bit, uJ/bit, mJ/bit, J/bit (powers of 1000)");
}

}  // namespace tessera::quantity_test
