// SPDX-License-Identifier: Apache-2.0
#include "app/import/option_values.h"

#include <catch2/catch.hpp>
#include <limits>

#include "app/import/cache_ways.h"
#include "app/import/dram_columns.h"
#include "app/import/option_names.h"
#include "common/error.h"

namespace tessera::import {

namespace {

constexpr std::uint64_t kGreatest = std::numeric_limits<std::uint64_t>::max();

OptionValues with(const std::string& option, const std::string& value) {
  return {"a.config", {{option, value, 7}}, {}};
}

std::uint64_t number(const std::string& value) { return with("-n", value).whole("-n"); }

CacheFields cache(const std::string& value) { return with(kL1, value).cache(kL1); }

OptionValues dram(const std::string& timing, std::uint64_t bus, std::uint64_t burst,
                  std::uint64_t rate) {
  return {"a.config",
          {{kTiming, timing, 1},
           {kBusBytes, std::to_string(bus), 2},
           {kBurst, std::to_string(burst), 3},
           {kDataRate, std::to_string(rate), 4},
           {kChips, "1", 5},
           {kL2, "N:64:128:8,L:B:m:L:L,A:16:4,4", 6}},
          {}};
}

AddressBits mapping(const std::string& text) { return address_bits(with(kAddressMapping, text)); }

}  // namespace

TEST_CASE("numbers are decimal, hexadecimal after 0x and octal after 0") {
  CHECK(number("0") == 0);
  CHECK(number("65536") == 65536);
  CHECK(number("0x1F") == 31);
  CHECK(number("010") == 8);
  for (const char* wrong : {"", "x", "1.5", "-1", "12a", "09", "0x", "18446744073709551616"}) {
    CHECK_THROWS_WITH(number(wrong), Catch::Matchers::Contains("'" + std::string(wrong) +
                                                               "' is not a whole number"));
  }
  CHECK_THROWS_WITH(number("1.5"), "a.config:7: -n 1.5: '1.5' is not a whole number");
}

TEST_CASE("a value that is not given is GPGPU-Sim's, and messages say so") {
  const OptionValues v("a.config", {}, {{"-n", "many"}});
  CHECK_FALSE(v.is_given("-n"));
  CHECK(v.has("-n"));
  CHECK_FALSE(v.has("-m"));
  CHECK_THROWS_WITH(v.whole("-n"), "a.config: -n many (not given): 'many' is not a whole number");
}

TEST_CASE("the options that are read are recorded") {
  const OptionValues v("a.config", {{"-n", "1", 1}, {"-m", "2", 2}}, {});
  CHECK(v.where("-m") == "a.config:2: -m 2");
  CHECK(v.take_read().empty());
  v.whole("-n");
  CHECK(v.take_read() == std::set<std::string>{"-n"});
  CHECK(v.take_read().empty());
}

TEST_CASE("flags are 0 or 1") {
  CHECK(with("-f", "1").flag("-f"));
  CHECK_FALSE(with("-f", "0").flag("-f"));
  CHECK_THROWS_WITH(with("-f", "2").flag("-f"), "a.config:7: -f 2: expected 0 or 1");
}

TEST_CASE("parts of a value are numbers, and all of them must be there") {
  CHECK(with("-p", "1,2,3").part("-p", ',', 2) == 3);
  CHECK_THROWS_WITH(with("-p", "1,2").part("-p", ',', 2),
                    "a.config:7: -p 1,2: 2 of at least 3 values, separated by ','");
}

TEST_CASE("clocks are in MHz, with a fraction") {
  const OptionValues v = with(kClocks, "1132:1200.5:0.000001:3500.0");
  CHECK(v.clock_hz(0) == 1'132'000'000);
  CHECK(v.clock_hz(1) == 1'200'500'000);
  CHECK(v.clock_hz(2) == 1);
  CHECK(v.clock_hz(3) == 3'500'000'000);
  CHECK_THROWS_WITH(with(kClocks, "0:1:1:1").clock_hz(0),
                    "a.config:7: -gpgpu_clock_domains 0:1:1:1: '0' is not a clock in MHz, of whole "
                    "Hz");
  CHECK_THROWS_AS(with(kClocks, "1GHz:1:1:1").clock_hz(0), InputError);
  CHECK_THROWS_AS(with(kClocks, "1:1:1").clock_hz(0), InputError);
  CHECK_THROWS_AS(with(kClocks, "0.0000001:1:1:1").clock_hz(0), InputError);
}

TEST_CASE("a cache has a type, geometry, policies, MSHRs and a queue") {
  const CacheFields c = cache("S:4:128:64,L:T:m:W:H,A:512:8,16:0,32");
  CHECK(c.type == 'S');
  CHECK(c.sets == 4);
  CHECK(c.line_bytes == 128);
  CHECK(c.ways == 64);
  CHECK(c.replacement == 'L');
  CHECK(c.write == 'T');
  CHECK(c.allocation == 'm');
  CHECK(c.write_allocation == 'W');
  CHECK(c.index == 'H');
  CHECK(c.mshr_type == 'A');
  CHECK(c.mshr_entries == 512);
  CHECK(c.mshr_merges == 8);
  CHECK(c.miss_queue == 16);
  CHECK(c.rest == "0,32");
}

TEST_CASE("a cache of GPGPU-Sim 3 has no type and can have no set index") {
  const CacheFields c = cache("32:64:4,F:B:f:N,A:32:8,9");
  CHECK(c.type == 'N');
  CHECK(c.sets == 32);
  CHECK(c.index == 'L');
  CHECK(c.miss_queue == 9);
  CHECK(c.rest.empty());
}

TEST_CASE("a malformed cache is refused") {
  for (const char* wrong : {"", "none?", "4:128,L:T:m:W:H,A:1:1,1", "X:4:128:4,L:T:m:W:H,A:1:1,1",
                            "N:4:128:4,L:T:m,A:1:1,1", "N:4:128:4,L:T:m:W:HH,A:1:1,1",
                            "N:4:128:4,L:T:m:W:H,A:1,1", "N:4:128:4,L:T:m:W:H,A:1:1",
                            "N:a:128:4,L:T:m:W:H,A:1:1,1", "N:4:128:4,L:T:m:W:H,A:1:1,x"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(cache(wrong), InputError);
  }
  CHECK_THROWS_WITH(cache("4"),
                    "a.config:7: -gpgpu_cache:dl1 4: expected TYPE:SETS:LINE:WAYS,R:W:A:WA:INDEX,"
                    "MSHR:ENTRIES:MERGES,QUEUE, or none");
}

TEST_CASE("more than 64 ways become sets, as few as there can be") {
  const auto geometry = [](std::uint64_t sets, std::uint64_t ways) {
    CacheFields c;
    c.sets = sets;
    c.ways = ways;
    const Geometry g = geometry_of(c);
    return std::pair(g.sets, g.ways);
  };
  CHECK(geometry(4, 64) == std::pair<std::uint64_t, std::uint64_t>(4, 64));
  CHECK(geometry(4, 96) == std::pair<std::uint64_t, std::uint64_t>(8, 48));
  CHECK(geometry(1, 512) == std::pair<std::uint64_t, std::uint64_t>(8, 64));
  CHECK(geometry(4, 97) == std::pair<std::uint64_t, std::uint64_t>(4, 97));
  CHECK(geometry(1, kGreatest) == std::pair<std::uint64_t, std::uint64_t>(1, kGreatest));
  CHECK(geometry(2, 0) == std::pair<std::uint64_t, std::uint64_t>(2, 0));
}

TEST_CASE("timings have names or an order, and bank groups are optional") {
  const OptionValues named =
      with(kTiming, "nbk=16:CCD=2:RRD=3:RCD=4:RAS=5:RP=6:RC=7: CL=8:WL=9:CDLR=10:WR=11");
  CHECK(named.timing("nbk") == 16);
  CHECK(named.timing("WR") == 11);
  CHECK(named.timing("nbkgrp") == 1);
  CHECK(named.timing("CCDL") == 0);
  const OptionValues ordered = with(kTiming, "16:2:3:4:5:6:7:8:9:10:11:4:12:13");
  CHECK(ordered.timing("RRD") == 3);
  CHECK(ordered.timing("CL") == 8);
  CHECK(ordered.timing("nbkgrp") == 4);
  CHECK(ordered.timing("RTPL") == 13);
  const auto refused = [](const std::string& text, const std::string& why) {
    CHECK_THROWS_WITH(with(kTiming, text).timing("CCD"),
                      "a.config:7: -gpgpu_dram_timing_opt " + text + ": " + why);
  };
  refused("nbk=16:CCD=2", "RRD is missing");
  refused("nbk=16:CCD", "expected NAME=CLOCKS:NAME=CLOCKS:...");
  refused(
      "nbk=16:FAW=2",
      "no timing has the name 'FAW': expected nbk, CCD, RRD, RCD, RAS, RP, RC, CL, WL, CDLR, WR, "
      "nbkgrp, CCDL, RTPL");
  refused("nbk=x:CCD=2", "'x' is not a whole number");
  refused("1:2:3:4:5:6:7:8:9:10:11:12:13:14:15", "more values than there are timings");
}

TEST_CASE("columns stay apart if bank groups do not matter") {
  // A bus of 16 bytes at both edges, bursts of 2: columns of 32 bytes in one clock.
  const ColumnTiming t = columns_of(dram("16:1:3:12:28:12:40:12:2:3:10:1:2:3", 16, 2, 2));
  CHECK(t.merged == 1);
  CHECK(t.burst_clocks == 1);
  CHECK(t.same_group == 1);
  CHECK(t.other_group == 1);
  CHECK(t.read_to_precharge == 3);
  CHECK(t.write_to_precharge == 10);
}

TEST_CASE("one command stands for the columns of a line if bank groups hide CCDL") {
  const OptionValues v = dram("16:1:3:12:28:12:40:12:2:3:10:4:2:3", 16, 2, 2);
  CHECK(bus_bytes(v) == 32);
  const ColumnTiming t = columns_of(v);
  CHECK(t.merged == 4);
  CHECK(t.burst_clocks == 4);
  CHECK(t.same_group == 8);
  CHECK(t.other_group == 4);
  CHECK(t.read_to_precharge == 9);    // the fourth column is 6 clocks after the first
  CHECK(t.write_to_precharge == 13);  // its data ends 3 clocks after four clocks of data
}

TEST_CASE("a burst is whole command clocks") {
  const std::string timing = "16:1:3:12:28:12:40:12:2:3:10";
  CHECK_THROWS_WITH(columns_of(dram(timing, 16, 3, 2)),
                    "a.config:3: -gpgpu_dram_burst_length 3: expected whole command clocks, a "
                    "multiple of -dram_data_command_freq_ratio (2)");
  CHECK_THROWS_AS(columns_of(dram(timing, 16, 0, 2)), InputError);
  CHECK_THROWS_WITH(columns_of(dram(timing, 16, 2, 0)),
                    "a.config:4: -dram_data_command_freq_ratio 0: expected 1 or more");
}

TEST_CASE("the address mapping gives the size of a row and the bits of the channel") {
  const AddressBits b =
      mapping("dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS");
  CHECK(b.chip_bit == 8);
  CHECK(b.column_bits == 11);
  CHECK(b.bank_bits == 4);
  const AddressBits d =
      mapping("00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRDDDBBB.CCCCCSSS");
  CHECK(d.chip_bit == 11);
  CHECK(d.column_bits == 8);
  CHECK(d.bank_bits == 3);
  const std::string zeros = "00000000.00000000.00000000.00000000.00000000.00000000.00000000.";
  const auto refused = [](const std::string& text, const std::string& why) {
    CHECK_THROWS_WITH(mapping(text), "a.config:7: -gpgpu_mem_addr_mapping " + text + ": " + why);
  };
  refused("dramid@8;" + zeros + "RCS", "59 bits: expected 64");
  refused("dramid@8;" + zeros + "RRRRCCDS", "both dramid@ and bits D");
  refused("dramid@x;" + zeros + "RRRRCCCS", "'x' is not the number of a bit");
  refused("chip@8;" + zeros + "RRRRCCCS", "expected dramid@BIT;MAP");
  refused(zeros + "RRRRCCCS", "no bit selects the channel");
  refused(zeros + "RRRRCXCS", "'X' is no bit of an address: expected D, B, R, C, S or 0");
}

TEST_CASE("sums, products and conversions of clocks are rounded, and never wrap around") {
  CHECK(sum(3, 5) == 8);
  CHECK(sum(kGreatest, 1) == kGreatest);
  CHECK(product(3, 5) == 15);
  CHECK(product(kGreatest, 2) == kGreatest);
  CHECK(scaled(100, 850'000'000, 1'132'000'000) == 75);   // 75.09
  CHECK(scaled(100, 1'502'000'000, 837'000'000) == 179);  // 179.45
  CHECK(scaled(1, 1, 2) == 1);
  CHECK(scaled(kGreatest, 3, 2) == kGreatest);
}

}  // namespace tessera::import
