// SPDX-License-Identifier: Apache-2.0
#pragma once

// Argument parsing shared by the verbs.

#include <boost/program_options.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/simulation.h"

namespace tessera::app {

/// What a shell's completion offers for an argument or for an option's value.
struct Completes {
  enum class Kind {
    kNothing,
    kNames,  ///< `names`
    kFile,
    kFolder,
    kPlatform,   ///< presets and files
    kPlatforms,  ///< the same, separated by commas
    kWorkload,   ///< the suite's names and files
    kWorkloads,  ///< the same and "all", separated by commas
    kStudy,      ///< NAME or NAME/FIGURE
    kSetting,    ///< PARAMETER=VALUE
  };
  Kind kind = Kind::kNothing;
  std::vector<std::string> names;
};

/// One verb's arguments: named options and required positional ones.
class ArgumentParser {
 public:
  ArgumentParser(std::string verb, std::string description);

  struct Positional {
    std::string name;
    std::string description;
    Completes completes;
  };

  /// The next positional argument.
  void positional(const std::string& name, const std::string& description,
                  Completes completes = {});
  /// An optional positional argument; to be declared after the required ones.
  void optional_positional(const std::string& name, const std::string& description,
                           Completes completes = {});
  boost::program_options::options_description_easy_init options() { return options_.add_options(); }
  /// What completion offers for the value of an option.
  void completes(const std::string& option, Completes what) {
    completes_[option] = std::move(what);
  }

  const std::vector<Positional>& positionals() const { return positionals_; }
  const boost::program_options::options_description& known_options() const { return options_; }
  Completes completes_of(const std::string& option) const;

  /// Empty if --help was given; the help has then been printed. Throws InputError with the nearest
  /// option's name.
  std::optional<boost::program_options::variables_map> parse(
      const std::vector<std::string>& arguments) const;

 private:
  std::string synopsis() const;
  std::string help() const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::string verb_;
  std::string description_;
  std::vector<Positional> positionals_;
  std::size_t required_ = 0;  ///< number of required positional arguments; they come first
  boost::program_options::options_description options_;
  std::map<std::string, Completes> completes_;  ///< by the option's name
};

/// Whether the i-th positional argument (from 0) was given.
bool has_positional(const boost::program_options::variables_map& values, std::size_t i);
/// The i-th positional argument (from 0) in the result of parse().
std::string positional_argument(const boost::program_options::variables_map& values, std::size_t i);

/// The options common to `run`, `compare`, `study` and `sweep`.
struct RunArguments {
  std::vector<std::string> sets;
  RunOptions options;
  std::optional<std::string> out;
  std::optional<std::string> store;  ///< --store
  bool json = false;
  bool quiet = false;
  bool overwrite = false;
};

/// --scale, --values and others of the runs, and the output options.
void add_run_options(ArgumentParser& parser);
/// --out, --json and --quiet.
void add_output_options(ArgumentParser& parser);
/// --overwrite, for verbs that write a result folder.
void add_overwrite_option(ArgumentParser& parser);
/// --set, for verbs with platforms as arguments.
void add_set_option(ArgumentParser& parser);
/// --plugin, for verbs with platforms as arguments. load_plugins() must be called before any name
/// lookup.
void add_plugin_option(ArgumentParser& parser);
void load_plugins(const boost::program_options::variables_map& values);
/// --jobs, for verbs that run several points.
void add_jobs_option(ArgumentParser& parser);
/// `verb` and `arguments`: the command line, which the results record.
RunArguments read_run_options(const boost::program_options::variables_map& values,
                              const std::string& verb, const std::vector<std::string>& arguments);
/// The same of a verb without run options.
RunArguments read_output_options(const boost::program_options::variables_map& values,
                                 const std::string& verb,
                                 const std::vector<std::string>& arguments);
/// One note with the reason for each of: the settings of --set ("path=value") that none of the
/// platforms reads, and those of a platform's own files that it does not read.
std::vector<std::string> notes_on_unused_parameters(
    const std::vector<const ResolvedConfig*>& platforms, const std::vector<std::string>& sets);
/// Reports these on standard error.
void warn_of_unused_parameters(const std::vector<const ResolvedConfig*>& platforms,
                               const std::vector<std::string>& sets);
/// The value of an option with an integer argument; empty if it is not given. Throws InputError.
std::optional<unsigned> read_count(const boost::program_options::variables_map& values,
                                   const std::string& option, unsigned least, unsigned most);
/// Number of concurrent points; the number of cores if --jobs is not given. Throws InputError.
unsigned read_jobs(const boost::program_options::variables_map& values);

std::string name_of(Scale scale);
std::string name_of(ValueMode mode);

/// Throws InputError if a workload of the suite stands in the platforms' place, and a preset in the
/// workloads'.
void check_order(const std::string& platforms, const std::string& workloads);

/// Splits "a,b" into {"a", "b"}. Throws InputError if a name is empty.
std::vector<std::string> split_names(const std::string& what, const std::string& list);

/// A platform's or workload's name as part of a file name: "my/uba.json" becomes "uba".
std::string file_stem(const std::string& name);
/// The text with '_' in place of characters that a file name should not have.
std::string plain_name(std::string text);

}  // namespace tessera::app
