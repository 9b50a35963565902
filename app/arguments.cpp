// SPDX-License-Identifier: Apache-2.0
#include "app/arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string_view>
#include <thread>

#include "app/console.h"
#include "app/source_commit.h"
#include "common/error.h"
#include "common/suggest.h"
#include "common/text.h"
#include "platforms/plugin_loader.h"
#include "platforms/unused_parameters.h"
#include "stimuli/workload.h"

namespace tessera::app {
namespace {

namespace po = boost::program_options;

/// The name of the i-th positional argument for Boost, because displayed names can have a comma.
std::string key_of(std::size_t i) { return "positional argument " + std::to_string(i); }

template <class E>
std::vector<std::string> names_of(const std::vector<std::pair<std::string, E>>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) names.push_back(name);
  return names;
}

template <class E>
E one_of(const char* option, const std::string& given,
         const std::vector<std::pair<std::string, E>>& choices) {
  for (const auto& [name, value] : choices) {
    if (name == given) return value;
  }
  const std::vector<std::string> names = names_of(choices);
  throw InputError(std::string(option) + ": '" + given + "' is not one of " + joined(names) +
                   did_you_mean(given, names));
}

const std::vector<std::pair<std::string, Scale>>& scales() {
  static const std::vector<std::pair<std::string, Scale>> all = {
      {"small", Scale::kSmall}, {"medium", Scale::kMedium}, {"paper", Scale::kPaper}};
  return all;
}

const std::vector<std::pair<std::string, ValueMode>>& value_modes() {
  static const std::vector<std::pair<std::string, ValueMode>> all = {
      {"carried", ValueMode::kCarried}, {"functional", ValueMode::kFunctional}};
  return all;
}

}  // namespace

bool has_positional(const po::variables_map& values, std::size_t i) {
  return values.count(key_of(i)) != 0;
}

std::string positional_argument(const po::variables_map& values, std::size_t i) {
  return values[key_of(i)].as<std::string>();
}

ArgumentParser::ArgumentParser(std::string verb, std::string description)
    : verb_(std::move(verb)), description_(std::move(description)), options_("Options") {
  options_.add_options()("help,h", "print this help");
}

void ArgumentParser::positional(const std::string& name, const std::string& description,
                                Completes completes) {
  positionals_.push_back({name, description, std::move(completes)});
  required_ = positionals_.size();
}

void ArgumentParser::optional_positional(const std::string& name, const std::string& description,
                                         Completes completes) {
  positionals_.push_back({name, description, std::move(completes)});
}

Completes ArgumentParser::completes_of(const std::string& option) const {
  const auto found = completes_.find(option);
  return found == completes_.end() ? Completes{} : found->second;
}

std::string ArgumentParser::synopsis() const {
  std::string text = "tessera " + verb_;
  for (std::size_t i = 0; i < positionals_.size(); ++i) {
    const std::string& name = positionals_[i].name;
    text += i < required_ ? " " + name : " [" + name + "]";
  }
  return text + " [OPTIONS]";
}

std::string ArgumentParser::help() const {
  std::ostringstream text;
  text << "Usage: " << synopsis() << "\n\n" << description_ << "\n\n";
  std::size_t width = 0;
  for (const Positional& p : positionals_) width = std::max(width, p.name.size());
  for (const Positional& p : positionals_) {
    text << "  " << p.name << std::string(width + 2 - p.name.size(), ' ') << p.description << '\n';
  }
  if (!positionals_.empty()) text << '\n';
  text << options_;
  return text.str();
}

void ArgumentParser::refuse(const std::string& what) const {
  throw InputError(verb_ + ": " + what + " (usage: " + synopsis() + "; 'tessera " + verb_ +
                   " --help' explains)");
}

std::optional<po::variables_map> ArgumentParser::parse(
    const std::vector<std::string>& arguments) const {
  po::options_description all;
  all.add(options_);
  po::options_description hidden;
  po::positional_options_description positions;
  for (std::size_t i = 0; i < positionals_.size(); ++i) {
    hidden.add_options()(key_of(i).c_str(), po::value<std::string>());
    positions.add(key_of(i).c_str(), 1);
  }
  all.add(hidden);

  po::variables_map values;
  try {
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(
        po::command_line_parser(arguments).options(all).positional(positions).style(style).run(),
        values);
    po::notify(values);
  } catch (const po::too_many_positional_options_error&) {
    refuse("there are more arguments than " + std::to_string(positionals_.size()));
  } catch (const po::unknown_option& e) {
    std::string given = e.get_option_name();
    given.erase(std::min(given.find('='), given.size()));
    std::vector<std::string> known;
    for (const auto& option : options_.options()) known.push_back("--" + option->long_name());
    if (!begins_with(given, "--")) given = "--" + given.substr(given.find_first_not_of('-'));
    refuse("unknown option '" + e.get_option_name() + "'" + did_you_mean(given, known));
  } catch (const po::error& e) {
    refuse(e.what());
  }
  if (values.count("help") != 0) {
    print_text(help());
    return std::nullopt;
  }
  for (std::size_t i = 0; i < required_; ++i) {
    const Positional& p = positionals_[i];
    if (values.count(key_of(i)) == 0) refuse(p.name + " is missing: " + p.description);
  }
  for (std::size_t i = 0; i < positionals_.size(); ++i) {
    const Positional& p = positionals_[i];
    if (has_positional(values, i) && positional_argument(values, i).empty()) {
      refuse(p.name + " is empty: " + p.description);
    }
  }
  return values;
}

void add_set_option(ArgumentParser& parser) {
  parser.options()("set",
                   po::value<std::vector<std::string>>()->composing()->value_name("PATH=VALUE"),
                   "change a parameter, once each; numbers can have a unit: 64K, 1.4GHz (tessera "
                   "list parameters)");
  parser.completes("set", {Completes::Kind::kSetting, {}});
}

void add_plugin_option(ArgumentParser& parser) {
  parser.options()("plugin",
                   po::value<std::vector<std::string>>()->composing()->value_name("FILE.so"),
                   "load blocks and policies; may be repeated (docs/guide/plugins.md)");
  parser.completes("plugin", {Completes::Kind::kFile, {}});
}

void load_plugins(const po::variables_map& values) {
  if (values.count("plugin") == 0) return;
  for (const std::string& file : values["plugin"].as<std::vector<std::string>>()) load_plugin(file);
}

void add_overwrite_option(ArgumentParser& parser) {
  parser.options()("overwrite", "--out may replace the results of an earlier run");
}

void add_jobs_option(ArgumentParser& parser) {
  parser.options()("jobs", po::value<std::string>()->value_name("N"),
                   "points at a time (default: one a core)");
}

void add_run_options(ArgumentParser& parser) {
  parser.options()(
      "values", po::value<std::string>()->default_value("functional")->value_name("MODE"),
      "carried: bytes travel through the memory system; functional: values come from one flat "
      "memory, faster, same timing but for races")(
      "scale", po::value<std::string>()->default_value("small")->value_name("SCALE"),
      "size of the input: small, medium or paper")(
      "seed", po::value<std::string>()->default_value("1")->value_name("N"),
      "seed of the input data and of randomised address maps")(
      "skip", po::value<std::string>()->value_name("N"),
      "thread instructions that are executed without timing before the window (1e9, 250000000)")(
      "detail", po::value<std::string>()->value_name("N"),
      "thread instructions of the window, which are simulated in detail; the rest is executed "
      "without timing, and the result is verified (docs/guide/windows.md)")(
      "no-rest", "the run ends with the window: faster, but its result is not verified");
  parser.completes("values", {Completes::Kind::kNames, names_of(value_modes())});
  parser.completes("scale", {Completes::Kind::kNames, names_of(scales())});
  add_output_options(parser);
}

void add_output_options(ArgumentParser& parser) {
  parser.options()("out", po::value<std::string>()->value_name("DIR"), "where the files go")(
      "store", po::value<std::string>()->value_name("FILE"),
      "database of results, of all commands (default: TESSERA_STORE, or out/results.sqlite)")(
      "json", "print one JSON document and nothing else")(
      "quiet", "no progress, and no notes on settings that change nothing");
  parser.completes("out", {Completes::Kind::kFolder, {}});
  parser.completes("store", {Completes::Kind::kFile, {}});
}

namespace {

[[noreturn]] void out_of_range(const std::string& option, const std::string& number,
                               const std::string& range) {
  throw InputError("--" + option + ": " + number + " is outside the range from " + range);
}

bool has_digits_only(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The value of digits; `most` + 1 if it is above `most`, which must be below 2^64 - 1.
std::uint64_t number_up_to(const std::string& digits, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error != std::errc() || number > most ? most + 1 : number;
}

/// A number of instructions: digits, or digits with a power of ten ("1e9").
std::uint64_t read_instructions(const po::variables_map& values, const std::string& option) {
  const auto& text = values[option].as<std::string>();
  static const std::regex form("([0-9]{1,100})(?:[eE]([0-9]{1,100}))?");
  std::smatch part;
  constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;
  if (std::regex_match(text, part, form)) {
    std::uint64_t n = number_up_to(part[1].str(), kMost);
    std::uint64_t power = part[2].matched ? number_up_to(part[2].str(), kMost) : 0;
    for (; power > 0 && n != 0 && n <= kMost / 10; --power) n *= 10;
    if (n >= 1 && n <= kMost && power == 0) return n;
    out_of_range(option, text, "1 to 1e18 instructions");
  }
  throw InputError("--" + option + ": '" + text +
                   "' is not a number of instructions from 1 to 1e18 (250000000, 1e9)");
}

std::optional<WindowOptions> read_window(const po::variables_map& values) {
  if (values.count("no-rest") != 0 && values.count("detail") == 0) {
    throw InputError("--no-rest needs --detail");
  }
  if (values.count("skip") == 0 && values.count("detail") == 0) return std::nullopt;
  WindowOptions w;
  if (values.count("skip") != 0) w.skip = read_instructions(values, "skip");
  if (values.count("detail") != 0) w.detail = read_instructions(values, "detail");
  w.rest = values.count("no-rest") == 0;
  return w;
}

}  // namespace

RunArguments read_run_options(const po::variables_map& values, const std::string& verb,
                              const std::vector<std::string>& arguments) {
  RunArguments r = read_output_options(values, verb, arguments);
  if (values.count("set") != 0) r.sets = values["set"].as<std::vector<std::string>>();
  r.options.values = one_of("--values", values["values"].as<std::string>(), value_modes());
  r.options.scale = one_of("--scale", values["scale"].as<std::string>(), scales());
  const auto& seed = values["seed"].as<std::string>();
  try {
    std::size_t used = 0;
    r.options.seed = std::stoull(seed, &used);
    if (used != seed.size() || std::isdigit(static_cast<unsigned char>(seed.front())) == 0) {
      throw std::invalid_argument(seed);
    }
  } catch (const std::logic_error&) {
    if (has_digits_only(seed)) out_of_range("seed", seed, "0 to 2^64 - 1");
    throw InputError("--seed: '" + seed + "' is not a whole number from 0 to 2^64 - 1");
  }
  r.options.window = read_window(values);
  return r;
}

RunArguments read_output_options(const po::variables_map& values, const std::string& verb,
                                 const std::vector<std::string>& arguments) {
  RunArguments r;
  r.options.command_line = {"tessera", verb};
  r.options.command_line.insert(r.options.command_line.end(), arguments.begin(), arguments.end());
  if (values.count("out") != 0) r.out = values["out"].as<std::string>();
  if (values.count("store") != 0) r.store = values["store"].as<std::string>();
  r.json = values.count("json") != 0;
  r.quiet = values.count("quiet") != 0;
  r.overwrite = values.count("overwrite") != 0;
  if (r.overwrite && !r.out) {
    throw InputError(
        "--overwrite goes with --out DIR, whose results it replaces (without --out, a command has "
        "a folder of its own)");
  }
  r.options.commit = source_commit();
  return r;
}

std::vector<std::string> notes_on_unused_parameters(
    const std::vector<const ResolvedConfig*>& platforms, const std::vector<std::string>& sets) {
  std::vector<std::string> notes;
  for (const ResolvedConfig* p : platforms) {
    for (const ParameterSetting& s : p->given) {
      for (const UnusedParameter& u : unused_parameters(p->gpu, {s.path})) {
        notes.push_back(s.origin + ": " + u.path + " changes nothing: " + u.why);
      }
    }
  }
  for (const std::string& set : sets) {
    const std::vector<std::string> path = {set.substr(0, set.find('='))};
    std::string why;
    const bool idle = std::all_of(platforms.begin(), platforms.end(), [&](const auto* p) {
      const std::vector<UnusedParameter> found = unused_parameters(p->gpu, path);
      if (found.empty()) return false;
      why += (why.empty() ? "on " : ", on ") + p->platform + " " + found.front().why;
      return true;
    });
    if (idle) notes.push_back("--set " + set + " changes nothing: " + why);
  }
  return notes;
}

void warn_of_unused_parameters(const std::vector<const ResolvedConfig*>& platforms,
                               const std::vector<std::string>& sets) {
  for (const std::string& note : notes_on_unused_parameters(platforms, sets)) {
    complain("note: " + note);
  }
}

std::optional<unsigned> read_count(const po::variables_map& values, const std::string& option,
                                   unsigned least, unsigned most) {
  if (values.count(option) == 0) return std::nullopt;
  const auto& text = values[option].as<std::string>();
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  const bool negative = begins_with(text, "-") && has_digits_only(std::string_view(text).substr(1));
  if (negative) out_of_range(option, text, range);
  if (!has_digits_only(text)) {
    throw InputError("--" + option + ": '" + text + "' is not a whole number from " + range);
  }
  const std::uint64_t count = number_up_to(text, most);
  if (count < least || count > most) out_of_range(option, text, range);
  return static_cast<unsigned>(count);
}

unsigned read_jobs(const po::variables_map& values) {
  return read_count(values, "jobs", 1, 9999)
      .value_or(std::max(1U, std::thread::hardware_concurrency()));
}

std::string name_of(Scale scale) {
  for (const auto& [name, value] : scales()) {
    if (value == scale) return name;
  }
  return "?";
}

std::string name_of(ValueMode mode) {
  for (const auto& [name, value] : value_modes()) {
    if (value == mode) return name;
  }
  return "?";
}

void check_order(const std::string& platforms, const std::string& workloads) {
  const auto first = [](const std::string& list) { return list.substr(0, list.find(',')); };
  const auto is_among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!is_among(all_workload_names(), first(platforms))) return;
  const std::vector<std::string> presets = preset_names();
  if (is_among(presets, first(platforms)) || !is_among(presets, first(workloads))) return;
  throw InputError("'" + first(platforms) + "' is a workload and '" + first(workloads) +
                   "' a platform: the platform comes first");
}

std::vector<std::string> split_names(const std::string& what, const std::string& list) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = list.find(',', begin);
    names.push_back(list.substr(begin, comma - begin));
    if (names.back().empty()) throw InputError(what + " '" + list + "': a name is empty");
    if (comma == std::string::npos) return names;
    begin = comma + 1;
  }
}

std::string file_stem(const std::string& name) {
  std::string stem = name;
  while (stem.size() > 1 && stem.back() == '/') stem.pop_back();
  // Two of them and a number fit a file name of 255 bytes.
  constexpr std::size_t kLongest = 100;
  stem = plain_name(std::filesystem::path(stem).stem().string()).substr(0, kLongest);
  return stem.empty() ? "run" : stem;
}

std::string plain_name(std::string text) {
  constexpr std::string_view kPlain = "-_.+=";
  for (char& c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       kPlain.find(c) != std::string_view::npos;
    if (!plain) c = '_';
  }
  return text;
}

}  // namespace tessera::app
