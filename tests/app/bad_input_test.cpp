// SPDX-License-Identifier: Apache-2.0
// Bad usage and bad input: exit status 2 and one clear message, whatever is wrong.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/app/command.h"

using namespace tessera::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// The command refuses the arguments with a message that has all of `parts`.
void check_refused(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& parts) {
  const ScratchFolder folder;
  const CommandResult r = run_tessera(arguments, folder.path());
  CAPTURE(arguments, r.error);
  CHECK(r.status == 2);
  CHECK(r.out.empty());
  CHECK_THAT(r.error, StartsWith("tessera: "));
  CHECK_THAT(r.error, !Contains("terminate called"));
  CHECK_THAT(r.error, !Contains("SystemC"));
  for (const std::string& part : parts) CHECK_THAT(r.error, Contains(part));
  // Nothing is left behind by a command that did nothing.
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace

TEST_CASE("no verb is refused with the list of verbs") {
  check_refused({}, {"run, compare, study, analyze, list, config"});
}

TEST_CASE("a misspelt verb is refused with the nearest one") {
  check_refused({"compaer"}, {"'compaer'", "run, compare, study, analyze, list, config",
                              "did you mean 'compare'?"});
}

TEST_CASE("a misspelt option is refused with the nearest one") {
  check_refused({"run", "uba-mem-small", "mm", "--vlaues", "carried"},
                {"--vlaues", "did you mean '--values'?"});
  check_refused({"run", "uba-mem-small", "mm", "--sed=3"}, {"did you mean '--se"});
}

TEST_CASE("options are not guessed from their beginnings") {
  check_refused({"run", "uba-mem-small", "mm", "--sca", "small"}, {"--sca"});
}

TEST_CASE("missing and superfluous arguments are refused") {
  check_refused({"run"}, {"PLATFORM is missing"});
  check_refused({"run", "uba-mem-small"}, {"WORKLOAD is missing"});
  check_refused({"run", "uba-mem-small", "mm", "atax"}, {"more arguments than 2"});
  check_refused({"compare", "uba-mem-small"}, {"WORKLOAD,... is missing"});
}

TEST_CASE("a misspelt platform is refused with the nearest one") {
  check_refused({"run", "uba-mme-small", "mm"},
                {"'uba-mme-small'", "did you mean 'uba-mem-small'?"});
  check_refused({"config", "uba-mme-small"}, {"did you mean 'uba-mem-small'?"});
  check_refused({"compare", "uba-mem-small,uba-mme", "mm"}, {"did you mean 'uba-mem'?"});
}

TEST_CASE("a misspelt workload is refused with the nearest one") {
  check_refused({"run", "uba-mem-small", "vecad"}, {"'vecad'", "did you mean 'vecadd'?"});
  check_refused({"compare", "uba-mem-small", "mm,vecad"}, {"did you mean 'vecadd'?"});
}

TEST_CASE("a misspelt parameter is refused with the nearest one") {
  check_refused({"run", "uba-mem-small", "mm", "--set", "llc.set=16"},
                {"--set", "llc.set", "did you mean 'llc.sets'?"});
  check_refused({"config", "uba-mem-small", "--set", "llc.set=16"}, {"did you mean 'llc.sets'?"});
}

TEST_CASE("a value out of its range is refused with the range") {
  check_refused({"run", "uba-mem-small", "mm", "--set", "llc.ways=0"}, {"llc.ways", "0", "1 to"});
  check_refused({"run", "uba-mem-small", "mm", "--set", "llc.ways=many"}, {"llc.ways", "many"});
}

TEST_CASE("a setting without a value is refused") {
  check_refused({"run", "uba-mem-small", "mm", "--set", "llc.ways"}, {"llc.ways"});
}

TEST_CASE("values of options are checked") {
  check_refused({"run", "uba-mem-small", "mm", "--values", "caried"},
                {"carried, functional", "did you mean 'carried'?"});
  check_refused({"run", "uba-mem-small", "mm", "--scale", "huge"}, {"small, medium, paper"});
  check_refused({"run", "uba-mem-small", "mm", "--seed", "-1"}, {"--seed", "-1"});
  check_refused({"run", "uba-mem-small", "mm", "--seed", "1x"}, {"--seed", "1x"});
  check_refused({"run", "uba-mem-small", "mm", "--seed", "99999999999999999999"}, {"--seed"});
  check_refused({"compare", "uba-mem-small", "mm", "--jobs", "0"}, {"--jobs"});
  check_refused({"compare", "uba-mem-small,,uba-mem", "mm"}, {"a name is empty"});
}

TEST_CASE("malformed JSON in a platform file is told with file and line") {
  const ScratchFolder folder;
  const std::string file =
      folder.write("bad.json", "{\n  \"base\": \"uba-mem-small\",\n  \"llc\": {\"ways\": 8,}\n}\n");
  check_refused({"run", file, "mm"}, {"bad.json:3: malformed JSON"});
}

TEST_CASE("a misspelt parameter in a platform file is told with file and line") {
  const ScratchFolder folder;
  const std::string file = folder.write(
      "odd.json", "{\n  \"base\": \"uba-mem-small\",\n  \"llc\": {\n    \"wayz\": 8\n  }\n}\n");
  check_refused({"run", file, "mm"}, {"odd.json:4", "llc.wayz", "did you mean 'llc.ways'?"});
}

TEST_CASE("a file that is not there is told") {
  check_refused({"run", "/nowhere/mine.json", "mm"}, {"/nowhere/mine.json", "cannot be read"});
}

TEST_CASE("an output folder that cannot be written is told before anything runs") {
  check_refused({"run", "uba-mem-small", "mm", "--out", "/proc/tessera"},
                {"--out", "/proc/tessera"});
  const ScratchFolder folder;
  const std::string file = folder.write("file", "");
  check_refused({"run", "uba-mem-small", "mm", "--out", file}, {"--out", file});
}

TEST_CASE("an unknown topic of list is refused with the nearest one") {
  check_refused({"list", "platform"}, {"did you mean 'platforms'?"});
}

TEST_CASE("with --json a refusal is one JSON document too") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera({"run", "uba-mem-small", "vecad", "--json"}, folder.path());
  CHECK(r.status == 2);
  CHECK(r.document().at("exit_status") == 2);
  CHECK_THAT(r.document().at("error").get<std::string>(), Contains("did you mean 'vecadd'?"));
  CHECK_THAT(r.error, StartsWith("tessera: "));
}

TEST_CASE("a window is refused if its length is no number of instructions, or with threads") {
  for (const char* wrong : {"0", "-1", "1.5e9", "1e19", "many", "1e", ""}) {
    CAPTURE(wrong);
    check_refused({"run", "nuba-small", "mm", "--detail", wrong},
                  {"--detail: '" + std::string(wrong) + "'", "(250000000, 1e9)"});
  }
  check_refused({"run", "nuba-small", "mm", "--no-rest"}, {"--no-rest needs --detail"});
  check_refused({"run", "nuba-small", "mm", "--skip", "all"}, {"--skip: 'all'"});
  check_refused(
      {"run", "dca-small", "mm", "--detail", "1e5", "--threads", "2", "--values", "carried"},
      {"--skip and --detail run without --threads"});
}

TEST_CASE("threads are refused where results would depend on them, with the reason") {
  check_refused({"run", "dca-small", "mm", "--threads", "2"}, {"--values carried"});
  check_refused({"run", "nuba-small", "mm", "--threads", "2", "--values", "carried"},
                {"of one GPU"});
  check_refused({"run", "dualopt-small", "mm", "--threads", "2", "--values", "carried"},
                {"system.decision observes and controls"});
  check_refused(
      {"run", "dca-small", "mm", "--threads", "2", "--values", "carried", "--lookahead", "141"},
      {"take 139999 ps only"});
  check_refused({"run", "dca-small", "mm", "--lookahead", "50"}, {"--lookahead needs --threads"});
  check_refused({"run", "dca-small", "mm", "--threads", "0"}, {"from 1 to 64"});
}
