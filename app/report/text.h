// SPDX-License-Identifier: Apache-2.0
#pragma once

// Formatting of numbers and text tables.

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::app {

/// "1 234 567".
std::string grouped(std::uint64_t value);
/// `value` with about three significant digits: "0.0123", "1.23", "123".
std::string short_number(double value);
/// "12.3 %" of 0.123.
std::string percent_text(double fraction);
/// "12.3 MB" (decimal).
std::string bytes_text(double bytes);
/// "8.82 us" from nanoseconds.
std::string time_text(double nanoseconds);
/// "1.23 mJ".
std::string energy_text(double joules);
/// "1:02:03", "2:03" or "3 s" of host time.
std::string duration_text(double seconds);

/// A bar of `width` characters, `fraction` of it filled (clamped to 0..1).
std::string bar(double fraction, unsigned width, bool utf8);

/// `text` in lines of at most `width` bytes where its words allow it, each after `indent` blanks.
std::string wrapped_text(const std::string& text, std::size_t width, std::size_t indent = 0);

/// A table with columns padded to their widest cell. Columns whose cells begin with a digit or "-"
/// are aligned right. The first row is the heading.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace tessera::app
