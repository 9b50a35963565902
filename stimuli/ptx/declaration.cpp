// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/declaration.h"

#include <optional>
#include <utility>

#include "stimuli/ptx/constant.h"
#include "stimuli/ptx/initializer.h"

namespace tessera::ptx {
namespace {

constexpr std::uint64_t kLargestAlign = std::uint64_t{1} << 20;
constexpr std::size_t kMostDimensions = 16;

/// State space of a word without sub-qualifier: ".shared::cta" is shared, ".param::entry" is param.
std::optional<StateSpace> state_space(std::string_view word) {
  const std::string_view name = word.substr(0, word.find("::"));
  if (name == ".reg") return StateSpace::kReg;
  if (name == ".global") return StateSpace::kGlobal;
  if (name == ".shared") return StateSpace::kShared;
  if (name == ".local") return StateSpace::kLocal;
  if (name == ".const") return StateSpace::kConst;
  if (name == ".param") return StateSpace::kParam;
  return std::nullopt;
}

unsigned vector_length(std::string_view word) {
  if (word == ".v2") return 2;
  if (word == ".v4") return 4;
  if (word == ".v8") return 8;
  return 0;
}

unsigned parse_align(TokenStream& in) {
  const std::uint64_t align = in.expect_integer(kLargestAlign, "an alignment");
  if (align == 0 || (align & (align - 1)) != 0) {
    in.fail(in.line(), "alignment " + std::to_string(align), "a power of two");
  }
  return static_cast<unsigned>(align);
}

/// Parses the operands of ".ptr": state space and alignment of the pointee.
void parse_pointer(TokenStream& in, Variable& v) {
  v.is_pointer = true;
  for (;;) {
    if (in.accept(".align")) {
      v.pointer_align = parse_align(in);
      continue;
    }
    const auto space =
        in.at(Token::Kind::kDotWord) ? state_space(in.peek().text) : std::optional<StateSpace>();
    if (!space) return;
    v.pointer_space = *space;
    in.next();
  }
}

/// Parses the specifiers before the first name: state space, type, alignment and others.
Variable parse_specifiers(TokenStream& in) {
  Variable v;
  std::optional<StateSpace> space;
  bool texture = false;
  while (in.at(Token::Kind::kDotWord)) {
    if (in.at(".attribute")) {
      skip_attribute(in);
      continue;
    }
    const Token token = in.next();
    const Type type = type_from_name(token.text.substr(1));
    if (token.text == ".align") {
      v.align = parse_align(in);
    } else if (token.text == ".ptr") {
      parse_pointer(in, v);
    } else if (token.text == ".tex" && !space) {
      space = StateSpace::kGlobal;
      texture = true;
    } else if (const auto s = state_space(token.text); s && !space) {
      space = s;
    } else if (const unsigned length = vector_length(token.text); length != 0 && v.vector == 1) {
      v.vector = length;
    } else if (type != Type::kNone && v.type == Type::kNone) {
      v.type = type;
    } else {
      in.fail(token.line, "found '" + std::string(token.text) + "' in a declaration",
              "one state space, one type, .v2/.v4, .align or .ptr");
    }
  }
  if (!space) in.fail("a state space such as .param");
  if (v.type == Type::kNone) in.fail("a type such as .u32");
  if (texture) v.type = Type::kTexref;
  v.space = *space;
  return v;
}

void multiply_bytes(TokenStream& in, std::uint64_t& elements, std::uint64_t factor,
                    std::uint64_t limit) {
  if (factor != 0 && elements > limit / factor) {
    in.fail(in.line(), "array out of range", "at most 2^40 bytes");
  }
  elements *= factor;
}

/// Parses "[4][5]" or "[]". Returns the dimensions, kUnsized for "[]".
std::vector<std::uint64_t> parse_dimensions(TokenStream& in, Variable& v) {
  std::vector<std::uint64_t> dimensions;
  const std::uint64_t bytes = std::uint64_t{type_bytes(v.type)} * v.vector;
  const std::uint64_t limit = bytes == 0 ? kMostBytes : kMostBytes / bytes;
  std::uint64_t inner = 1;
  bool unsized = false;
  while (in.accept("[")) {
    if (dimensions.size() == kMostDimensions) in.fail("fewer dimensions");
    if (dimensions.empty() && in.accept("]")) {
      unsized = true;
      dimensions.push_back(kUnsized);
      continue;
    }
    const std::uint64_t size = parse_integer(in);
    in.expect("]", "to end the array's size");
    dimensions.push_back(size);
    multiply_bytes(in, inner, size, limit);
  }
  v.is_array = !dimensions.empty();
  v.elements = unsized ? 0 : inner;
  return dimensions;
}

void parse_declarator(TokenStream& in, Variable v, std::vector<Variable>& out) {
  const Token name = in.expect(Token::Kind::kWord, "a variable's name");
  v.line = name.line;
  v.name = std::string(name.text);
  if (in.accept("<")) {
    const std::uint64_t count = in.expect_integer(kMostRegisters, "a number of registers");
    in.expect(">", "after the number of registers");
    for (std::uint64_t i = 0; i < count; ++i) {
      out.push_back(v);
      out.back().name += std::to_string(i);
    }
    return;
  }
  const std::vector<std::uint64_t> dimensions = parse_dimensions(in, v);
  if (in.accept("=")) {
    if (v.space != StateSpace::kGlobal && v.space != StateSpace::kConst) {
      in.fail("no initialiser but for .global and .const");
    }
    parse_initializer(in, dimensions, v);
  } else if (v.is_array && dimensions.front() == kUnsized && !v.is_extern &&
             v.space != StateSpace::kParam && v.space != StateSpace::kShared) {
    in.fail("an initialiser of '" + v.name + "', whose size is not given");
  }
  out.push_back(std::move(v));
}

}  // namespace

bool at_declaration(const TokenStream& in) {
  return in.at(Token::Kind::kDotWord) && (in.at(".tex") || state_space(in.peek().text));
}

std::vector<Variable> parse_variables(TokenStream& in, bool is_extern) {
  Variable v = parse_specifiers(in);
  v.is_extern = is_extern;
  std::vector<Variable> out;
  do {
    parse_declarator(in, v, out);
  } while (in.accept(","));
  in.expect(";", "to end the declaration");
  return out;
}

std::vector<Variable> parse_parameters(TokenStream& in) {
  std::vector<Variable> out;
  in.expect("(", "to open the parameters");
  if (in.accept(")")) return out;
  do {
    Variable v = parse_specifiers(in);
    const Token name = in.expect(Token::Kind::kWord, "a parameter's name");
    v.line = name.line;
    v.name = std::string(name.text);
    parse_dimensions(in, v);
    out.push_back(std::move(v));
  } while (in.accept(","));
  in.expect(")", "to close the parameters");
  return out;
}

Prototype parse_prototype(TokenStream& in) {
  Prototype p;
  in.expect(".callprototype", "");
  if (in.at("(")) p.returns = parse_parameters(in);
  in.expect(Token::Kind::kWord, "'_' in the place of the function's name");
  if (in.at("(")) p.parameters = parse_parameters(in);
  while (in.at(Token::Kind::kDotWord)) {
    if (in.next().text == ".noreturn") p.noreturn = true;
    while (in.at(Token::Kind::kInteger) || in.at(",")) in.next();
  }
  in.expect(";", "to end the prototype");
  return p;
}

std::vector<std::string> parse_name_list(TokenStream& in, std::string_view what) {
  std::vector<std::string> out;
  do {
    out.emplace_back(in.expect(Token::Kind::kWord, what).text);
  } while (in.accept(","));
  in.expect(";", "to end the list");
  return out;
}

void skip_attribute(TokenStream& in) {
  if (in.accept(".attribute")) in.skip_brackets("(", ")");
}

bool parse_debug_directive(TokenStream& in, SourceFiles& files, SourceLine* source) {
  constexpr std::string_view kNumber = "a number";
  constexpr std::uint64_t kMostFiles = (std::uint64_t{1} << kFileShift) - 1;
  if (in.accept(".loc")) {
    SourceLine place;
    place.file = static_cast<std::uint32_t>(in.expect_integer(kMostFiles, "a file's number"));
    place.line = static_cast<unsigned>(in.expect_integer(UINT32_MAX, "a line's number"));
    in.expect_integer(UINT64_MAX, kNumber);
    if (source != nullptr) *source = place;
    // ", function_name label [+ n], inlined_at file line column"
    if (in.accept(",")) {
      in.expect("function_name", "after the location");
      in.expect(Token::Kind::kWord, "a label");
      if (in.accept("+")) in.expect_integer(UINT64_MAX, kNumber);
      in.expect(",", "after the function's name");
      in.expect("inlined_at", "after the function's name");
      for (int i = 0; i < 3; ++i) in.expect_integer(UINT64_MAX, kNumber);
    }
    return true;
  }
  if (in.accept(".file")) {
    const auto number =
        static_cast<std::uint32_t>(in.expect_integer(kMostFiles, "a file's number"));
    const std::string_view name = in.expect(Token::Kind::kString, "a file's name in quotes").text;
    files[number] = std::string(name.substr(1, name.size() - 2));
    while (in.accept(",")) in.expect_integer(UINT64_MAX, kNumber);
    return true;
  }
  if (in.accept(".section")) {
    in.expect(Token::Kind::kDotWord, "a section's name such as .debug_info");
    in.skip_brackets("{", "}");
    return true;
  }
  return false;
}

void parse_pragma(TokenStream& in, std::string& pragmas) {
  in.expect(".pragma", "");
  do {
    const Token text = in.expect(Token::Kind::kString, "a pragma in quotes");
    if (!pragmas.empty()) pragmas += ", ";
    pragmas += text.text.substr(1, text.text.size() - 2);
  } while (in.accept(","));
  in.expect(";", "to end the pragma");
}

}  // namespace tessera::ptx
