// SPDX-License-Identifier: Apache-2.0
// What completion offers at each place of a command. completion_test.py runs the shells with it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "common/text.h"
#include "tests/app/command.h"

namespace tessera::completion_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using Words = std::vector<std::string>;

namespace {

struct Offer {
  std::string also;
  Words words;
};

Offer offered(const Words& line) {
  const ScratchFolder folder;
  Words command = {"completion", "words"};
  command.insert(command.end(), line.begin(), line.end());
  const CommandResult r = run_tessera(command, folder.path());
  CAPTURE(line, r.error);
  REQUIRE(r.status == 0);
  CHECK(r.error.empty());
  Offer offer;
  std::istringstream in(r.out);
  std::getline(in, offer.also);
  for (std::string word; std::getline(in, word);) offer.words.push_back(word);
  return offer;
}

Words words(const Words& line) { return offered(line).words; }

bool has(const Words& all, const std::string& word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

}  // namespace

TEST_CASE("completion offers verbs, options and what they take") {
  CHECK(words({"co"}) == Words{"compare", "config", "completion"});
  CHECK(words({"sw"}) == Words{"sweep"});
  CHECK(words({"sweep", "llc.json", "--o"}) == Words{"--out", "--overwrite"});
  CHECK(words({"--v"}) == Words{"--version"});
  CHECK(words({"list", "p"}) == Words{"platforms", "policies", "parameters"});
  CHECK(words({"completion", ""}) == Words{"bash", "zsh"});
  CHECK(words({"run", "--s"}) ==
        Words{"--set", "--scale", "--seed", "--skip", "--store", "--series"});
  CHECK(words({"trace", ""}) == Words{"info", "export"});
  CHECK(words({"run", "--scale", ""}) == Words{"small", "medium", "paper"});
  CHECK(words({"run", "--values=c"}) == Words{"--values=carried"});
  CHECK(words({"nonsense", ""}).empty());
  CHECK(words({"run", "uba-mem", "mm", ""}).empty());
  // Once each, but for those that can be repeated.
  CHECK(words({"run", "--scale", "small", "--set", "a=b", "--seed=3", "--s"}) ==
        Words{"--set", "--skip", "--store", "--series"});
}

TEST_CASE("completion offers platforms, workloads and studies in their places") {
  CHECK(words({"run", "uba-mem"}) == Words{"uba-mem", "uba-mem-small"});
  CHECK(offered({"run", "uba-mem"}).also == "files");
  // An option and its value are no positional arguments.
  CHECK(words({"run", "--scale", "small", "--quiet", "uba-mem", "vec"}) == Words{"vecadd"});
  CHECK(words({"config", "nuba", "uba-sm"}) == Words{"uba-sm", "uba-sm-small"});
  CHECK(words({"compare", "nuba,uba-sm"}) == Words{"nuba,uba-sm", "nuba,uba-sm-small"});
  CHECK(words({"compare", "nuba", "al"}) == Words{"alexnet", "alexnet-fc", "all"});
  CHECK(words({"compare", "nuba", "mm,vec"}) == Words{"mm,vecadd"});
  CHECK(words({"study", "nub"}) == Words{"nuba"});
  CHECK(has(words({"study", "nuba/fig0"}), "nuba/fig07"));
  CHECK(words({"list", "parameters", "--platform", "uba-sm"}) == Words{"uba-sm", "uba-sm-small"});
  CHECK(offered({"run", "--out", ""}).also == "folders");
  CHECK(offered({"diff", ""}).also == "files");
  CHECK(offered({"series", ""}).also == "files");
  CHECK(offered({"analyze", ""}).also == "files");
  CHECK(offered({"import", ""}).also == "files");
  CHECK(offered({"import", "--out", ""}).also == "files");
}

TEST_CASE("completion offers parameters by groups, and the values of texts and flags") {
  CHECK(words({"run", "uba-mem", "mm", "--set", "llc"}) == Words{"llc."});
  CHECK(words({"run", "uba-mem", "mm", "--set", "llc.w"}) == Words{"llc.ways="});
  CHECK(words({"config", "uba-mem", "--set", "page_placement."}) == Words{"page_placement.lab."});
  CHECK(words({"run", "--set", "system.page_placement=l"}) ==
        Words{"system.page_placement=lab", "system.page_placement=least-first"});
  CHECK(words({"run", "--set=noc.kind="}) ==
        Words{"--set=noc.kind=crossbar", "--set=noc.kind=mesh"});
  CHECK(words({"run", "--set", "dram.refresh="}) ==
        Words{"dram.refresh=true", "dram.refresh=false"});
  CHECK(words({"run", "--set", "llc.ways="}).empty());
  const Words groups = words({"run", "--set", ""});
  CHECK(has(groups, "system."));
  CHECK(has(groups, "page_placement."));
  CHECK_FALSE(has(groups, "system.sms="));
}

TEST_CASE("each verb and option of the command is offered") {
  const ScratchFolder folder;
  const std::string help = run_tessera({"--help"}, folder.path()).out;
  for (const std::string& verb : words({""})) {
    if (verb.front() == '-') continue;
    CHECK_THAT(help, Contains("\n  " + verb + " "));
    const std::string page = run_tessera({verb, "--help"}, folder.path()).out;
    for (const std::string& option : words({verb, "-"})) {
      CAPTURE(verb, option);
      CHECK_THAT(page, Contains(option));
    }
    std::istringstream in(page);
    for (std::string line; std::getline(in, line);) {
      const std::size_t at = line.find("--");
      const bool begins =
          tessera::begins_with(line, "  --") || tessera::begins_with(line, "  -h [ --");
      if (!begins) continue;
      const std::string option = line.substr(at, line.find_first_of(" =", at) - at);
      CAPTURE(verb, option);
      CHECK(has(words({verb, option}), option));
    }
  }
}

TEST_CASE("the scripts go to standard output, and an unknown shell is refused") {
  const ScratchFolder folder;
  CHECK_THAT(run_tessera({"completion", "bash"}, folder.path()).out,
             Contains("complete -F _tessera tessera"));
  CHECK_THAT(run_tessera({"completion", "zsh"}, folder.path()).out, Contains("#compdef tessera"));
  const CommandResult r = run_tessera({"completion", "bsh"}, folder.path());
  CHECK(r.status == 2);
  CHECK(r.error ==
        "tessera: completion: unknown shell 'bsh'; did you mean 'bash'? (the shells are "
        "bash, zsh)\n");
  // The words of a command are no options of this one.
  CHECK(run_tessera({"completion", "words", "run", "--json", "--he"}, folder.path()).out ==
        "words\n--help\n");
}

}  // namespace tessera::completion_test
