// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/lexer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "common/error.h"

namespace tessera::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_char(char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '$'; }
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// Text for a message: printable and limited in length.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "'";
  for (char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      constexpr char kHex[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out + (text.size() > kLongest ? "...'" : "'");
}

/// Converts a single-precision value to double; payloads of NaN are preserved.
std::uint64_t widen(std::uint32_t single) {
  float value;
  std::memcpy(&value, &single, sizeof value);
  if (std::isnan(value)) {
    return std::uint64_t{single >> 31} << 63 | std::uint64_t{0x7ff} << 52 |
           std::uint64_t{single & 0x7fffff} << 29;
  }
  const double wide = value;
  std::uint64_t bits;
  std::memcpy(&bits, &wide, sizeof bits);
  return bits;
}

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) {
    // Tools that extract PTX append a terminating NUL.
    while (!text_.empty() && text_.back() == '\0') text_.remove_suffix(1);
  }

  std::vector<Token> run() {
    for (;;) {
      const std::size_t before = at_;
      skip_blanks();
      adjacent_ = at_ == before && at_ != 0;
      start_ = at_;
      if (at_ == text_.size()) break;
      step();
    }
    push(Token::Kind::kEnd);
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& expected) const {
    fail_at(file_, line_, what, expected);
  }

  char look(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Token& push(Token::Kind kind) {
    Token token;
    token.kind = kind;
    token.adjacent = adjacent_;
    token.line = line_;
    token.text = text_.substr(start_, at_ - start_);
    tokens_.push_back(token);
    return tokens_.back();
  }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (is_blank(c)) {
        ++at_;
      } else if (c == '/' && look(1) == '/') {
        skip_line();
      } else if (c == '/' && look(1) == '*') {
        skip_block_comment();
      } else if (c == '#' && starts_line()) {
        skip_line_marker();
      } else if (text_.substr(at_, 7) == "@@DWARF" || text_.substr(at_, 7) == "@@dwarf") {
        skip_line();  // the older form of .section
      } else {
        return;
      }
    }
  }

  void skip_block_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) fail("comment without an end", "'*/'");
    line_ +=
        static_cast<unsigned>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end + 2;
  }

  bool starts_line() const {
    for (std::size_t i = at_; i > 0; --i) {
      if (text_[i - 1] == '\n') return true;
      if (!is_blank(text_[i - 1])) return false;
    }
    return true;
  }

  /// Skips the line markers of a preprocessor: "# 12 "file"" and "#line 12".
  void skip_line_marker() {
    std::size_t i = at_ + 1;
    while (i < text_.size() && (text_[i] == ' ' || text_[i] == '\t')) ++i;
    const bool marker = i < text_.size() && (is_digit(text_[i]) || text_.substr(i, 4) == "line");
    if (!marker) fail("preprocessor directive", "text that has been preprocessed");
    skip_line();
  }

  void step() {
    const char c = look();
    // "%" is the remainder operator after a value; otherwise it begins a register's name.
    const bool after_value = !tokens_.empty() && (tokens_.back().kind == Token::Kind::kInteger ||
                                                  tokens_.back().kind == Token::Kind::kFloat ||
                                                  tokens_.back().text == ")");
    if (is_digit(c)) return number();
    if (is_letter(c) || c == '_' || c == '$') return word();
    if (c == '%' && is_name_char(look(1)) && !after_value) return word();
    if (c == '.' && is_digit(look(1)) && !(adjacent_ && may_take_modifier())) return number();
    if (c == '.' && is_name_char(look(1))) return dot_word();
    if (c == '"') return string();
    punctuation();
  }

  bool may_take_modifier() const {
    if (tokens_.empty()) return false;
    const Token::Kind kind = tokens_.back().kind;
    return kind == Token::Kind::kWord || kind == Token::Kind::kDotWord;
  }

  void skip_name() {
    while (is_name_char(look())) ++at_;
  }

  void word() {
    ++at_;
    skip_name();
    push(Token::Kind::kWord);
  }

  void dot_word() {
    ++at_;
    skip_name();
    while (look() == ':' && look(1) == ':' && is_name_char(look(2))) {
      at_ += 2;
      skip_name();
    }
    push(Token::Kind::kDotWord);
  }

  void string() {
    ++at_;
    while (look() != '"') {
      if (at_ >= text_.size() || look() == '\n') fail("string without an end", "'\"'");
      if (look() == '\\' && at_ + 1 < text_.size() && look(1) != '\n') ++at_;
      ++at_;
    }
    ++at_;
    push(Token::Kind::kString);
  }

  void punctuation() {
    constexpr std::string_view kSingle = "{}()[],;:@!|+-*/%&^~<>=?";
    constexpr std::string_view kDouble[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    for (std::string_view two : kDouble) {
      if (text_.substr(at_, 2) == two) {
        at_ += 2;
        push(Token::Kind::kPunct);
        return;
      }
    }
    if (kSingle.find(look()) == std::string_view::npos) {
      fail("found " + shown(text_.substr(at_, 1)), "PTX text");
    }
    ++at_;
    push(Token::Kind::kPunct);
  }

  void number() {
    const char second = look(1);
    if (look() == '0' && (second == 'f' || second == 'F')) return bit_float(8);
    if (look() == '0' && (second == 'd' || second == 'D')) return bit_float(16);
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    const char after = end < text_.size() ? text_[end] : '\0';
    if (after == '.' || after == 'e' || after == 'E') return decimal_float();
    integer();
  }

  [[noreturn]] void bad_number(const std::string& expected) const {
    std::size_t end = start_;
    while (end < text_.size() && (is_name_char(text_[end]) || text_[end] == '.')) ++end;
    fail("bad number " + shown(text_.substr(start_, end - start_)), expected);
  }

  void bit_float(unsigned digits) {
    at_ += 2;
    std::uint64_t bits = 0;
    unsigned count = 0;
    for (; is_name_char(look()); ++at_, ++count) {
      const int value = digit_value(look());
      if (value > 15 || count == digits) bad_number(std::to_string(digits) + " hex digits");
      bits = bits << 4 | static_cast<std::uint64_t>(value);
    }
    if (count != digits) bad_number(std::to_string(digits) + " hex digits");
    Token& token = push(Token::Kind::kFloat);
    token.is_f32 = digits == 8;
    token.bits = digits == 8 ? widen(static_cast<std::uint32_t>(bits)) : bits;
  }

  void decimal_float() {
    while (is_digit(look())) ++at_;
    if (look() == '.') ++at_;
    while (is_digit(look())) ++at_;
    if (look() == 'e' || look() == 'E') {
      ++at_;
      if (look() == '+' || look() == '-') ++at_;
      if (!is_digit(look())) bad_number("digits of an exponent");
      while (is_digit(look())) ++at_;
    }
    if (is_name_char(look())) bad_number("a decimal floating-point number");
    double value = 0;
    const char* first = text_.data() + start_;
    const char* last = text_.data() + at_;
    const auto result = std::from_chars(first, last, value);
    if (result.ec != std::errc() || result.ptr != last) {
      bad_number("a number that a double can hold");
    }
    Token& token = push(Token::Kind::kFloat);
    std::memcpy(&token.bits, &value, sizeof value);
  }

  void integer() {
    unsigned base = 10;
    const char second = look(1);
    bool any = false;
    if (look() == '0' && (second == 'x' || second == 'X')) {
      base = 16;
      at_ += 2;
    } else if (look() == '0' && (second == 'b' || second == 'B')) {
      base = 2;
      at_ += 2;
    } else if (look() == '0') {
      base = 8;
    }
    std::uint64_t value = 0;
    bool suffix = false;
    for (; is_name_char(look()); ++at_) {
      if (look() == 'U' && any && !is_name_char(look(1))) {
        suffix = true;
        continue;
      }
      const auto digit = static_cast<std::uint64_t>(digit_value(look()));
      if (digit >= base) bad_number("an integer of base " + std::to_string(base));
      if (value > (UINT64_MAX - digit) / base) bad_number("at most 64 bits");
      value = value * base + digit;
      any = true;
    }
    if (!any) bad_number("an integer of base " + std::to_string(base));
    Token& token = push(Token::Kind::kInteger);
    token.bits = value;
    token.is_unsigned = suffix || value > INT64_MAX;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  unsigned line_ = 1;
  bool adjacent_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

void fail_at(const std::string& file, unsigned line, const std::string& what,
             const std::string& expected) {
  throw InputError(file + ":" + std::to_string(line) + ": " + what + "; expected " + expected);
}

std::vector<Token> tokenize(std::string_view text, const std::string& file) {
  return Lexer(text, file).run();
}

TokenStream::TokenStream(std::string_view text, const std::string& file)
    : file_(file), tokens_(tokenize(text, file)) {}

const Token& TokenStream::peek(std::size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

Token TokenStream::next() {
  const Token token = peek();
  if (position_ + 1 < tokens_.size()) ++position_;
  return token;
}

bool TokenStream::at(std::string_view text, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind != Token::Kind::kEnd && token.text == text;
}

bool TokenStream::accept(std::string_view text) {
  if (!at(text)) return false;
  next();
  return true;
}

void TokenStream::expect(std::string_view text, std::string_view purpose) {
  if (!accept(text)) fail("'" + std::string(text) + "' " + std::string(purpose));
}

Token TokenStream::expect(Token::Kind kind, std::string_view expected) {
  if (peek().kind != kind) fail(expected);
  return next();
}

std::uint64_t TokenStream::expect_integer(std::uint64_t max, std::string_view expected) {
  const Token& token = peek();
  if (token.kind != Token::Kind::kInteger) fail(expected);
  if (token.bits > max) {
    fail(std::string(expected) + " of at most " + std::to_string(max));
  }
  return next().bits;
}

void TokenStream::skip_brackets(std::string_view open, std::string_view close) {
  const unsigned first_line = line();
  expect(open, "to open the block");
  for (std::size_t depth = 1; depth > 0;) {
    if (at(Token::Kind::kEnd)) {
      fail(line(), "end of the text in the block opened in line " + std::to_string(first_line),
           "'" + std::string(close) + "'");
    }
    if (at(open)) ++depth;
    if (at(close)) --depth;
    next();
  }
}

std::string TokenStream::text_between(std::size_t first, std::size_t last) const {
  std::string out;
  for (std::size_t i = first; i < last && i < tokens_.size(); ++i) {
    if (i > first && !tokens_[i].adjacent) out += ' ';
    out += tokens_[i].text;
  }
  return out;
}

void TokenStream::fail(std::string_view expected) const {
  const Token& token = peek();
  const std::string what =
      token.kind == Token::Kind::kEnd ? "end of the text" : "found " + shown(token.text);
  fail_at(file_, token.line, what, std::string(expected));
}

void TokenStream::fail(unsigned line, const std::string& what, const std::string& expected) const {
  fail_at(file_, line, what, expected);
}

}  // namespace tessera::ptx
