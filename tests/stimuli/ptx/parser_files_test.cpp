// SPDX-License-Identifier: Apache-2.0
// Text as compilers write it, and what becomes of it when it is damaged.
#include <algorithm>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>

#include "common/file_kind.h"
#include "common/text.h"
#include "parser_support.h"

namespace tessera::ptx::parser_files_test {
namespace {

const Strings kFiles = {"clang14_sm70.ptx", "clang14_sm70_debug.ptx", "nvcc_sm100.ptx",
                        "nvcc_sm75.ptx", "nvcc_sm75_lineinfo.ptx"};

std::string path_of(const std::string& name) {
  return TESSERA_SOURCE_DIR "/tests/stimuli/ptx/data/" + name;
}

std::string text_of(const std::string& name) {
  std::ifstream in(path_of(name));
  std::stringstream text;
  text << in.rdbuf();
  REQUIRE(text.str().size() > 1000);
  return text.str();
}

/// Statements of a text by a count of its own: what follows ';', '{', '}' or ':' outside comments
/// and .loc and begins with the opcode.
std::size_t opcode_statements(const std::string& text, const std::string& opcode) {
  std::size_t count = 0;
  bool begins = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0 || text.compare(i, 5, ".loc\t") == 0) i = text.find('\n', i);
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) continue;
    if (begins && text.compare(i, opcode.size(), opcode) == 0) {
      count += std::string_view(".; \t").find(text[i + opcode.size()]) != std::string_view::npos;
    }
    begins = std::string_view(";{}:").find(text[i]) != std::string_view::npos;
  }
  return count;
}

TEST_CASE("the entries and functions of every file are found") {
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    const Module m = parse_file(path_of(name));
    CHECK(m.file == path_of(name));
    Strings entries = m.entries();
    std::sort(entries.begin(), entries.end());
    CHECK(entries ==
          Strings{"_Z4tilePKf6RecordPfc", "_Z5callsPiP6Record", "_Z5localPiPhPx", "_Z6scopesPi"});
    for (const char* f : {"_Z9fibonaccii", "_Z6marked6Recordc", "_Z9successori", "_Z6triplei"}) {
      REQUIRE(m.function(f) != nullptr);
      CHECK_FALSE(m.function(f)->is_declaration);
      CHECK_FALSE(m.function(f)->is_entry);
    }
    const Function& tile = *m.function("_Z4tilePKf6RecordPfc");
    REQUIRE(tile.parameters.size() == 4);
    CHECK(tile.parameters[1].bytes() == 40);
    CHECK(tile.directives.at("minnctapersm") == "2");
    CHECK(tile.max_threads == std::array<std::uint32_t, 3>{128, 1, 1});
  }
}

TEST_CASE("no instruction of a file is lost") {
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    const std::string text = text_of(name);
    const Module m = parse(text, name);
    for (const char* opcode : {"ret", "ld", "st", "add", "cvt", "setp", "mov", "mul", "cvta"}) {
      CAPTURE(opcode);
      std::size_t count = 0;
      for (const Function& f : m.functions) {
        for (const Instruction& i : f.body) count += i.opcode == opcode && i.guard.empty();
      }
      CHECK(count > 0);
      CHECK(count == opcode_statements(text, opcode));
    }
  }
}

TEST_CASE("every label that a branch names is defined in its function") {
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    for (const Function& f : parse_file(path_of(name)).functions) {
      for (const Instruction& i : f.body) {
        if (i.opcode != "bra") continue;
        CAPTURE(i.text);
        REQUIRE(i.operands.size() == 1);
        CHECK(i.operands[0].kind == Operand::Kind::kSymbol);
        const auto at = std::find_if(f.labels.begin(), f.labels.end(),
                                     [&](const Label& l) { return l.name == i.operands[0].name; });
        CHECK(at != f.labels.end());
      }
    }
  }
}

TEST_CASE("every register of a file is declared once") {
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    for (const Function& f : parse_file(path_of(name)).functions) {
      std::map<std::string, int> declared;
      for (const Variable& v : f.variables) ++declared[v.name];
      for (const auto& [variable, count] : declared) {
        CAPTURE(variable);
        CHECK(count == 1);
      }
      for (const Instruction& i : f.body) {
        for (const Operand& o : i.operands) {
          if (o.kind != Operand::Kind::kRegister || o.name == "%tid.x") continue;
          CAPTURE(i.text, o.name);
          CHECK(declared.count(o.name) == 1);
        }
      }
    }
  }
}

TEST_CASE("module variables of a file") {
  const Module m = parse_file(path_of("nvcc_sm100.ptx"));
  std::map<std::string, Variable> by_name;
  for (const Variable& v : m.variables) by_name[v.name] = v;
  CHECK(by_name.at("pointer").initial_symbols[0].second == "counter");
  CHECK(by_name.at("packed").initial_symbols ==
        std::vector<std::pair<std::uint64_t, std::string>>{{1, "table"}});
  CHECK(by_name.at("packed").initial_addends == std::vector<std::int64_t>{4});
  CHECK(by_name.at("packed").bytes() == 11);
  CHECK(by_name.at("operation").initial_symbols.size() == 2);
  CHECK(by_name.at("coefficient").space == StateSpace::kConst);
  CHECK(by_name.at("coefficient").bytes() == 64);
  CHECK(by_name.at("coefficient").initial.size() == 12);
  CHECK(by_name.at("dynamic").is_extern);
  CHECK(by_name.at("counter").initial == Bytes{7, 0, 0, 0});
}

/// The parts of a text that a mutation erases, copies or swaps: words, numbers, other characters.
Strings tokens_of(const std::string& text) {
  Strings out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    const auto in_word = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    if (in_word(text[i])) {
      while (end < text.size() && in_word(text[end])) ++end;
    }
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(const std::string& text, const Strings& parts) {
    if (below(2) == 0) return mutate_bytes(text);
    return mutate_tokens(parts);
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  std::string mutate_bytes(std::string text) {
    constexpr char kFrequent[] = "{}()[],;:@!|+-*/%.<>=?\"_0x9\n\\#";
    for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n) {
      const std::size_t at = below(text.size());
      const char c =
          below(2) == 0 ? kFrequent[below(sizeof kFrequent - 1)] : static_cast<char>(below(256));
      switch (below(4)) {
        case 0:
          text.erase(at, 1 + below(8));
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        case 2:
          text[at] = c;
          break;
        default:
          if (below(4) == 0) text.resize(at);
      }
    }
    return text;
  }

  std::string mutate_tokens(Strings parts) {
    static const Strings kInserts = {"{",      "}",          "(",     "99999999999999999999",
                                     ".reg",   "0x7fffffff", ";",     "-9223372036854775808",
                                     ".param", "WARP_SZ",    "[",     "0f7fc00000",
                                     "<<",     "generic(",   "0xFF(", ".branchtargets "};
    for (std::size_t n = 1 + below(4); n > 0 && parts.size() > 2; --n) {
      const std::size_t at = below(parts.size());
      const auto where = parts.begin() + static_cast<std::ptrdiff_t>(at);
      switch (below(4)) {
        case 0:
          parts.erase(where);
          break;
        case 1:
          parts.insert(where, kInserts[below(kInserts.size())]);
          break;
        case 2:
          parts[at] = parts[below(parts.size())];
          break;
        default:
          std::swap(parts[at], parts[below(parts.size())]);
      }
    }
    return joined(parts, "");
  }

  std::mt19937 random_;
};

/// Whether a message of parse(text, "d.ptx") names a line of the text and what was expected there.
/// Of a text of another kind (binary data if there is a NUL near its begin) it names the kind.
bool is_refusal(const std::string& message, const std::string& text) {
  const std::string other_kind = wrong_kind(ExpectedFile::kPtx, text, "d.ptx");
  if (!other_kind.empty()) return message == "d.ptx: " + other_kind;
  static const std::regex form("d\\.ptx:([1-9][0-9]*): [^]*; expected [^]*");
  std::smatch parts;
  if (!std::regex_match(message, parts, form)) return false;
  const auto newlines = std::count(text.begin(), text.end(), '\n');
  return std::stoll(parts[1]) <= newlines + 1;
}

TEST_CASE("damaged text parses or gives an InputError that names the line") {
  constexpr int kRounds = 400;
  std::size_t refused = 0;
  std::size_t parsed = 0;
  unsigned seed = 20240601;
  for (const std::string& name : kFiles) {
    const std::string text = text_of(name);
    const Strings parts = tokens_of(text);
    REQUIRE(joined(parts, "") == text);
    Mutator mutator(seed++);
    for (int round = 0; round < kRounds; ++round) {
      const std::string damaged = mutator.mutate(text, parts);
      try {
        const Module m = parse(damaged, "d.ptx");
        ++parsed;
      } catch (const InputError& e) {
        ++refused;
        INFO("seed " << seed - 1 << " round " << round << ": " << e.what());
        REQUIRE(is_refusal(e.what(), damaged));
      }
    }
  }
  // Both must happen often, or the damage is too small or too large to show anything.
  CHECK(refused > 500);
  CHECK(parsed > 100);
}

TEST_CASE("text cut off anywhere parses or gives an InputError") {
  const std::string text = text_of("nvcc_sm75.ptx");
  std::size_t refused = 0;
  for (std::size_t size = 0; size < text.size(); size += 13) {
    const std::string cut = text.substr(0, size);
    try {
      parse(cut, "d.ptx");
    } catch (const InputError& e) {
      ++refused;
      INFO(size << " bytes: " << e.what());
      REQUIRE(is_refusal(e.what(), cut));
    }
  }
  CHECK(refused > text.size() / 13 / 2);
}

}  // namespace
}  // namespace tessera::ptx::parser_files_test
