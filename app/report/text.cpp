// SPDX-License-Identifier: Apache-2.0
#include "app/report/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

namespace tessera::app {
namespace {

/// Number of characters of UTF-8 text.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string scaled(double value, double step, const std::vector<const char*>& units) {
  std::size_t i = 0;
  while (value >= step && i + 1 < units.size()) {
    value /= step;
    ++i;
  }
  return short_number(value) + " " + units[i];
}

}  // namespace

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, " ");
  return digits;
}

std::string short_number(double value) {
  const double magnitude = std::fabs(value);
  int decimals = 0;
  if (magnitude > 0 && magnitude < 100) {
    decimals = std::min(6, 2 - static_cast<int>(std::floor(std::log10(magnitude))));
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", std::max(0, decimals), value);
  return text;
}

std::string percent_text(double fraction) { return short_number(fraction * 100) + " %"; }

std::string bytes_text(double bytes) { return scaled(bytes, 1e3, {"B", "kB", "MB", "GB", "TB"}); }

std::string time_text(double nanoseconds) {
  return scaled(nanoseconds, 1e3, {"ns", "us", "ms", "s"});
}

std::string energy_text(double joules) {
  return scaled(joules * 1e12, 1e3, {"pJ", "nJ", "uJ", "mJ", "J", "kJ"});
}

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "?";
  const auto s = static_cast<std::uint64_t>(std::llround(seconds));
  char text[64];
  if (s < 60) {
    std::snprintf(text, sizeof text, "%u s", static_cast<unsigned>(s));
  } else if (s < 3600) {
    std::snprintf(text, sizeof text, "%u:%02u min", static_cast<unsigned>(s / 60),
                  static_cast<unsigned>(s % 60));
  } else {
    std::snprintf(text, sizeof text, "%llu:%02u h", static_cast<unsigned long long>(s / 3600),
                  static_cast<unsigned>(s / 60 % 60));
  }
  return text;
}

std::string bar(double fraction, unsigned width, bool utf8) {
  fraction = std::clamp(std::isfinite(fraction) ? fraction : 0.0, 0.0, 1.0);
  std::string text;
  if (utf8) {
    static const char* const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    auto filled = static_cast<unsigned>(std::lround(fraction * width * 8));
    if (fraction > 0 && filled == 0) filled = 1;
    for (unsigned i = 0; i < filled / 8; ++i) text += "█";
    unsigned used = filled / 8;
    if (filled % 8 != 0) {
      text += eighths[filled % 8];
      ++used;
    }
    text.append(width - used, ' ');
  } else {
    auto filled = static_cast<unsigned>(std::lround(fraction * width));
    if (fraction > 0 && filled == 0) filled = 1;
    text.append(filled, '#');
    text.append(width - filled, '.');
  }
  return text;
}

std::string wrapped_text(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string out;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      out += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + std::string(indent, ' ') + line + "\n";
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c >= widths.size()) {
        widths.push_back(0);
        right.push_back(true);
      }
      const std::string& cell = rows[r][c];
      widths[c] = std::max(widths[c], width_of(cell));
      if (r > 0 && !cell.empty() && cell[0] != '-' &&
          std::isdigit(static_cast<unsigned char>(cell[0])) == 0) {
        right[c] = false;
      }
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - width_of(row[c]), ' ');
      if (c > 0) line += "  ";
      line += right[c] ? padding + row[c] : row[c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace tessera::app
