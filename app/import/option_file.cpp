// SPDX-License-Identifier: Apache-2.0
#include "app/import/option_file.h"

#include <optional>

#include "common/error.h"

namespace tessera::import {

namespace {

constexpr char kSpaces[] = " \t\r\v\f\n";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_name(std::string_view word) {
  return word.size() >= 2 && word[0] == '-' && is_letter(word[1]);
}

struct Word {
  std::string text;
  unsigned line = 0;
  bool quoted = false;
};

std::string place(const std::string& file, unsigned line) {
  return file + ":" + std::to_string(line) + ": ";
}

/// A word of a file can be any bytes and of any length.
std::string shown(const std::string& word) {
  constexpr std::size_t kLongest = 60;
  return "'" + (word.size() > kLongest ? word.substr(0, kLongest) + "..." : word) + "'";
}

/// The words of a text. A quotation is one word, whose parts are separated by one space.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : file_(file) {
    unsigned line = 0;
    while (!text.empty()) {
      ++line;
      const std::size_t end = text.find('\n');
      add_line(text.substr(0, end), line);
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    if (quotation_) {
      throw InputError(place(file_, quotation_->line) + "the quotation " +
                       shown('"' + quotation_->text) +
                       " has no end: expected a word that ends with \"");
    }
  }

  std::vector<Word> all;

 private:
  void add_line(std::string_view line, unsigned number) {
    line = line.substr(0, line.find('#'));
    while (true) {
      const std::size_t begin = line.find_first_not_of(kSpaces);
      if (begin == std::string_view::npos) return;
      line = line.substr(begin);
      const std::size_t end = line.find_first_of(kSpaces);
      add(std::string(line.substr(0, end)), number);
      if (end == std::string_view::npos) return;
      line = line.substr(end);
    }
  }

  void add(std::string word, unsigned line) {
    if (!quotation_ && word[0] != '"') {
      all.push_back({std::move(word), line, false});
      return;
    }
    if (quotation_) {
      quotation_->text += (quotation_->text.empty() ? "" : " ") + word;
    } else {
      quotation_ = Word{word.substr(1), line, true};
      if (word.size() == 1) return;
    }
    if (word.back() != '"') return;
    quotation_->text.pop_back();
    all.push_back(std::move(*quotation_));
    quotation_.reset();
  }

  const std::string& file_;
  std::optional<Word> quotation_;
};

}  // namespace

std::vector<GivenOption> read_options(std::string_view text, const std::string& file,
                                      const std::function<bool(const std::string&)>& is_flag,
                                      const std::function<bool(const std::string&)>& is_known) {
  const Words words(text, file);
  std::vector<GivenOption> out;
  for (std::size_t i = 0; i < words.all.size(); ++i) {
    const Word& word = words.all[i];
    if (word.quoted || !is_name(word.text)) {
      throw InputError(place(file, word.line) + shown(word.text) +
                       " is neither an option nor the value of one: expected '-NAME VALUE' (the "
                       "format of a gpgpusim.config)");
    }
    GivenOption option{word.text, {}, word.line};
    const bool has_value =
        i + 1 < words.all.size() && (words.all[i + 1].quoted || !is_name(words.all[i + 1].text));
    if (has_value) {
      option.value = words.all[++i].text;
    } else if (is_flag(option.name)) {
      option.value = "1";
    } else if (is_known(option.name)) {
      throw InputError(place(file, word.line) + option.name + ": the value is missing");
    }
    out.push_back(std::move(option));
  }
  return out;
}

}  // namespace tessera::import
