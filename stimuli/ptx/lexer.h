// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tokens of PTX text, and a cursor over them. Internal to the parser.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    kWord,     ///< identifier: "ld", "%r1", "$L__BB0_2", "_"
    kDotWord,  ///< ".global", ".2d", ".shared::cta": with its dot
    kInteger,  ///< bits, is_unsigned
    kFloat,    ///< bits of an IEEE double, is_f32
    kString,   ///< with its quotes
    kPunct,
    kEnd
  };

  Kind kind = Kind::kEnd;
  /// True if no white space or comment precedes the token.
  bool adjacent = false;
  bool is_unsigned = false;
  bool is_f32 = false;
  unsigned line = 0;
  std::string_view text;
  std::uint64_t bits = 0;
};

/// All tokens of the text, terminated by kEnd. The tokens refer to `text`. Throws InputError.
std::vector<Token> tokenize(std::string_view text, const std::string& file);

/// Throws InputError "FILE:LINE: WHAT; expected EXPECTED".
[[noreturn]] void fail_at(const std::string& file, unsigned line, const std::string& what,
                          const std::string& expected);

/// Cursor over the tokens of one text; every error names the file and line.
class TokenStream {
 public:
  TokenStream(std::string_view text, const std::string& file);

  const Token& peek(std::size_t ahead = 0) const;
  /// Returns the current token and advances, except at the end.
  Token next();
  std::size_t position() const { return position_; }
  const std::string& file() const { return file_; }
  unsigned line() const { return peek().line; }

  bool at(std::string_view text, std::size_t ahead = 0) const;
  bool at(Token::Kind kind, std::size_t ahead = 0) const { return peek(ahead).kind == kind; }
  bool accept(std::string_view text);
  /// Skips `text` or fails. `purpose` is the end of the message: "to end the list".
  void expect(std::string_view text, std::string_view purpose);
  /// Skips a token of the kind, or fails with `expected`.
  Token expect(Token::Kind kind, std::string_view expected);
  /// An integer literal of at most `max`.
  std::uint64_t expect_integer(std::uint64_t max, std::string_view expected);
  /// Skips from an opening bracket to its matching bracket, both included.
  void skip_brackets(std::string_view open, std::string_view close);

  /// The tokens [first, last) as text, with one blank for each run of white space and comments.
  std::string text_between(std::size_t first, std::size_t last) const;

  /// Fails at the current token: "found 'X'; expected EXPECTED".
  [[noreturn]] void fail(std::string_view expected) const;
  [[noreturn]] void fail(unsigned line, const std::string& what, const std::string& expected) const;

 private:
  std::string file_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
};

}  // namespace tessera::ptx
