// SPDX-License-Identifier: Apache-2.0
#include "app/import/dram_columns.h"

#include <algorithm>

#include "app/import/option_names.h"
#include "common/text.h"

namespace tessera::import {

namespace {

constexpr char kStart[] = "dramid@";

}  // namespace

std::uint64_t bus_bytes(const OptionValues& v) {
  return product(product(v.whole(kBusBytes), v.whole(kChips)), v.whole(kDataRate));
}

ColumnTiming columns_of(const OptionValues& v) {
  const std::uint64_t rate = v.whole(kDataRate);
  if (rate == 0) v.fail(kDataRate, "expected 1 or more");
  const std::uint64_t length = v.whole(kBurst);
  if (length == 0 || length % rate != 0) {
    v.fail(kBurst, "expected whole command clocks, a multiple of " + std::string(kDataRate) + " (" +
                       std::to_string(rate) + ")");
  }
  const std::uint64_t burst = length / rate;
  const std::uint64_t column_bytes = product(burst, bus_bytes(v));
  const std::uint64_t line = v.cache(kL2).line_bytes;
  const std::uint64_t ccd = v.timing("CCD");
  const bool groups = v.timing("nbkgrp") > 1;
  const std::uint64_t ccdl = groups ? std::max(v.timing("CCDL"), ccd) : ccd;
  const bool several = column_bytes != 0 && column_bytes < line && line % column_bytes == 0;
  ColumnTiming t;
  t.merged = several && ccdl > ccd ? line / column_bytes : 1;
  t.burst_clocks = product(t.merged, burst);
  t.same_group = product(t.merged, ccdl);
  t.other_group = product(t.merged, ccd);
  // From the first column to the last, and what the last one's data is later than the bus needs.
  const std::uint64_t last = product(t.merged - 1, ccdl);
  const std::uint64_t late = last - std::min(last, product(t.merged - 1, burst));
  t.read_to_precharge = sum(last, std::max(burst, v.timing("RTPL")));
  t.write_to_precharge = sum(v.timing("WR"), late);
  return t;
}

AddressBits address_bits(const OptionValues& v) {
  const std::string text = v.text(kAddressMapping);
  const std::size_t semicolon = text.find(';');
  const std::string map = semicolon == std::string::npos ? text : text.substr(semicolon + 1);
  AddressBits bits;
  bool chip = false;
  if (semicolon != std::string::npos) {
    const std::string start = text.substr(0, semicolon);
    if (!begins_with(start, kStart)) v.fail(kAddressMapping, "expected dramid@BIT;MAP");
    const std::string digits = start.substr(sizeof kStart - 1);
    const bool number = !digits.empty() && digits.size() <= 2 &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
    if (!number) v.fail(kAddressMapping, "'" + digits + "' is not the number of a bit");
    bits.chip_bit = static_cast<unsigned>(std::stoul(digits));
    chip = true;
  }
  unsigned letters = 0;
  unsigned lowest_chip = 0;  // letters up to the last D
  for (const char c : map) {
    if (c == '.' || c == '|' || c == ' ') continue;
    ++letters;
    switch (c) {
      case 'D':
      case 'd':
        if (chip) v.fail(kAddressMapping, "both dramid@ and bits D");
        lowest_chip = letters;
        break;
      case 'B':
      case 'b':
        ++bits.bank_bits;
        break;
      case 'C':
      case 'c':
      case 'S':
      case 's':
        ++bits.column_bits;
        break;
      case 'R':
      case 'r':
      case '0':
        break;
      default:
        v.fail(kAddressMapping,
               std::string("'") + c + "' is no bit of an address: expected D, B, R, C, S or 0");
    }
  }
  if (letters != 64) v.fail(kAddressMapping, std::to_string(letters) + " bits: expected 64");
  if (!chip) {
    if (lowest_chip == 0) v.fail(kAddressMapping, "no bit selects the channel");
    bits.chip_bit = 64 - lowest_chip;
  }
  return bits;
}

}  // namespace tessera::import
