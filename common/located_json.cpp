// SPDX-License-Identifier: Apache-2.0
#include "common/located_json.h"

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/file_kind.h"
#include "common/input_file.h"
#include "common/json.h"
#include "common/text.h"

namespace tessera {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 256;

/// Position of the lexer, shared by all copies of the iterator.
struct Position {
  unsigned newlines = 0;
  char last = '\0';

  /// The line of the token that has just been scanned. For a number the lexer has also read the
  /// next character, so that a newline there is not counted yet.
  unsigned line() const { return 1 + newlines - (last == '\n' ? 1 : 0); }
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Position* position) : at_(at), position_(position) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    position_->last = *at_;
    if (*at_ == '\n') ++position_->newlines;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  [[maybe_unused]] friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ != b.at_;
  }

 private:
  const char* at_;
  Position* position_;
};

/// Builds the value and the table of lines from the parser's events.
class Builder final : public nlohmann::json_sax<json> {
 public:
  Builder(LocatedJson& out, const Position& position) : out_(out), position_(position) {}

  bool null() override { return scalar(nullptr); }
  bool boolean(bool v) override { return scalar(v); }
  bool number_integer(number_integer_t v) override { return scalar(v); }
  bool number_unsigned(number_unsigned_t v) override { return scalar(v); }
  bool number_float(number_float_t v, const string_t&) override { return scalar(v); }
  bool string(string_t& v) override { return scalar(std::move(v)); }
  bool binary(binary_t& v) override { return scalar(std::move(v)); }

  bool start_object(std::size_t) override { return start(json::object()); }
  bool start_array(std::size_t) override { return start(json::array()); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(string_t& name) override {
    Level& top = stack_.back();
    std::string pointer = json_pointer(top.pointer, name);
    if (top.value->contains(name)) {
      fail("the key \"" + name + "\" stands here for the second time; the first is on line " +
           std::to_string(out_.line_of(pointer)));
    }
    out_.lines[pointer] = position_.line();
    top.key = std::move(name);
    top.child = std::move(pointer);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    // "[json.exception...] parse error at line L, column C: DETAIL", or
    // "[json.exception...] DETAIL". The message keeps DETAIL.
    std::string what = e.what();
    const std::size_t bracket = what.find("] ");
    if (bracket != std::string::npos) what.erase(0, bracket + 2);
    const std::size_t colon = what.find(": ");
    if (begins_with(what, "parse error at ") && colon != std::string::npos) {
      what.erase(0, colon + 2);
    }
    fail("malformed JSON: " + what);
  }

 private:
  struct Level {
    json* value = nullptr;
    std::string pointer;
    std::string key;    ///< objects: name of the next member
    std::string child;  ///< objects: pointer of the next member
  };

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(out_.file + ":" + std::to_string(position_.line()) + ": " + message);
  }

  /// Inserts a value into the current container. Returns the inserted value and its pointer.
  std::pair<json*, std::string> place(json&& v) {
    if (stack_.empty()) {
      out_.value = std::move(v);
      out_.lines[""] = position_.line();
      return {&*out_.value, ""};
    }
    Level& top = stack_.back();
    if (top.value->is_object()) {
      json& member = (*top.value)[top.key];
      member = std::move(v);
      return {&member, top.child};
    }
    std::string pointer = json_pointer(top.pointer, top.value->size());
    out_.lines[pointer] = position_.line();
    top.value->push_back(std::move(v));
    return {&top.value->back(), std::move(pointer)};
  }

  bool scalar(json&& v) {
    place(std::move(v));
    return true;
  }

  bool start(json&& v) {
    if (stack_.size() >= kMaxDepth) fail("JSON nested deeper than " + std::to_string(kMaxDepth));
    auto [value, pointer] = place(std::move(v));
    Level level;
    level.value = value;
    level.pointer = std::move(pointer);
    stack_.push_back(std::move(level));
    return true;
  }

  bool end() {
    stack_.pop_back();
    return true;
  }

  LocatedJson& out_;
  const Position& position_;
  std::vector<Level> stack_;
};

}  // namespace

unsigned LocatedJson::line_of(std::string_view pointer) const {
  std::string p(pointer);
  while (true) {
    const auto it = lines.find(p);
    if (it != lines.end()) return it->second;
    const std::size_t slash = p.rfind('/');
    if (slash == std::string::npos) return 1;
    p.resize(slash);
  }
}

std::string LocatedJson::where(std::string_view pointer) const {
  return file + ":" + std::to_string(line_of(pointer));
}

std::string json_pointer(std::string_view parent, std::string_view key) {
  std::string out(parent);
  out += '/';
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string json_pointer(std::string_view parent, std::size_t index) {
  return std::string(parent) + "/" + std::to_string(index);
}

LocatedJson parse_located_json(std::string_view text, const std::string& file) {
  const std::string wrong = wrong_kind(ExpectedFile::kJson, text, file);
  if (!wrong.empty()) throw InputError(file + ": " + wrong);
  LocatedJson out;
  out.file = file;
  Position position;
  Builder builder(out, position);
  constexpr bool kWholeText = true;
  constexpr bool kComments = true;
  json::sax_parse(CountingIterator(text.data(), &position),
                  CountingIterator(text.data() + text.size(), &position), &builder,
                  json::input_format_t::json, kWholeText, kComments);
  return out;
}

LocatedJson load_located_json(const std::string& path) {
  return parse_located_json(read_input_file(path), path);
}

}  // namespace tessera
