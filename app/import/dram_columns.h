// SPDX-License-Identifier: Apache-2.0
#pragma once

// Column commands of a line, and the fields of an address.
//
// GPGPU-Sim interleaves the columns of several lines, so that bank groups hide CCDL. A channel of
// Tessera issues the columns of one line in a row, CCDL apart. Where CCDL exceeds CCD and a line
// has several columns, one command of Tessera therefore stands for all columns of a line: lines of
// the same group are (columns x CCDL) apart, those of other groups (columns x CCD), and the data
// bus can be as busy as in GPGPU-Sim.

#include <cstdint>

#include "app/import/option_values.h"

namespace tessera::import {

/// Timing of the column commands of Tessera, in command clocks.
struct ColumnTiming {
  std::uint64_t merged = 1;  ///< columns of GPGPU-Sim in a command
  std::uint64_t burst_clocks = 0;
  std::uint64_t same_group = 0;
  std::uint64_t other_group = 0;
  std::uint64_t read_to_precharge = 0;   ///< from the command
  std::uint64_t write_to_precharge = 0;  ///< from the last data
};

/// Bytes of data in a command clock.
std::uint64_t bus_bytes(const OptionValues& v);
ColumnTiming columns_of(const OptionValues& v);

/// What -gpgpu_mem_addr_mapping says.
struct AddressBits {
  unsigned chip_bit = 0;     ///< the lowest bit of the channel's number
  unsigned column_bits = 0;  ///< byte and column within a row
  unsigned bank_bits = 0;
};
AddressBits address_bits(const OptionValues& v);

}  // namespace tessera::import
