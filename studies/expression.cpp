// SPDX-License-Identifier: Apache-2.0
#include "studies/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "common/error.h"
#include "common/suggest.h"
#include "common/text.h"

namespace tessera::studies {
namespace {

constexpr unsigned kMaxDepth = 64;

enum class Form { kValues, kMean, kCorrelation, kCondition, kCount, kSpeedup, kPick };
struct Function {
  const char* name;
  Form form;
  std::size_t arguments;
};
constexpr Function kFunctions[] = {
    {"hmean", Form::kMean, 1},
    {"mean", Form::kMean, 1},
    {"gmean", Form::kMean, 1},
    {"max", Form::kMean, 1},
    {"min", Form::kMean, 1},
    {"sum", Form::kMean, 1},
    {"all", Form::kCondition, 1},
    {"any", Form::kCondition, 1},
    {"count", Form::kCount, 1},
    {"larger", Form::kValues, 2},
    {"smaller", Form::kValues, 2},
    {"abs", Form::kValues, 1},
    {"spearman", Form::kCorrelation, 2},
    {"speedup", Form::kSpeedup, 2},
    {"at", Form::kPick, 1},
};

struct Token {
  enum class Kind { kEnd, kNumber, kName, kPlatform, kSign };
  Kind kind = Kind::kEnd;
  std::string text;
  std::size_t column = 1;
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

[[noreturn]] void refuse(std::size_t column, const std::string& text, const std::string& message) {
  throw InputError("\"" + text + "\", column " + std::to_string(column) + ": " + message);
}

/// Names consist of letters, digits and '_', and '.', '-' and '+' between those (B+tree), so that a
/// minus or plus after a name needs a space before it. The text in brackets is a platform's name.
std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  const auto at = [&text](std::size_t k) { return k < text.size() ? text[k] : '\0'; };
  const auto names = [](char c) { return is_letter(c) || is_digit(c); };
  const auto joins = [](char c) { return c == '.' || c == '-' || c == '+'; };
  while (i < text.size()) {
    Token t;
    t.column = i + 1;
    const std::size_t begin = i;
    if (at(i) == ' ') {
      ++i;
      continue;
    }
    if (is_digit(at(i)) || (at(i) == '.' && is_digit(at(i + 1)))) {
      t.kind = Token::Kind::kNumber;
      while (is_digit(at(i)) || at(i) == '.') ++i;
      if ((at(i) == 'e' || at(i) == 'E') &&
          (is_digit(at(i + 1)) || (at(i + 1) == '-' && is_digit(at(i + 2))))) {
        i += 2;
        while (is_digit(at(i))) ++i;
      }
      // A workload's name can begin with a digit: 2MM.
      if (is_letter(at(i))) {
        t.kind = Token::Kind::kName;
        while (names(at(i)) || (joins(at(i)) && names(at(i + 1)))) ++i;
      }
      t.text = text.substr(begin, i - begin);
    } else if (is_letter(at(i))) {
      t.kind = Token::Kind::kName;
      while (names(at(i)) || (joins(at(i)) && names(at(i + 1)))) ++i;
      t.text = text.substr(begin, i - begin);
    } else if (at(i) == '[') {
      t.kind = Token::Kind::kPlatform;
      const std::size_t end = text.find(']', i);
      if (end == std::string::npos) refuse(t.column, text, "the '[' is never closed");
      t.text = text.substr(i + 1, end - i - 1);
      i = end + 1;
    } else {
      t.kind = Token::Kind::kSign;
      const bool two = (at(i) == '<' || at(i) == '>') && at(i + 1) == '=';
      t.text = text.substr(i, two ? 2 : 1);
      if (!two && std::string("+-*/(),<>").find(at(i)) == std::string::npos) {
        refuse(t.column, text, "unexpected '" + t.text + "'");
      }
      i += t.text.size();
    }
    tokens.push_back(t);
  }
  Token end;
  end.column = text.size() + 1;
  tokens.push_back(end);
  return tokens;
}

bool is_comparison(const Token& t) {
  return t.kind == Token::Kind::kSign && (t.text[0] == '<' || t.text[0] == '>');
}

class Parser {
 public:
  Parser(const std::string& text, const Vocabulary& vocabulary, const Expression& each)
      : text_(text), vocabulary_(vocabulary), each_(each), tokens_(tokens_of(text)) {}

  Expression parse() {
    Expression e = condition();
    if (next().kind != Token::Kind::kEnd) fail(next(), "expected the end or an operator");
    return e;
  }

 private:
  const Token& next() const { return tokens_[at_]; }
  Token take() { return tokens_[at_++]; }
  bool is(const char* sign) const {
    return next().kind == Token::Kind::kSign && next().text == sign;
  }
  void expect(const char* sign) {
    if (!is(sign)) fail(next(), std::string("expected '") + sign + "'");
    take();
  }
  [[noreturn]] void fail(const Token& t, const std::string& message) const {
    refuse(t.column, text_, message);
  }

  Expression make(Node::Kind kind, const Token& t, std::vector<Expression> arguments,
                  bool of_conditions = false) const {
    Node n;
    n.kind = kind;
    n.name = t.text;
    for (const Expression& a : arguments) {
      n.per_workload = n.per_workload || a->per_workload;
      if (a->condition != of_conditions) {
        fail(t, of_conditions ? "expected a comparison" : "a comparison is not a number");
      }
    }
    n.arguments = std::move(arguments);
    return std::make_shared<const Node>(std::move(n));
  }

  Expression condition() {
    Expression first = sum();
    if (!is_comparison(next())) return first;
    std::vector<Expression> links;
    Expression left = first;
    while (is_comparison(next())) {
      const Token op = take();
      Expression right = sum();
      Node n = *make(Node::Kind::kComparison, op, {left, right});
      n.condition = true;
      links.push_back(std::make_shared<const Node>(std::move(n)));
      left = std::move(right);
    }
    if (links.size() == 1) return links.front();
    Node both = *make(Node::Kind::kBoth, next(), std::move(links), true);
    both.condition = true;
    return std::make_shared<const Node>(std::move(both));
  }

  Expression sum() {
    Expression left = product();
    while (is("+") || is("-")) {
      const Token op = take();
      left = make(Node::Kind::kArithmetic, op, {left, product()});
    }
    return left;
  }

  Expression product() {
    Expression left = primary();
    while (is("*") || is("/")) {
      const Token op = take();
      const Expression right = primary();
      if (op.text == "/" && right->kind == Node::Kind::kNumber && right->number == 0) {
        fail(op, "a division by zero");
      }
      left = make(Node::Kind::kArithmetic, op, {left, right});
    }
    return left;
  }

  Expression primary() {
    if (++depth_ > kMaxDepth) fail(next(), "nested too deeply");
    Expression e = primary_at(take());
    --depth_;
    return e;
  }

  Expression primary_at(const Token& t) {
    if (t.kind == Token::Kind::kNumber) {
      Node n;
      char* end = nullptr;
      n.number = std::strtod(t.text.c_str(), &end);
      if (*end != '\0' || !std::isfinite(n.number)) fail(t, "'" + t.text + "' is not a number");
      return std::make_shared<const Node>(n);
    }
    if (t.kind == Token::Kind::kSign && t.text == "(") {
      Expression inside = condition();
      expect(")");
      return inside;
    }
    if (t.kind != Token::Kind::kName) {
      fail(t, "expected a number, a statistic[platform], a function or '('");
    }
    if (is("(")) return call(t);
    if (!vocabulary_.bare_names.empty()) return bare(t);
    if (next().kind == Token::Kind::kPlatform) {
      const Token platform = take();
      Node n;
      n.kind = Node::Kind::kStatistic;
      n.per_workload = true;
      n.name = t.text;
      if (!vocabulary_.knows_statistic(n.name)) {
        fail(t, "there is no statistic '" + n.name + "'" +
                    did_you_mean(n.name, vocabulary_.statistics));
      }
      n.platform = named(platform);
      return std::make_shared<const Node>(std::move(n));
    }
    if (t.text == "each") {
      if (!each_) fail(t, "there is no \"each\" here that the word could stand for");
      return each_;
    }
    fail(t,
         "'" + t.text + "' is neither a function nor a statistic of a platform (NAME[PLATFORM])");
  }

  Expression bare(const Token& t) const {
    Node n;
    n.kind = Node::Kind::kStatistic;
    n.name = t.text;
    if (!vocabulary_.knows_statistic(n.name)) {
      fail(t, "there is no " + vocabulary_.bare_names + " '" + n.name + "'" +
                  did_you_mean(n.name, vocabulary_.statistics));
    }
    return std::make_shared<const Node>(std::move(n));
  }

  std::size_t named(const Token& t) const {
    try {
      return vocabulary_.platform(t.text);
    } catch (const InputError& e) {
      fail(t, e.what());
    }
  }

  Expression call(const Token& t) {
    const Function* f = nullptr;
    std::vector<std::string> known;
    for (const Function& candidate : kFunctions) {
      if (!vocabulary_.bare_names.empty() && candidate.form != Form::kValues) continue;
      known.emplace_back(candidate.name);
      if (t.text == candidate.name) f = &candidate;
    }
    if (f == nullptr) {
      fail(t, "unknown function '" + t.text + "'" + did_you_mean(t.text, known) +
                  " (known: " + joined(known) + ")");
    }
    expect("(");
    Expression result = f->form == Form::kSpeedup ? speedup() : function(t, *f);
    expect(")");
    return result;
  }

  /// speedup(P, B): cycles of B divided by cycles of P.
  Expression speedup() {
    const auto cycles = [this] {
      Node n;
      n.kind = Node::Kind::kStatistic;
      n.per_workload = true;
      n.name = "cycles";
      n.platform = named(take());
      return std::make_shared<const Node>(std::move(n));
    };
    const Expression own = cycles();
    expect(",");
    const Expression base = cycles();
    Token over;
    over.text = "/";
    return make(Node::Kind::kArithmetic, over, {base, own});
  }

  Expression function(const Token& t, const Function& f) {
    std::vector<Expression> arguments;
    for (std::size_t i = 0; i < f.arguments; ++i) {
      if (i > 0) expect(",");
      arguments.push_back(condition());
    }
    const bool condition = f.form == Form::kCondition;
    if (f.form == Form::kValues) return make(Node::Kind::kFunction, t, std::move(arguments));
    Node n = *make(f.form == Form::kPick ? Node::Kind::kPick : Node::Kind::kAggregate, t,
                   std::move(arguments), condition || f.form == Form::kCount);
    for (const Expression& a : n.arguments) {
      if (!a->per_workload) {
        fail(t, "'" + t.text + "' needs a value for each workload, and this has only one");
      }
    }
    n.per_workload = false;
    n.condition = condition;
    while (is(",")) {
      take();
      const Token name = take();
      if (name.kind != Token::Kind::kName)
        fail(name, "expected a workload or a class of workloads");
      Selection more;
      try {
        more = vocabulary_.select(name.text);
      } catch (const InputError& e) {
        fail(name, e.what());
      }
      if (!n.selection) n.selection.emplace();
      n.selection->insert(n.selection->end(), more.begin(), more.end());
    }
    if (n.selection) {
      std::sort(n.selection->begin(), n.selection->end());
      n.selection->erase(std::unique(n.selection->begin(), n.selection->end()), n.selection->end());
    }
    if (f.form == Form::kPick && (!n.selection || n.selection->size() != 1)) {
      fail(t, "'at' needs one workload: at(VALUE, WORKLOAD)");
    }
    return std::make_shared<const Node>(std::move(n));
  }

  const std::string& text_;
  const Vocabulary& vocabulary_;
  const Expression& each_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

bool Vocabulary::knows_statistic(const std::string& path) const {
  return statistics.empty() ||
         std::any_of(statistics.begin(), statistics.end(), [&path](const std::string& s) {
           const bool open = s.size() > 2 && ends_with(s, ".*");
           return open ? begins_with(path, s.substr(0, s.size() - 1)) : path == s;
         });
}

Selection Vocabulary::select(const std::string& name) const {
  std::vector<std::string> known = workloads;
  for (const auto& [group, selection] : groups) {
    if (group == name) return selection;
    known.push_back(group);
  }
  const auto it = std::find(workloads.begin(), workloads.end(), name);
  if (it != workloads.end()) return {static_cast<std::size_t>(it - workloads.begin())};
  throw InputError("the study has no workload or class '" + name + "'" + did_you_mean(name, known));
}

std::size_t Vocabulary::platform(const std::string& name) const {
  const auto it = std::find(platforms.begin(), platforms.end(), name);
  if (it != platforms.end()) return static_cast<std::size_t>(it - platforms.begin());
  throw InputError("the study has no platform '" + name + "'" + did_you_mean(name, platforms));
}

Expression parse_expression(const std::string& text, const Vocabulary& vocabulary,
                            const Expression& each) {
  return Parser(text, vocabulary, each).parse();
}

std::vector<std::string> mean_names() {
  std::vector<std::string> names;
  for (const Function& f : kFunctions) {
    if (f.form == Form::kMean) names.emplace_back(f.name);
  }
  return names;
}

bool compare(double a, const std::string& op, double b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  return a >= b;
}

bool Bound::allows(double value) const { return compare(value, op, limit); }

Bound parse_bound(const std::string& text) {
  static const std::vector<std::string> kNames = {"ratio", "fraction", "value"};
  const std::vector<Token> t = tokens_of(text);
  if (t.size() != 4 || t[0].kind != Token::Kind::kName || !is_comparison(t[1]) ||
      t[2].kind != Token::Kind::kNumber) {
    throw InputError("\"" + text + "\": expected NAME OPERATOR NUMBER, as in \"ratio > 1\"");
  }
  if (std::find(kNames.begin(), kNames.end(), t[0].text) == kNames.end()) {
    throw InputError("\"" + text + "\": '" + t[0].text + "' is not one of " + joined(kNames) +
                     did_you_mean(t[0].text, kNames));
  }
  char* end = nullptr;
  Bound bound{t[0].text, t[1].text, std::strtod(t[2].text.c_str(), &end)};
  if (*end != '\0') throw InputError("\"" + text + "\": '" + t[2].text + "' is not a number");
  return bound;
}

}  // namespace tessera::studies
