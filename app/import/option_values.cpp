// SPDX-License-Identifier: Apache-2.0
#include "app/import/option_values.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "app/import/option_names.h"
#include "common/error.h"
#include "common/quantity.h"
#include "common/text.h"

namespace tessera::import {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// As GPGPU-Sim reads numbers: "0x" begins a hexadecimal one, "0" an octal one.
std::optional<std::uint64_t> read_number(std::string_view text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && text[1] == 'x') {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || after != end) return std::nullopt;
  return number;
}

/// The names of the timings in the order of a value without names; the first eleven are required.
constexpr const char* kTimings[] = {"nbk", "CCD", "RRD",  "RCD", "RAS",    "RP",   "RC",
                                    "CL",  "WL",  "CDLR", "WR",  "nbkgrp", "CCDL", "RTPL"};
constexpr std::size_t kRequiredTimings = 11;
/// Without bank groups.
constexpr std::uint64_t kOtherTimings[] = {1, 0, 0};

}  // namespace

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text = text.substr(end + 1);
  }
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > kMost - b ? kMost : a + b; }

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMost / b ? kMost : a * b;
}

std::uint64_t scaled(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t p = sum(product(a, b), c / 2);
  return p == kMost ? kMost : p / c;
}

OptionValues::OptionValues(std::string file, const std::vector<GivenOption>& given,
                           std::map<std::string, std::string> fallbacks)
    : file_(std::move(file)), fallbacks_(std::move(fallbacks)) {
  for (const GivenOption& option : given) given_[option.name] = option;
}

std::string OptionValues::where(const std::string& option) const {
  const auto given = given_.find(option);
  if (given == given_.end()) return file_ + ": " + option + " " + value(option) + " (not given)";
  return file_ + ":" + std::to_string(given->second.line) + ": " + option +
         (given->second.value.empty() ? "" : " " + given->second.value);
}

void OptionValues::fail(const std::string& option, const std::string& why) const {
  throw InputError(where(option) + ": " + why);
}

std::string OptionValues::text(const std::string& option) const {
  read_.insert(option);
  return value(option);
}

std::string OptionValues::value(const std::string& option) const {
  const auto given = given_.find(option);
  return given == given_.end() ? fallbacks_.at(option) : given->second.value;
}

std::uint64_t OptionValues::number(const std::string& option, std::string_view text) const {
  if (const auto value = read_number(text)) return *value;
  fail(option, "'" + std::string(text) + "' is not a whole number");
}

std::uint64_t OptionValues::whole(const std::string& option) const {
  return number(option, text(option));
}

bool OptionValues::flag(const std::string& option) const {
  const std::string value = text(option);
  if (value != "0" && value != "1") fail(option, "expected 0 or 1");
  return value == "1";
}

std::vector<std::string> OptionValues::parts(const std::string& option, char separator,
                                             std::size_t least) const {
  const std::string value = text(option);
  std::vector<std::string> all = split(value, std::string_view(&separator, 1));
  if (all.size() < least) {
    fail(option, std::to_string(all.size()) + " of at least " + std::to_string(least) +
                     " values, separated by '" + separator + "'");
  }
  return all;
}

std::uint64_t OptionValues::part(const std::string& option, char separator, std::size_t i) const {
  return number(option, parts(option, separator, i + 1)[i]);
}

std::uint64_t OptionValues::clock_hz(std::size_t i) const {
  const std::string clock = parts(kClocks, ':', 4)[i];
  std::string why;
  const auto quantity = read_quantity(clock + "MHz", "Hz", why);
  const auto hz = quantity ? quantity->whole() : std::nullopt;
  if (!hz || *hz == 0) fail(kClocks, "'" + clock + "' is not a clock in MHz, of whole Hz");
  return *hz;
}

CacheFields OptionValues::cache(const std::string& option) const {
  const auto refuse = [&] {
    fail(option, "expected TYPE:SETS:LINE:WAYS,R:W:A:WA:INDEX,MSHR:ENTRIES:MERGES,QUEUE, or none");
  };
  const std::vector<std::string> groups = split(text(option), ",");
  if (groups.size() < 4) refuse();
  std::vector<std::string> geometry = split(groups[0], ":");
  CacheFields c;
  if (geometry.size() == 4) {
    if (geometry[0] != "N" && geometry[0] != "S") refuse();
    c.type = geometry[0][0];
    geometry.erase(geometry.begin());
  }
  const std::vector<std::string> policies = split(groups[1], ":");
  const std::vector<std::string> mshrs = split(groups[2], ":");
  const bool letters = std::all_of(policies.begin(), policies.end(),
                                   [](const std::string& p) { return p.size() == 1; });
  if (geometry.size() != 3 || policies.size() < 4 || policies.size() > 5 || !letters ||
      mshrs.size() != 3 || mshrs[0].size() != 1) {
    refuse();
  }
  c.sets = number(option, geometry[0]);
  c.line_bytes = number(option, geometry[1]);
  c.ways = number(option, geometry[2]);
  c.replacement = policies[0][0];
  c.write = policies[1][0];
  c.allocation = policies[2][0];
  c.write_allocation = policies[3][0];
  if (policies.size() == 5) c.index = policies[4][0];
  c.mshr_type = mshrs[0][0];
  c.mshr_entries = number(option, mshrs[1]);
  c.mshr_merges = number(option, mshrs[2]);
  const std::size_t colon = groups[3].find(':');
  c.miss_queue = number(option, groups[3].substr(0, colon));
  if (colon != std::string::npos) c.rest = groups[3].substr(colon + 1);
  for (std::size_t i = 4; i < groups.size(); ++i) c.rest += (c.rest.empty() ? "" : ",") + groups[i];
  return c;
}

std::map<std::string, std::uint64_t> OptionValues::timings() const {
  const std::string value = text(kTiming);
  std::vector<std::string> words;
  for (std::string& word : split(value, "=:; ")) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  std::map<std::string, std::uint64_t> out;
  const bool named = value.find('=') != std::string::npos;
  if (named && words.size() % 2 != 0) fail(kTiming, "expected NAME=CLOCKS:NAME=CLOCKS:...");
  for (std::size_t i = 0; i < words.size(); i += named ? 2 : 1) {
    if (!named && i >= std::size(kTimings)) fail(kTiming, "more values than there are timings");
    const std::string name = named ? words[i] : kTimings[i];
    if (std::find(std::begin(kTimings), std::end(kTimings), name) == std::end(kTimings)) {
      fail(kTiming, "no timing has the name '" + name + "': expected " +
                        joined({std::begin(kTimings), std::end(kTimings)}));
    }
    out[name] = number(kTiming, words[named ? i + 1 : i]);
  }
  for (std::size_t i = 0; i < std::size(kTimings); ++i) {
    if (out.count(kTimings[i]) != 0) continue;
    if (i < kRequiredTimings) fail(kTiming, std::string(kTimings[i]) + " is missing");
    out[kTimings[i]] = kOtherTimings[i - kRequiredTimings];
  }
  return out;
}

std::uint64_t OptionValues::timing(const std::string& name) const { return timings().at(name); }

}  // namespace tessera::import
