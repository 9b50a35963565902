// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the verbs share in reading their arguments.

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/simulation.h"

namespace tessera::app {

/// One verb's arguments: named options and required positional ones.
class ArgumentParser {
 public:
  ArgumentParser(std::string verb, std::string description);

  /// The next positional argument.
  void positional(const std::string& name, const std::string& description);
  /// One that can be left out; after the others.
  void optional_positional(const std::string& name, const std::string& description);
  boost::program_options::options_description_easy_init options() { return options_.add_options(); }

  /// Empty when --help was asked for (and has been printed). Throws InputError with the nearest
  /// option's name.
  std::optional<boost::program_options::variables_map> parse(
      const std::vector<std::string>& arguments) const;

 private:
  std::string synopsis() const;
  std::string help() const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::string verb_;
  std::string description_;
  std::vector<std::pair<std::string, std::string>> positionals_;
  std::size_t required_ = 0;  ///< of these, the first
  boost::program_options::options_description options_;
};

/// Whether the i-th positional argument (from 0) was given.
bool has_positional(const boost::program_options::variables_map& values, std::size_t i);
/// The i-th positional argument (from 0) of what parse() returned.
std::string positional_argument(const boost::program_options::variables_map& values, std::size_t i);

/// What `run`, `compare` and `study` are told in common.
struct RunArguments {
  std::vector<std::string> sets;
  RunOptions options;
  std::optional<std::string> out;
  bool json = false;
  bool quiet = false;
  bool overwrite = false;
};

void add_run_options(ArgumentParser& parser);
/// --overwrite, of verbs whose results have a folder of their own.
void add_overwrite_option(ArgumentParser& parser);
/// --set, of verbs that name their platforms.
void add_set_option(ArgumentParser& parser);
/// --plugin, of verbs that name platforms; load_plugins() before any name is looked up.
void add_plugin_option(ArgumentParser& parser);
void load_plugins(const boost::program_options::variables_map& values);
/// --jobs, of verbs that run several points.
void add_jobs_option(ArgumentParser& parser);
/// `verb` and `arguments`: the command line, which stands in the results.
RunArguments read_run_options(const boost::program_options::variables_map& values,
                              const std::string& verb, const std::vector<std::string>& arguments);
/// Says on standard error which settings ("path=value") none of the platforms reads, and why.
void warn_of_unused_parameters(const std::vector<const ResolvedConfig*>& platforms,
                               const std::vector<std::string>& sets);
/// An option that is a whole number; empty when it is not given. Throws InputError.
std::optional<unsigned> read_count(const boost::program_options::variables_map& values,
                                   const std::string& option, unsigned least, unsigned most);
/// Points at a time; one a core when --jobs is not given. Throws InputError.
unsigned read_jobs(const boost::program_options::variables_map& values);

std::string name_of(Scale scale);
std::string name_of(ValueMode mode);

/// "a,b" as {"a", "b"}; throws InputError when one of them is empty.
std::vector<std::string> split_names(const std::string& what, const std::string& list);

/// A platform's or workload's name as part of a file name: "my/uba.json" is "uba".
std::string file_stem(const std::string& name);

}  // namespace tessera::app
