// SPDX-License-Identifier: Apache-2.0
#include "app/arguments.h"
#include "app/completion/scripts.h"
#include "app/completion/words.h"
#include "app/console.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/suggest.h"
#include "common/text.h"

namespace tessera::app {
namespace {

const std::vector<std::string> kShells = {"bash", "zsh"};

}  // namespace

ArgumentParser completion_arguments() {
  ArgumentParser parser(
      "completion",
      "Prints a shell's script for completion: verbs, options, platforms, "
      "workloads, studies, and the\nnames and values of parameters after --set. "
      "In ~/.bashrc: source <(tessera completion bash); in\n~/.zshrc, after "
      "compinit: source <(tessera completion zsh). The scripts call\n'tessera "
      "completion words WORD...', which prints the candidates for the last word.");
  parser.positional("SHELL", "bash or zsh", {Completes::Kind::kNames, kShells});
  return parser;
}

int completion_verb(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "words") {
    const Candidates found = candidates_for({arguments.begin() + 1, arguments.end()});
    std::string text = found.also + "\n";
    for (const std::string& word : found.words) text += word + "\n";
    print_text(text);
    return 0;
  }
  const auto values = completion_arguments().parse(arguments);
  if (!values) return 0;
  const std::string shell = positional_argument(*values, 0);
  if (shell != "bash" && shell != "zsh") {
    throw InputError("completion: unknown shell '" + shell + "'" + did_you_mean(shell, kShells) +
                     " (the shells are " + joined(kShells) + ")");
  }
  print_text(shell == "bash" ? completion::kBash : completion::kZsh);
  return 0;
}

}  // namespace tessera::app
