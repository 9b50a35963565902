// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/expression.h"

#include <cctype>
#include <vector>

#include "common/error.h"
#include "common/suggest.h"

namespace tessera::kernels {
namespace {

constexpr unsigned kMaxDepth = 200;

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

/// Recursive descent: sum -> product -> unary -> primary.
class Evaluator {
 public:
  Evaluator(std::string_view text, const Sizes& sizes) : text_(text), sizes_(sizes) {}

  std::int64_t run() {
    const std::int64_t value = sum();
    skip_space();
    if (at_ != text_.size()) fail("expected an operator");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    std::string found = at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "the end";
    throw InputError("in \"" + std::string(text_) + "\", column " + std::to_string(at_ + 1) + ": " +
                     what + ", found " + found);
  }
  [[noreturn]] void fail_value(const std::string& what) const {
    throw InputError("in \"" + std::string(text_) + "\": " + what);
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }

  std::int64_t divide(std::int64_t a, std::int64_t b) const {
    if (b == 0) fail_value("division by zero");
    if (b == -1) return negate(a);
    return a / b;
  }
  std::int64_t remainder(std::int64_t a, std::int64_t b) const {
    if (b == 0) fail_value("division by zero");
    return b == -1 ? 0 : a % b;
  }
  std::int64_t negate(std::int64_t a) const {
    std::int64_t out = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, a, &out)) fail_value("overflow");
    return out;
  }

  std::int64_t sum() {
    std::int64_t value = product();
    while (true) {
      if (take('+')) {
        if (__builtin_add_overflow(value, product(), &value)) fail_value("overflow");
      } else if (take('-')) {
        if (__builtin_sub_overflow(value, product(), &value)) fail_value("overflow");
      } else {
        return value;
      }
    }
  }

  std::int64_t product() {
    std::int64_t value = unary();
    while (true) {
      if (take('*')) {
        if (__builtin_mul_overflow(value, unary(), &value)) fail_value("overflow");
      } else if (take('/')) {
        value = divide(value, unary());
      } else if (take('%')) {
        value = remainder(value, unary());
      } else {
        return value;
      }
    }
  }

  std::int64_t unary() {
    if (++depth_ > kMaxDepth) fail_value("nested too deeply");
    const std::int64_t value = take('-') ? negate(unary()) : primary();
    --depth_;
    return value;
  }

  std::int64_t primary() {
    if (take('(')) {
      const std::int64_t value = sum();
      expect(')');
      return value;
    }
    const char c = peek();
    if (is_digit(c)) return number();
    if (is_name_start(c)) return named();
    fail("expected a number, a name or '('");
  }

  std::int64_t number() {
    std::int64_t value = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value)) {
        fail_value("a number does not fit 64 bits");
      }
    }
    return value;
  }

  std::int64_t named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (peek() == '(') return call(name);
    const auto it = sizes_.find(name);
    if (it != sizes_.end()) return it->second;
    std::vector<std::string> known;
    for (const auto& size : sizes_) known.push_back(size.first);
    fail_value("unknown name '" + name + "'" + did_you_mean(name, known));
  }

  std::int64_t call(const std::string& function) {
    static const std::vector<std::string> kFunctions = {"ceil_div", "min", "max"};
    if (function != "ceil_div" && function != "min" && function != "max") {
      fail_value("unknown function '" + function + "'" + did_you_mean(function, kFunctions));
    }
    expect('(');
    const std::int64_t a = sum();
    expect(',');
    const std::int64_t b = sum();
    expect(')');
    if (function == "min") return a < b ? a : b;
    if (function == "max") return a > b ? a : b;
    const std::int64_t quotient = divide(a, b);
    const bool rounds_up = remainder(a, b) != 0 && (a < 0) == (b < 0);
    return quotient + (rounds_up ? 1 : 0);
  }

  std::string_view text_;
  const Sizes& sizes_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

std::int64_t evaluate(std::string_view expression, const Sizes& sizes) {
  return Evaluator(expression, sizes).run();
}

}  // namespace tessera::kernels
