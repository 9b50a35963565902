// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recursive descent over the arithmetic of manifests. Internal to expression.cpp (integers) and
// figure_expression.cpp (numbers of a run).

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/suggest.h"
#include "stimuli/runner/expression.h"

namespace tessera::kernels {

/// sum -> product -> unary -> primary. `Derived` has add, subtract, multiply, divide, remainder,
/// negate, number (the value of an integer), and call (of a function, at its opening parenthesis).
template <class Derived, class Value>
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Sizes& sizes) : text_(text), sizes_(sizes) {}

  Value run() {
    const Value value = sum();
    skip_space();
    if (at_ != text_.size()) fail("expected an operator");
    return value;
  }

 protected:
  [[noreturn]] void fail(const std::string& what) const {
    std::string found = at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "the end";
    throw InputError("in \"" + std::string(text_) + "\", column " + std::to_string(at_ + 1) + ": " +
                     what + ", found " + found);
  }
  [[noreturn]] void fail_value(const std::string& what) const {
    throw InputError("in \"" + std::string(text_) + "\": " + what);
  }

  static bool is_name_start(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  }
  static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }
  /// The name at the present column; empty if there is none.
  std::string name() {
    if (!is_name_start(peek())) return {};
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  /// A decimal integer at the present column.
  std::int64_t integer() {
    std::int64_t value = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value)) {
        fail_value("a number does not fit 64 bits");
      }
    }
    return value;
  }
  /// Fails unless the function is one of `known`.
  void check_function(const std::string& function, const std::vector<std::string>& known) const {
    if (std::find(known.begin(), known.end(), function) != known.end()) return;
    fail_value("unknown function '" + function + "'" + did_you_mean(function, known));
  }
  Value sum() {
    Value value = product();
    while (true) {
      if (take('+')) {
        value = self().add(value, product());
      } else if (take('-')) {
        value = self().subtract(value, product());
      } else {
        return value;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;

 private:
  static constexpr unsigned kMaxDepth = 200;

  Derived& self() { return static_cast<Derived&>(*this); }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  Value product() {
    Value value = unary();
    while (true) {
      if (take('*')) {
        value = self().multiply(value, unary());
      } else if (take('/')) {
        value = self().divide(value, unary());
      } else if (take('%')) {
        value = self().remainder(value, unary());
      } else {
        return value;
      }
    }
  }

  Value unary() {
    if (++depth_ > kMaxDepth) fail_value("nested too deeply");
    const Value value = take('-') ? self().negate(unary()) : primary();
    --depth_;
    return value;
  }

  Value primary() {
    if (take('(')) {
      const Value value = sum();
      expect(')');
      return value;
    }
    const char c = peek();
    if (is_digit(c)) return self().number(integer());
    if (is_name_start(c)) return named();
    fail("expected a number, a name or '('");
  }

  Value named() {
    const std::string text = name();
    if (peek() == '(') return self().call(text);
    const auto it = sizes_.find(text);
    if (it != sizes_.end()) return self().number(it->second);
    std::vector<std::string> known;
    for (const auto& size : sizes_) known.push_back(size.first);
    fail_value("unknown name '" + text + "'" + did_you_mean(text, known));
  }

  const Sizes& sizes_;
  unsigned depth_ = 0;
};

}  // namespace tessera::kernels
