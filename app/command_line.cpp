// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>

#include "app/console.h"
#include "app/farm/point_request.h"
#include "app/source_commit.h"
#include "app/systemc_reports.h"
#include "app/verbs.h"
#include "app/version.h"
#include "common/error.h"
#include "common/json.h"
#include "common/suggest.h"
#include "common/text.h"

namespace tessera::app {
namespace {

constexpr int kFailed = 1;
constexpr int kBadInput = 2;

std::string help_text() {
  std::string text =
      "Tessera: a SystemC/TLM-2.0 model of GPU memory systems that runs real CUDA kernels.\n\n"
      "Usage: tessera VERB [ARGUMENTS...]\n\nVerbs:\n";
  for (const Verb& verb : verbs()) {
    text += "  " + verb.name + std::string(12 - verb.name.size(), ' ') + verb.summary + "\n";
  }
  text +=
      "\n'tessera VERB --help' explains a verb; 'tessera --version' prints the version.\n"
      "Begin with: tessera run uba-mem mm\n"
      "Exit status: 0 done, 1 the run failed, 2 bad usage or bad input.\n";
  return text;
}

std::string verb_list() {
  std::string names;
  for (const Verb& verb : verbs()) names += (names.empty() ? "" : ", ") + verb.name;
  return names;
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    throw InputError("which verb? One of " + verb_list() + " ('tessera --help' explains them)");
  }
  const std::string& first = arguments.front();
  if (first == "help" && arguments.size() > 1) return dispatch({arguments[1], "--help"});
  if (first == "--help" || first == "-h" || first == "help") {
    print_text(help_text());
    return 0;
  }
  if (first == "--version") {
    print_text(std::string("tessera ") + kVersion + " (commit " + source_commit() + ")\n");
    return 0;
  }
  if (first == kFarmTaskVerb) return farm_task({arguments.begin() + 1, arguments.end()});
  for (const Verb& verb : verbs()) {
    if (verb.name == first) return verb.run({arguments.begin() + 1, arguments.end()});
  }
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  if (begins_with(first, "-")) {
    throw InputError("'" + first + "' stands before the verb; the order is: tessera VERB " +
                     "ARGUMENTS... OPTIONS... (the verbs are " + verb_list() + ")");
  }
  throw InputError("unknown verb '" + first + "'" + did_you_mean(first, names) +
                   " (the verbs are " + verb_list() + ")");
}

int fail(const std::string& message, int status) {
  complain(message);
  if (document_is_due()) write_document({{"error", message}, {"exit_status", status}});
  return status;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  try {
    try {
      // Before the first possible error, so that bad arguments also give one document. The words
      // of a command to complete are no options of this one.
      const bool completes = !arguments.empty() && arguments.front() == "completion";
      if (!completes &&
          std::find(arguments.begin(), arguments.end(), "--json") != arguments.end()) {
        reserve_standard_output();
      }
      route_systemc_reports(false);
      // A file that is longer than the limit of `ulimit -f` is an error of its write.
      std::signal(SIGXFSZ, SIG_IGN);
      return dispatch(arguments);
    } catch (const InputError& e) {
      return fail(e.what(), kBadInput);
    } catch (const RunError& e) {
      return fail(e.what(), kFailed);
    } catch (const std::filesystem::filesystem_error& e) {
      // A path that a user named and that the system refuses, such as a link to itself.
      return fail(e.path1().string() + ": " + e.code().message(), kBadInput);
    } catch (const std::bad_alloc&) {
      return fail("out of memory", kFailed);
    } catch (const std::exception& e) {
      const std::optional<std::string> report = systemc_error(e);
      return fail(report ? *report : std::string("internal error: ") + e.what(), kFailed);
    }
  } catch (...) {
    // The message could not be written, either; for example, standard output is closed.
    return kFailed;
  }
}

}  // namespace tessera::app
