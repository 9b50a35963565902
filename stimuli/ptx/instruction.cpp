// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/instruction.h"

#include <utility>

#include "stimuli/ptx/constant.h"

namespace tessera::ptx {
namespace {

constexpr unsigned kDeepestOperand = 8;

class InstructionParser {
 public:
  explicit InstructionParser(TokenStream& in) : in_(in) {}

  Instruction run() {
    const std::size_t first = in_.position();
    if (in_.accept("@")) {
      result_.guard_negated = in_.accept("!");
      result_.guard = std::string(in_.expect(Token::Kind::kWord, "a guard predicate").text);
    }
    const Token opcode = in_.expect(Token::Kind::kWord, "an opcode");
    result_.line = opcode.line;
    result_.opcode = std::string(opcode.text);
    while (in_.at(Token::Kind::kDotWord)) {
      result_.modifiers.emplace_back(in_.next().text.substr(1));
    }
    if (!in_.at(";")) {
      do {
        result_.operands.push_back(operand(0));
      } while (in_.accept(","));
    }
    const std::size_t last = in_.position();
    in_.expect(";", "to end '" + result_.opcode + "' of line " + std::to_string(result_.line));
    result_.text = in_.text_between(first, last);
    return std::move(result_);
  }

 private:
  Operand operand(unsigned depth) {
    if (depth > kDeepestOperand) {
      in_.fail(in_.line(), "operand nested too deeply",
               "at most " + std::to_string(kDeepestOperand) + " levels");
    }
    if (in_.at("{")) return list(Operand::Kind::kVector, "{", "}", depth);
    if (in_.at("[")) return address(depth);
    if (in_.at("(") && result_.opcode == "call") {
      return list(Operand::Kind::kParenList, "(", ")", depth);
    }
    const bool signed_name =
        (in_.at("!") || in_.at("-")) && in_.at(Token::Kind::kWord, 1) && !in_.at("WARP_SZ", 1);
    if (signed_name) {
      in_.next();
      Operand o = name();
      o.negated = true;
      return o;
    }
    if (at_constant(in_)) return constant();
    if (in_.at(Token::Kind::kWord)) return name();
    in_.fail("an operand");
  }

  Operand list(Operand::Kind kind, std::string_view open, std::string_view close, unsigned depth) {
    Operand o;
    o.kind = kind;
    in_.expect(open, "to open the list");
    if (in_.accept(close)) return o;
    do {
      o.elements.push_back(operand(depth + 1));
    } while (in_.accept(","));
    in_.expect(close, "to close the list");
    return o;
  }

  Operand constant() {
    const Constant c = parse_constant(in_);
    Operand o;
    if (c.is_float) {
      o.kind = Operand::Kind::kFloat;
      o.float_bits = c.bits;
      o.is_f32_literal = c.is_f32;
    } else {
      o.kind = Operand::Kind::kInteger;
      o.integer = static_cast<std::int64_t>(c.bits);
    }
    return o;
  }

  /// "%r1", "%v.x", "p|q", "_", "sym+4", "a.b0".
  Operand name() {
    Operand o;
    o.name = std::string(in_.next().text);
    if (o.name == "_") {
      o.kind = Operand::Kind::kSink;
      o.name.clear();
    } else {
      component(o);
    }
    if (in_.accept("|")) {
      const Token second = in_.expect(Token::Kind::kWord, "a second destination");
      if (second.text != "_") o.second_name = std::string(second.text);
    }
    o.integer = offset();
    return o;
  }

  void component(Operand& o) {
    if (!in_.at(Token::Kind::kDotWord)) return;
    const std::string_view part = in_.peek().text.substr(1);
    constexpr std::string_view kPosition = "xyzw";
    constexpr std::string_view kColour = "rgba";
    if (part.size() == 1 && kPosition.find(part[0]) != std::string_view::npos) {
      o.component = static_cast<int>(kPosition.find(part[0]));
    } else if (part.size() == 1 && kColour.find(part[0]) != std::string_view::npos) {
      o.component = static_cast<int>(kColour.find(part[0]));
    } else if (part.size() > 1 && (part[0] == 'b' || part[0] == 'h') &&
               part.find_first_not_of("01234567", 1) == std::string_view::npos) {
      o.selector = std::string(part);
    } else {
      in_.fail("a component .x, .y, .z or .w, or a selector such as .b0");
    }
    in_.next();
  }

  /// Sum of the offsets after a name: "+4", "-8".
  std::int64_t offset() {
    std::uint64_t sum = 0;
    while (in_.at("+") || in_.at("-")) {
      const Token sign = in_.next();
      const Constant c = parse_constant_term(in_);
      if (c.is_float) in_.fail(sign.line, "floating-point offset", "an integer");
      sum = sign.text == "-" ? sum - c.bits : sum + c.bits;
    }
    return static_cast<std::int64_t>(sum);
  }

  Operand address(unsigned depth) {
    Operand o;
    o.kind = Operand::Kind::kAddress;
    in_.expect("[", "to open the address");
    if (in_.at(Token::Kind::kWord) && !in_.at("WARP_SZ")) {
      o.name = std::string(in_.next().text);
      component(o);
      o.integer = offset();
    } else {
      o.integer = static_cast<std::int64_t>(parse_integer(in_));
    }
    while (in_.accept(",")) o.elements.push_back(operand(depth + 1));
    in_.expect("]", "to close the address");
    return o;
  }

  TokenStream& in_;
  Instruction result_;
};

}  // namespace

bool at_instruction(const TokenStream& in) { return in.at("@") || in.at(Token::Kind::kWord); }

Instruction parse_instruction(TokenStream& in) { return InstructionParser(in).run(); }

}  // namespace tessera::ptx
