// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/device_printf.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

namespace tessera::ptx {

namespace {

constexpr const char* kDigits = "0123456789";
/// Limit of width and precision (ours), so that a wrong width does not flood the terminal.
constexpr std::int64_t kTooWide = 65536;

bool is_in(char c, const char* set) { return c != '\0' && std::strchr(set, c) != nullptr; }

class Formatter {
 public:
  Formatter(const std::string& format, const PrintfArguments& arguments)
      : format_(format), arguments_(arguments) {}

  PrintfText run() {
    while (at_ < format_.size()) {
      if (format_[at_] != '%')
        result_.text += format_[at_++];
      else
        conversion();
    }
    return std::move(result_);
  }

 private:
  std::uint64_t next(unsigned bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    const std::uint64_t value = arguments_.word(offset_, bytes);
    offset_ += bytes;
    ++result_.arguments;
    return value;
  }

  char here() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  /// Parses digits, or a star with its argument. Empty if there is neither.
  std::optional<std::int64_t> number() {
    if (here() == '*') {
      ++at_;
      return static_cast<std::int32_t>(next(4));
    }
    if (!is_in(here(), kDigits)) return std::nullopt;
    std::int64_t value = 0;
    for (; is_in(here(), kDigits); ++at_) {
      value = std::min<std::int64_t>(value * 10 + (here() - '0'), kTooWide);
    }
    return value;
  }

  /// Parses width and precision. As in C, a negative width aligns left and a negative precision is
  /// ignored.
  void field() {
    if (const auto width = number()) {
      if (*width < 0) spec_ += '-';
      spec_ += std::to_string(checked(std::abs(*width)));
    }
    if (here() != '.') return;
    ++at_;
    const std::int64_t precision = number().value_or(0);
    if (precision >= 0) spec_ += '.' + std::to_string(checked(precision));
  }
  static std::int64_t checked(std::int64_t width) {
    if (width < kTooWide) return width;
    throw UnknownConversion("printf has a width or precision of " + std::to_string(kTooWide) +
                            " or more; supported: less");
  }

  void conversion() {
    const std::size_t begin = at_++;
    if (here() == '%') {
      ++at_;
      result_.text += '%';
      return;
    }
    spec_ = "%";
    while (is_in(here(), "-+ #0")) spec_ += format_[at_++];
    field();
    std::string length;
    while (is_in(here(), "hljzt")) length += format_[at_++];
    const char type = here();
    ++at_;
    const bool known_length = length.empty() || length == "h" || length == "hh" || length == "l" ||
                              length == "ll" || length == "j" || length == "z" || length == "t";
    if (is_in(type, "di") && known_length) {
      print("ll", type, static_cast<long long>(integer(length, true)));
    } else if (is_in(type, "uoxX") && known_length) {
      print("ll", type, static_cast<unsigned long long>(integer(length, false)));
    } else if (is_in(type, "eEfFgGaA") && (length.empty() || length == "l")) {
      const std::uint64_t bits = next(8);
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      print("", type, value);
    } else if (type == 'c' && length.empty()) {
      print("", type, static_cast<int>(next(4)));
    } else if (type == 's' && length.empty()) {
      const std::uint64_t at = next(8);
      const std::string value = at == 0 ? "(null)" : arguments_.string(at);
      print("", type, value.c_str());
    } else if (type == 'p' && length.empty()) {
      // Not the host's %p, which can print a null pointer as a word.
      char text[24];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(next(8)));
      print("", 's', static_cast<const char*>(text));
    } else {
      throw UnknownConversion(
          "printf has no conversion '" + format_.substr(begin, at_ - begin) +
          "'; supported: %d %i %u %o %x %X %c %s %p %e %f %g %a, with flags, width, "
          "precision, h, hh, l, ll, j, z, t");
    }
  }

  std::uint64_t integer(const std::string& length, bool is_signed) {
    if (!length.empty() && length[0] != 'h') return next(8);
    const std::uint64_t bits = next(4);
    if (length == "hh") return is_signed ? extended<std::int8_t>(bits) : bits & 0xff;
    if (length == "h") return is_signed ? extended<std::int16_t>(bits) : bits & 0xffff;
    return is_signed ? extended<std::int32_t>(bits) : bits;
  }
  template <class T>
  static std::uint64_t extended(std::uint64_t bits) {
    return static_cast<std::uint64_t>(std::int64_t{static_cast<T>(bits)});
  }

  template <class T>
  void print(const char* length, char type, T value) {
    const std::string spec = spec_ + length + type;
    // The specification consists of checked parts, and `value` has the type of its conversion.
    const int size = std::snprintf(nullptr, 0, spec.c_str(), value);
    std::vector<char> text(static_cast<std::size_t>(size) + 1);
    std::snprintf(text.data(), text.size(), spec.c_str(), value);
    result_.text.append(text.data(), static_cast<std::size_t>(size));
  }

  const std::string& format_;
  const PrintfArguments& arguments_;
  PrintfText result_;
  std::string spec_;  ///< of the present conversion: "%-08.3"
  std::size_t at_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace

PrintfText format_printf(const std::string& format, const PrintfArguments& arguments) {
  return Formatter(format, arguments).run();
}

}  // namespace tessera::ptx
