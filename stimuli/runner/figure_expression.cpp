// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/figure_expression.h"

#include <algorithm>
#include <cmath>

#include "stimuli/runner/expression_parser.h"

namespace tessera::kernels {
namespace {

using Value = std::optional<double>;

class FigureExpression final : public ExpressionParser<FigureExpression, Value> {
 public:
  FigureExpression(std::string_view text, const Sizes& sizes, const FigureTerms& terms)
      : ExpressionParser(text, sizes), terms_(terms) {}

 private:
  friend ExpressionParser<FigureExpression, Value>;

  /// The value of a function of two numbers that are not empty.
  template <class F>
  static Value of_both(Value a, Value b, const F& f) {
    if (!a || !b) return std::nullopt;
    return f(*a, *b);
  }

  static Value number(std::int64_t value) { return static_cast<double>(value); }
  static Value add(Value a, Value b) {
    return of_both(a, b, [](double x, double y) { return x + y; });
  }
  static Value subtract(Value a, Value b) {
    return of_both(a, b, [](double x, double y) { return x - y; });
  }
  static Value multiply(Value a, Value b) {
    return of_both(a, b, [](double x, double y) { return x * y; });
  }
  static Value divide(Value a, Value b) {
    return of_both(a, b, [](double x, double y) { return y == 0 ? Value() : x / y; });
  }
  static Value remainder(Value a, Value b) {
    return of_both(a, b, [](double x, double y) { return y == 0 ? Value() : std::fmod(x, y); });
  }
  static Value negate(Value a) { return a ? Value(-*a) : Value(); }

  Value call(const std::string& function) {
    check_function(function, {"ceil_div", "min", "max", "mean", "sum", "cycles"});
    expect('(');
    if (function == "cycles") return closed(cycles());
    if (function == "mean" || function == "sum" || is_lone_name()) {
      return closed(of_array(function));
    }
    const Value a = sum();
    expect(',');
    const Value b = sum();
    expect(')');
    if (function == "ceil_div") {
      const Value quotient = divide(a, b);
      return quotient ? Value(std::ceil(*quotient)) : quotient;
    }
    return of_both(a, b, [&function](double x, double y) {
      return function == "min" ? std::min(x, y) : std::max(x, y);
    });
  }

  Value closed(Value value) {
    expect(')');
    return value;
  }

  /// "min(a)" is of an array, "min(a, 1)" of two numbers.
  bool is_lone_name() {
    const std::size_t begin = at_;
    const bool lone = !name().empty() && peek() == ')';
    at_ = begin;
    return lone;
  }

  Value of_array(const std::string& function) {
    peek();
    const std::string array = name();
    if (array.empty()) fail("expected the name of an array");
    const std::optional<ArraySummary> summary = terms_.array(array);
    if (!summary) return std::nullopt;
    return function == "mean"  ? summary->mean
           : function == "min" ? summary->min
           : function == "max" ? summary->max
                               : summary->sum;
  }

  Value cycles() {
    if (is_digit(peek())) return terms_.cycles(static_cast<std::uint64_t>(integer()));
    const std::string kernel = name();
    if (kernel.empty()) fail("expected the name of a kernel, or the number of a launch");
    return terms_.last_cycles(kernel);
  }

  const FigureTerms& terms_;
};

}  // namespace

std::optional<double> evaluate_figure(std::string_view expression, const Sizes& sizes,
                                      const FigureTerms& terms) {
  const Value value = FigureExpression(expression, sizes, terms).run();
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace tessera::kernels
