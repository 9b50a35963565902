// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/constant.h"

#include <cstring>
#include <string>

namespace tessera::ptx {
namespace {

constexpr unsigned kDeepestConstant = 64;
constexpr std::uint64_t kWarpSize = 32;
constexpr int kLowestPrecedence = 1;

/// Precedence of a binary operator; 0 for other tokens.
int precedence(std::string_view op) {
  if (op == "*" || op == "/" || op == "%") return 10;
  if (op == "+" || op == "-") return 9;
  if (op == "<<" || op == ">>") return 8;
  if (op == "<" || op == ">" || op == "<=" || op == ">=") return 7;
  if (op == "==" || op == "!=") return 6;
  if (op == "&") return 5;
  if (op == "^") return 4;
  if (op == "|") return 3;
  if (op == "&&") return 2;
  if (op == "||") return 1;
  return 0;
}

Constant from_double(double value) {
  Constant c;
  c.is_float = true;
  std::memcpy(&c.bits, &value, sizeof value);
  return c;
}

Constant from_bool(bool value) {
  Constant c;
  c.bits = value ? 1 : 0;
  return c;
}

bool truth(const Constant& c) { return c.is_float ? double_of_bits(c.bits) != 0 : c.bits != 0; }

class Evaluator {
 public:
  explicit Evaluator(TokenStream& in) : in_(in) {}

  Constant conditional(unsigned depth) {
    const Constant condition = binary(kLowestPrecedence, depth);
    if (!in_.accept("?")) return condition;
    const Constant yes = conditional(deeper(depth));
    in_.expect(":", "of the conditional expression");
    const Constant no = conditional(deeper(depth));
    return truth(condition) ? yes : no;
  }

  Constant product() { return binary(precedence("*"), 0); }

 private:
  Constant unary(unsigned depth) {
    if (in_.accept("+")) return unary(deeper(depth));
    if (in_.accept("-")) return negative(unary(deeper(depth)));
    if (in_.accept("!")) return from_bool(!truth(unary(deeper(depth))));
    if (in_.accept("~")) {
      Constant c = integer(unary(deeper(depth)));
      c.bits = ~c.bits;
      return c;
    }
    if (in_.at("(")) return parenthesis(deeper(depth));
    if (in_.at("WARP_SZ")) {
      in_.next();
      Constant c;
      c.bits = kWarpSize;
      return c;
    }
    if (!in_.at(Token::Kind::kInteger) && !in_.at(Token::Kind::kFloat)) in_.fail("a constant");
    const Token token = in_.next();
    Constant c;
    c.is_float = token.kind == Token::Kind::kFloat;
    c.is_unsigned = token.is_unsigned;
    c.is_f32 = token.is_f32;
    c.bits = token.bits;
    return c;
  }

  unsigned deeper(unsigned depth) const {
    if (depth >= kDeepestConstant) {
      in_.fail(in_.line(), "constant expression nested too deeply",
               "at most " + std::to_string(kDeepestConstant) + " levels");
    }
    return depth + 1;
  }

  Constant integer(const Constant& c) const {
    if (c.is_float) {
      in_.fail(in_.line(), "floating-point constant before " + found(), "an integer");
    }
    return c;
  }

  std::string found() const { return "'" + std::string(in_.peek().text) + "'"; }

  static Constant negative(Constant c) {
    c.bits = c.is_float ? c.bits ^ (std::uint64_t{1} << 63) : std::uint64_t{0} - c.bits;
    return c;
  }

  Constant parenthesis(unsigned depth) {
    in_.expect("(", "");
    if (in_.at(".s64") || in_.at(".u64")) {
      const bool to_unsigned = in_.next().text == ".u64";
      in_.expect(")", "to end the cast");
      Constant c = integer(unary(deeper(depth)));
      c.is_unsigned = to_unsigned;
      return c;
    }
    const Constant c = conditional(depth);
    in_.expect(")", "to end the expression");
    return c;
  }

  Constant binary(int lowest, unsigned depth) {
    Constant left = unary(depth);
    for (;;) {
      if (!in_.at(Token::Kind::kPunct)) return left;
      const std::string op(in_.peek().text);
      const int level = precedence(op);
      if (level < lowest || level == 0) return left;
      const unsigned line = in_.next().line;
      const Constant right = binary(level + 1, deeper(depth));
      left = left.is_float || right.is_float ? float_result(op, left, right, line)
                                             : integer_result(op, left, right, line);
    }
  }

  Constant float_result(const std::string& op, const Constant& left, const Constant& right,
                        unsigned line) const {
    const auto value = [](const Constant& c) {
      if (c.is_float) return double_of_bits(c.bits);
      return c.is_unsigned ? static_cast<double>(c.bits)
                           : static_cast<double>(static_cast<std::int64_t>(c.bits));
    };
    const double a = value(left);
    const double b = value(right);
    if (op == "+") return from_double(a + b);
    if (op == "-") return from_double(a - b);
    if (op == "*") return from_double(a * b);
    if (op == "/" && b != 0) return from_double(a / b);
    in_.fail(line, "'" + op + "' on floating-point constants", "+, -, * or / (not by zero)");
  }

  Constant integer_result(const std::string& op, const Constant& left, const Constant& right,
                          unsigned line) const {
    const std::uint64_t a = left.bits;
    const std::uint64_t b = right.bits;
    const auto sa = static_cast<std::int64_t>(a);
    const auto sb = static_cast<std::int64_t>(b);
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    const bool less = is_unsigned ? a < b : sa < sb;

    if (op == "&&") return from_bool(a != 0 && b != 0);
    if (op == "||") return from_bool(a != 0 || b != 0);
    if (op == "==") return from_bool(a == b);
    if (op == "!=") return from_bool(a != b);
    if (op == "<") return from_bool(less);
    if (op == ">") return from_bool(!less && a != b);
    if (op == "<=") return from_bool(less || a == b);
    if (op == ">=") return from_bool(!less);

    Constant c;
    c.is_unsigned = is_unsigned;
    if (op == "+") c.bits = a + b;
    if (op == "-") c.bits = a - b;
    if (op == "*") c.bits = a * b;
    if (op == "&") c.bits = a & b;
    if (op == "^") c.bits = a ^ b;
    if (op == "|") c.bits = a | b;
    if (op == "/" || op == "%") {
      if (b == 0) in_.fail(line, "'" + op + "' by zero", "a divisor other than 0");
      const bool quotient = op == "/";
      if (is_unsigned) {
        c.bits = quotient ? a / b : a % b;
      } else if (sb == -1) {
        c.bits = quotient ? std::uint64_t{0} - a : 0;
      } else {
        c.bits = static_cast<std::uint64_t>(quotient ? sa / sb : sa % sb);
      }
    }
    if (op == "<<" || op == ">>") {
      if (b > 63) in_.fail(line, "shift by more than 63", "0 to 63");
      c.is_unsigned = left.is_unsigned;
      c.bits = op == "<<" ? a << b : c.is_unsigned ? a >> b : static_cast<std::uint64_t>(sa >> b);
    }
    return c;
  }

  TokenStream& in_;
};

}  // namespace

bool at_constant(const TokenStream& in) {
  const Token& token = in.peek();
  switch (token.kind) {
    case Token::Kind::kInteger:
    case Token::Kind::kFloat:
      return true;
    case Token::Kind::kWord:
      return token.text == "WARP_SZ";
    case Token::Kind::kPunct:
      return token.text == "(" || token.text == "+" || token.text == "-" || token.text == "!" ||
             token.text == "~";
    default:
      return false;
  }
}

Constant parse_constant(TokenStream& in) { return Evaluator(in).conditional(0); }

Constant parse_constant_term(TokenStream& in) { return Evaluator(in).product(); }

std::uint64_t parse_integer(TokenStream& in) {
  const unsigned line = in.line();
  const Constant c = parse_constant(in);
  if (c.is_float) in.fail(line, "floating-point constant", "an integer");
  return c.bits;
}

}  // namespace tessera::ptx
