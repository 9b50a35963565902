// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/expression.h"

#include <algorithm>

#include "stimuli/runner/expression_parser.h"

namespace tessera::kernels {
namespace {

class IntegerExpression final : public ExpressionParser<IntegerExpression, std::int64_t> {
 public:
  using ExpressionParser::ExpressionParser;

 private:
  friend ExpressionParser<IntegerExpression, std::int64_t>;

  static std::int64_t number(std::int64_t value) { return value; }
  std::int64_t add(std::int64_t a, std::int64_t b) const {
    std::int64_t out = 0;
    if (__builtin_add_overflow(a, b, &out)) fail_value("overflow");
    return out;
  }
  std::int64_t subtract(std::int64_t a, std::int64_t b) const {
    std::int64_t out = 0;
    if (__builtin_sub_overflow(a, b, &out)) fail_value("overflow");
    return out;
  }
  std::int64_t multiply(std::int64_t a, std::int64_t b) const {
    std::int64_t out = 0;
    if (__builtin_mul_overflow(a, b, &out)) fail_value("overflow");
    return out;
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
  std::int64_t negate(std::int64_t a) const { return subtract(0, a); }

  std::int64_t call(const std::string& function) {
    check_function(function, {"ceil_div", "min", "max"});
    expect('(');
    const std::int64_t a = sum();
    expect(',');
    const std::int64_t b = sum();
    expect(')');
    if (function == "min") return std::min(a, b);
    if (function == "max") return std::max(a, b);
    const std::int64_t quotient = divide(a, b);
    const bool rounds_up = remainder(a, b) != 0 && (a < 0) == (b < 0);
    return quotient + (rounds_up ? 1 : 0);
  }
};

}  // namespace

std::int64_t evaluate(std::string_view expression, const Sizes& sizes) {
  return IntegerExpression(expression, sizes).run();
}

}  // namespace tessera::kernels
