// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values of a file's options, with messages that name file, line and option.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/import/option_file.h"

namespace tessera::import {

/// A cache's configuration: "T:sets:line:ways,r:w:a:wa:index,m:entries:merges,queue:...". Files of
/// GPGPU-Sim 3 have no type T; their caches have no sectors ('N').
struct CacheFields {
  char type = 'N';  ///< 'S': with sectors of 32 bytes
  std::uint64_t sets = 0;
  std::uint64_t line_bytes = 0;
  std::uint64_t ways = 0;
  char replacement = 0;
  char write = 0;
  char allocation = 0;
  char write_allocation = 0;
  char index = 'L';
  char mshr_type = 0;
  std::uint64_t mshr_entries = 0;
  std::uint64_t mshr_merges = 0;
  std::uint64_t miss_queue = 0;
  std::string rest;  ///< result queue and port width; empty: not given
};

class OptionValues {
 public:
  /// `fallbacks`: values that GPGPU-Sim uses for options that are not given, by name. Of options
  /// that are given several times, the last one counts.
  OptionValues(std::string file, const std::vector<GivenOption>& given,
               std::map<std::string, std::string> fallbacks);

  bool is_given(const std::string& option) const { return given_.count(option) != 0; }
  /// Whether it is given or has a fallback.
  bool has(const std::string& option) const { return is_given(option) || fallbacks_.count(option); }

  // All of these throw InputError if the value is not of the form.
  std::string text(const std::string& option) const;
  std::uint64_t whole(const std::string& option) const;
  bool flag(const std::string& option) const;
  /// The parts of a value, at least `least` of them.
  std::vector<std::string> parts(const std::string& option, char separator,
                                 std::size_t least) const;
  /// The i-th of these parts, which must be a whole number.
  std::uint64_t part(const std::string& option, char separator, std::size_t i) const;
  /// A clock in Hz: the i-th of -gpgpu_clock_domains, which are in MHz.
  std::uint64_t clock_hz(std::size_t i) const;
  CacheFields cache(const std::string& option) const;
  /// A DRAM timing by its name ("RCD"); `option` gives all of them, by name or in order.
  /// `fallback`: of those that can be left out.
  std::uint64_t timing(const std::string& name) const;

  /// The options that have been read since the last call.
  std::set<std::string> take_read() const { return std::exchange(read_, {}); }
  /// "FILE:LINE: -option value", the beginning of a message.
  std::string where(const std::string& option) const;
  [[noreturn]] void fail(const std::string& option, const std::string& why) const;

 private:
  std::string value(const std::string& option) const;
  std::uint64_t number(const std::string& option, std::string_view text) const;
  std::map<std::string, std::uint64_t> timings() const;

  std::string file_;
  std::map<std::string, GivenOption> given_;
  std::map<std::string, std::string> fallbacks_;
  mutable std::set<std::string> read_;
};

/// The parts of a text between separators.
std::vector<std::string> split(std::string_view text, std::string_view separators);

/// Both are capped at the greatest number.
std::uint64_t sum(std::uint64_t a, std::uint64_t b);
std::uint64_t product(std::uint64_t a, std::uint64_t b);

/// a x b / c, rounded to the nearest; c is not 0. Capped at the greatest number.
std::uint64_t scaled(std::uint64_t a, std::uint64_t b, std::uint64_t c);

}  // namespace tessera::import
