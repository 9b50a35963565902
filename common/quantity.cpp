// SPDX-License-Identifier: Apache-2.0
#include "common/quantity.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "common/text.h"

namespace tessera {
namespace {

constexpr int kMostDigits = 18;
constexpr int kMostPower = 30;

struct Prefix {
  const char* text;
  int power;  ///< of 10
};
constexpr Prefix kPrefixes[] = {{"T", 12}, {"G", 9},   {"M", 6},  {"k", 3},       {"K", 3},
                                {"", 0},   {"m", -3},  {"u", -6}, {"\u00b5", -6}, {"\u03bc", -6},
                                {"n", -9}, {"p", -12}, {"f", -15}};
constexpr const char* kBases[] = {"Hz", "B/s", "s", "W", "V", "J", "F", "m"};

/// A unit with a symbol: prefix, base and the rest ("pJ/bit": p, J, /bit).
struct Symbol {
  int power = 0;
  std::string base;
  std::string rest;

  bool is_rate() const { return base == "Hz" || base == "B/s"; }
};

/// Reads [prefix]base[/rest]. Empty for words ("set") and for powers ("mm2").
std::optional<Symbol> symbol_of(const std::string& unit) {
  if (unit == "byte/s") return Symbol{0, "B/s", ""};
  for (const Prefix& prefix : kPrefixes) {
    if (!begins_with(unit, prefix.text)) continue;
    const std::string_view after = std::string_view(unit).substr(std::string(prefix.text).size());
    for (const char* base : kBases) {
      if (!begins_with(after, base)) continue;
      const std::string_view rest = after.substr(std::string(base).size());
      if (rest.empty() || rest.front() == '/') {
        return Symbol{prefix.power, base, std::string(rest)};
      }
    }
  }
  return std::nullopt;
}

/// Binary shift of the suffix of a size; empty if it is none.
std::optional<unsigned> size_shift(std::string_view suffix) {
  if (suffix == "B" || suffix == "byte" || suffix == "bytes") return 0;
  constexpr std::string_view kLetters = "KMGT";
  if (suffix.empty()) return std::nullopt;
  const std::size_t at = kLetters.find(suffix.front() == 'k' ? 'K' : suffix.front());
  const std::string_view rest = suffix.substr(1);
  if (at == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "iB")) {
    return std::nullopt;
  }
  return static_cast<unsigned>(10 * (at + 1));
}

/// Multiplies `quantity` by the suffix. Returns false if the suffix does not convert to the unit.
bool apply(std::string_view suffix, const std::string& unit, Quantity& quantity) {
  if (suffix == unit || suffix == plural(unit)) return true;
  if (unit == "byte") {
    const auto shift = size_shift(suffix);
    if (shift) quantity.factor = std::uint64_t{1} << *shift;
    return shift.has_value();
  }
  if (unit == "byte/cycle") return suffix == "B/cycle";
  const std::optional<Symbol> own = symbol_of(unit);
  if (!own) return false;
  const std::string ending = own->base + own->rest;
  for (const Prefix& prefix : kPrefixes) {
    if (own->is_rate() && prefix.power < 0) continue;
    const std::string whole = prefix.text + ending;
    const bool prefix_alone = own->is_rate() && own->power == 0 && suffix == prefix.text;
    if (suffix != whole && !prefix_alone) continue;
    quantity.power += prefix.power - own->power;
    return true;
  }
  return false;
}

/// Reads the number at the text's begin and returns its length; 0 if there is none.
std::size_t read_number(std::string_view text, Quantity& out) {
  const auto digit = [&text](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  std::size_t i = 0;
  int digits = 0;
  const auto read_digits = [&](int power) {
    for (; digit(i); ++i) {
      out.digits = out.digits * 10 + static_cast<std::uint64_t>(text[i] - '0');
      out.power += power;
      if (out.digits != 0) ++digits;
      if (digits > kMostDigits) return false;
    }
    return true;
  };
  if (!digit(0) || !read_digits(0)) return 0;
  if (i < text.size() && text[i] == '.' && digit(i + 1)) {
    ++i;
    if (!read_digits(-1)) return 0;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t at = i + 1;
    const bool negative = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (digit(at)) {
      int exponent = 0;
      for (; digit(at) && exponent <= kMostPower; ++at) exponent = exponent * 10 + text[at] - '0';
      out.power += negative ? -exponent : exponent;
      i = at;
    }
  }
  return std::abs(out.power) > kMostPower ? 0 : i;
}

}  // namespace

std::optional<std::uint64_t> Quantity::whole() const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (digits == 0) return 0;
  std::uint64_t value = digits;
  std::uint64_t by = factor;
  int left = power;
  for (; left < 0; ++left) {
    // Each 10 is a 2 and a 5, which divide either part.
    for (const std::uint64_t prime : {2, 5}) {
      if (value % prime == 0) {
        value /= prime;
      } else if (by % prime == 0) {
        by /= prime;
      } else {
        return std::nullopt;
      }
    }
  }
  if (value > kMost / by) return std::nullopt;
  value *= by;
  for (; left > 0; --left) {
    if (value > kMost / 10) return std::nullopt;
    value *= 10;
  }
  return value;
}

double Quantity::real() const {
  const double scaled = static_cast<double>(digits) * static_cast<double>(factor);
  // Powers of ten up to 10^22 are exact, so that a division rounds once.
  return power < 0 ? scaled / std::pow(10.0, -power) : scaled * std::pow(10.0, power);
}

std::optional<Quantity> read_quantity(std::string_view text, const std::string& unit,
                                      std::string& why) {
  why.clear();
  Quantity quantity;
  const std::size_t length = read_number(text, quantity);
  if (length == 0) return std::nullopt;
  std::string_view suffix = text.substr(length);
  suffix.remove_prefix(std::min(suffix.find_first_not_of(' '), suffix.size()));
  if (suffix.empty()) return std::nullopt;
  if (apply(suffix, unit, quantity)) return quantity;
  if (unit.empty()) {
    why = "; the parameter has no unit";
    return std::nullopt;
  }
  const std::string known = suffixes_of(unit);
  why = "; '" + std::string(suffix) + "' is no suffix of " + plural(unit) +
        (known.empty() ? "" : ", which take " + known);
  return std::nullopt;
}

std::string suffixes_of(const std::string& unit) {
  if (unit == "byte") return "K, M, G, T (powers of 1024)";
  const std::optional<Symbol> own = symbol_of(unit);
  if (!own) return "";
  const std::string ending = own->base + own->rest;
  std::string out;
  for (const char* prefix : {"k", "M", "G", "T"}) {
    if (own->is_rate()) out += (out.empty() ? "" : ", ") + (prefix + ending);
  }
  if (own->is_rate()) return out + " (powers of 1000)";
  for (const char* prefix : {"f", "p", "n", "u", "m", ""}) {
    out += (out.empty() ? "" : ", ") + (prefix + ending);
  }
  return out + " (powers of 1000)";
}

}  // namespace tessera
