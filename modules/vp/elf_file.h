// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera {

/// A program for the cores.
struct Program {
  struct Segment {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< in memory: beyond `data` it is zero
    std::vector<unsigned char> data;
  };
  std::uint64_t entry = 0;
  std::vector<Segment> segments;
  std::map<std::uint64_t, std::string> symbols;  ///< functions, by address

  /// "handler+0x14"; an empty text if the address is in no segment, or no symbol is before it.
  std::string symbol_at(std::uint64_t address) const;
};

/// Program::symbol_at() of the first program that has one; an empty text if none has.
std::string symbol_in(const std::vector<Program>& programs, std::uint64_t address);

/// Reads an ELF executable of 64-bit RISC-V, little-endian; any other file is a binary image that
/// is loaded and entered at `address`. Throws InputError with the file's name.
Program read_program(const std::string& file, std::uint64_t address);

}  // namespace tessera
