// SPDX-License-Identifier: Apache-2.0
#include "app/completion/words.h"

#include <algorithm>

#include "app/verbs.h"
#include "common/text.h"
#include "platforms/simulation.h"
#include "stimuli/workload.h"
#include "studies/study.h"

namespace tessera::app {
namespace {

namespace po = boost::program_options;
using Kind = Completes::Kind;

/// Keeps the names that begin with `current`.
void add(const std::vector<std::string>& names, const std::string& current,
         std::vector<std::string>& out) {
  for (const std::string& name : names) {
    if (begins_with(name, current)) out.push_back(name);
  }
}

/// "nuba", and with a slash in `current` the figures: "nuba/fig7".
std::vector<std::string> study_names(const std::string& current) {
  std::vector<std::string> names;
  for (const studies::StudyInfo& s : studies::study_catalogue()) {
    if (!begins_with(current, s.name + "/")) {
      names.push_back(s.name);
      continue;
    }
    for (const studies::Figure& f : studies::load_study(s.folder).figures) {
      names.push_back(s.name + "/" + f.name);
    }
  }
  return names;
}

/// The parameters' paths up to the next dot: "llc.", then "llc.sets=". After '=' the values of a
/// text or a flag.
std::vector<std::string> settings(const std::string& current) {
  ParameterLister lister;
  GpuConfig config;
  describe(lister, config);
  std::vector<std::string> names;
  for (const ListedParameter& p : lister.parameters()) {
    const std::string begin = p.info.name + "=";
    if (begins_with(current, begin)) {
      std::vector<std::string> values = p.info.choices;
      if (p.kind == "flag") values = {"true", "false"};
      for (const std::string& v : values) names.push_back(begin + v);
    } else if (begins_with(begin, current)) {
      const std::size_t dot = begin.find('.', current.size());
      const std::string next = dot == std::string::npos ? begin : begin.substr(0, dot + 1);
      if (std::find(names.begin(), names.end(), next) == names.end()) names.push_back(next);
    }
  }
  return names;
}

/// Names of a list, which the word repeats up to its last comma.
std::vector<std::string> listed(std::vector<std::string> names, const std::string& current) {
  const std::string before = current.substr(0, current.rfind(',') + 1);
  for (std::string& name : names) name.insert(0, before);
  return names;
}

void add_values(const Completes& what, const std::string& current, Candidates& out) {
  switch (what.kind) {
    case Kind::kNothing:
      return;
    case Kind::kNames:
      return add(what.names, current, out.words);
    case Kind::kFile:
      out.also = "files";
      return;
    case Kind::kFolder:
      out.also = "folders";
      return;
    case Kind::kPlatform:
      out.also = "files";
      return add(preset_names(), current, out.words);
    case Kind::kPlatforms:
      out.also = "files";
      return add(listed(preset_names(), current), current, out.words);
    case Kind::kWorkload:
      out.also = "files";
      return add(all_workload_names(), current, out.words);
    case Kind::kWorkloads: {
      std::vector<std::string> names = listed(all_workload_names(), current);
      names.emplace_back("all");
      out.also = "files";
      return add(names, current, out.words);
    }
    case Kind::kStudy:
      out.also = "folders";
      return add(study_names(current), current, out.words);
    case Kind::kSetting:
      return add(settings(current), current, out.words);
  }
}

/// The options of one verb: names and whether a value follows.
class Options {
 public:
  explicit Options(const ArgumentParser& parser) : parser_(parser) {}

  /// The long name if the word is an option whose value is the next word; else empty.
  std::string before_value(const std::string& word) const {
    if (!begins_with(word, "--")) return "";
    const po::option_description* o =
        parser_.known_options().find_nothrow(word.substr(2), /*approx=*/false);
    return o != nullptr && o->semantic()->max_tokens() != 0 ? o->long_name() : "";
  }

  /// Those that may follow: an option that stands already is left out unless it can be repeated.
  std::vector<std::string> after(const std::vector<std::string>& words) const {
    std::vector<std::string> names;
    for (const auto& o : parser_.known_options().options()) {
      const std::string name = "--" + o->long_name();
      const bool given = std::any_of(words.begin(), words.end(), [&name](const std::string& w) {
        return w == name || begins_with(w, name + "=");
      });
      if (!given || o->semantic()->is_composing()) names.push_back(name);
    }
    return names;
  }

 private:
  const ArgumentParser& parser_;
};

Candidates of_verb(const Verb& verb, const std::vector<std::string>& before,
                   const std::string& current) {
  Candidates out;
  const ArgumentParser parser = verb.arguments();
  const Options options(parser);
  std::size_t positionals = 0;
  std::string open;  // the option whose value comes next
  for (const std::string& word : before) {
    if (!open.empty()) {
      open.clear();
    } else if (begins_with(word, "-")) {
      open = options.before_value(word);
    } else {
      ++positionals;
    }
  }
  const std::size_t equals = current.find('=');
  if (!open.empty()) {
    add_values(parser.completes_of(open), current, out);
  } else if (begins_with(current, "--") && equals != std::string::npos) {
    const std::string option = options.before_value(current.substr(0, equals));
    if (!option.empty()) {
      add_values(parser.completes_of(option), current.substr(equals + 1), out);
      for (std::string& word : out.words) word.insert(0, current.substr(0, equals + 1));
    }
  } else if (begins_with(current, "-")) {
    add(options.after(before), current, out.words);
  } else if (positionals < parser.positionals().size()) {
    add_values(parser.positionals()[positionals].completes, current, out);
  }
  return out;
}

}  // namespace

Candidates candidates_for(const std::vector<std::string>& words) {
  const std::string current = words.empty() ? "" : words.back();
  if (words.size() > 1) {
    for (const Verb& verb : verbs()) {
      if (verb.name == words.front()) {
        return of_verb(verb, {words.begin() + 1, words.end() - 1}, current);
      }
    }
    return {};
  }
  std::vector<std::string> names = {"--help", "--version"};
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  Candidates out;
  add(names, current, out.words);
  return out;
}

}  // namespace tessera::app
