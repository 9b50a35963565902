// SPDX-License-Identifier: Apache-2.0
// Bad usage and bad input: exit status 2 and one clear message, whatever is wrong.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/app/command.h"

namespace tessera::bad_input_test {

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
  check_refused({}, {"run, compare, study, sweep, results, analyze, list, config"});
}

TEST_CASE("a misspelt verb is refused with the nearest one") {
  check_refused({"compaer"},
                {"'compaer'", "run, compare, study, sweep, results, analyze, list, config",
                 "did you mean 'compare'?"});
}

TEST_CASE("no arguments where some are expected are refused") {
  check_refused({"run", "uba-mem-small", ""}, {"run: WORKLOAD is empty: a name"});
  check_refused({"run", "", "mm"}, {"run: PLATFORM is empty: a preset"});
  check_refused({"list", ""}, {"list: TOPIC is empty"});
  check_refused({"diff", "", "x"}, {"diff: A is empty"});
  check_refused({"series", ""}, {"series: RUN is empty"});
  check_refused({"study", ""}, {"is empty: a study"});
}

TEST_CASE("a name in upper case is refused with the right one") {
  check_refused({"RUN", "uba-mem", "mm"}, {"did you mean 'run'?"});
  check_refused({"run", "UBA-MEM", "mm"}, {"did you mean 'uba-mem'?"});
  check_refused({"run", "uba-mem", "MM"}, {"did you mean 'mm'?"});
  check_refused({"run", "uba-mem", "mm", "--SET", "llc.ways=8"}, {"did you mean '--set'?"});
  check_refused({"run", "uba-mem", "mm", "--scale", "Paper"}, {"did you mean 'paper'?"});
  check_refused({"list", "Platforms"}, {"did you mean 'platforms'?"});
  check_refused({"config", "uba-mem", "--set", "LLC.sets=1"}, {"did you mean 'llc.sets'?"});
}

TEST_CASE("the suggestion comes before a list of names") {
  const ScratchFolder folder;
  const auto error = [&folder](const std::vector<std::string>& arguments) {
    return run_tessera(arguments, folder.path()).error;
  };
  CHECK(error({"run", "uba-mme", "mm"}) ==
        "tessera: unknown platform 'uba-mme'; did you mean 'uba-mem'? (a preset's name, see "
        "'tessera list platforms', or the path of a JSON file)\n");
  CHECK_THAT(error({"study", "nubaa"}),
             StartsWith("tessera: unknown study 'nubaa'; did you mean 'nuba'? (studies: "));
  CHECK_THAT(
      error({"compaer"}),
      StartsWith("tessera: unknown verb 'compaer'; did you mean 'compare'? (the verbs are "));
  CHECK_THAT(
      error({"list", "platform"}),
      StartsWith("tessera: list: unknown topic 'platform'; did you mean 'platforms'? (the "));
}

TEST_CASE("a platform and a workload in the wrong order are reported") {
  check_refused({"run", "mm", "uba-mem"},
                {"'mm' is a workload and 'uba-mem' a platform: the platform comes first"});
  check_refused({"compare", "mm,atax", "uba-mem,nuba"},
                {"'mm' is a workload and 'uba-mem' a platform: the platform comes first"});
}

TEST_CASE("a file of another kind is reported as what it is, with the next step") {
  const ScratchFolder folder;
  const std::string source = folder.write("k.cu", "__global__ void k() {}\n");
  const std::string ptx = folder.write("k.ptx", ".version 7.0\n.target sm_70\n");
  const std::string manifest =
      folder.write("m.json", R"({"name": "m", "arrays": [], "launches": []})");
  const std::string stats =
      folder.write("stats.json", R"({"cycles": 1, "modules": {}, "config": {}})");
  const std::string platform = folder.write("p.json", R"({"base": "uba-mem-small"})");
  const std::string compile =
      "found CUDA or C++ source: compile it to PTX with 'nvcc -ptx -arch=sm_75 " + source +
      "' (with clang: docs/guide/your-own-kernel.md)";
  check_refused({"run", "uba-mem-small", source}, {source + ": expected JSON, " + compile});
  check_refused({"run", source, "mm"}, {"expected JSON, " + compile});
  check_refused({"run", "uba-mem-small", ptx, "--manifest", source}, {"expected JSON, " + compile});
  check_refused({"compare", "uba-mem-small", source}, {"expected JSON, " + compile});
  check_refused({"analyze", source}, {source + ": expected PTX, " + compile});
  check_refused({"analyze", manifest}, {"expected PTX, found JSON"});
  check_refused({"run", ptx, "mm"}, {ptx + ": expected JSON, found PTX"});
  check_refused({"compare", "uba-mem-small", ptx}, {ptx + ": expected JSON, found PTX"});
  check_refused({"run", manifest, "mm"}, {"expected a platform, found a workload's manifest"});
  check_refused({"run", stats, "mm"}, {"expected a platform, found the results of a run"});
  check_refused({"run", "uba-mem-small", stats},
                {"expected a workload's manifest, found the results of a run"});
  check_refused({"run", "uba-mem-small", platform},
                {"expected a workload's manifest, found a platform"});
  check_refused({"run", "uba-mem-small", "nowhere.cu"}, {"nowhere.cu: cannot be read"});
  check_refused({"analyze", TESSERA_COMMAND}, {"expected PTX, found a compiled file (ELF)"});
}

TEST_CASE("a group of parameters, and a number with a suffix that does not fit, are reported") {
  check_refused({"run", "uba-mem-small", "mm", "--set", "llc=4"},
                {"--set: llc: a group of parameters, not one of them: llc.clock_hz, llc.sets, "});
  check_refused({"run", "uba-mem-small", "mm", "--set", "llc.sets=64K"},
                {"'K' is no suffix of sets"});
  check_refused({"run", "uba-mem-small", "mm", "--set", "sm.clock_hz=1.4GB"},
                {"'GB' is no suffix of Hz, which take kHz, MHz, GHz, THz (powers of 1000)"});
}

TEST_CASE("a parameter that is set twice is refused") {
  check_refused({"run", "uba-mem-small", "mm", "--set", "llc.sets=1", "--set", "llc.sets=2"},
                {"--set: llc.sets: set here for the second time, to 2; the first is 1"});
  check_refused(
      {"compare", "uba-mem-small,nuba-small", "mm", "--set", "l1.ways=4", "--set=l1.ways=4"},
      {"--set: l1.ways: set here for the second time, to 4; the first is 4"});
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
  check_refused({"run", "uba-mem-small", "mm", "--seed", "99999999999999999999"},
                {"--seed: 99999999999999999999 is outside the range from 0 to 2^64 - 1"});
  for (const char* jobs : {"0", "-1", "10000", "99999999999999999999"}) {
    check_refused({"compare", "uba-mem-small", "mm", "--jobs", jobs},
                  {"--jobs: " + std::string(jobs) + " is outside the range from 1 to 9999"});
  }
  for (const char* jobs : {"", "1e3", "2.0", "+2", "--1"}) {
    check_refused({"compare", "uba-mem-small", "mm", std::string("--jobs=") + jobs}, {"--jobs"});
  }
  check_refused({"compare", "uba-mem-small", "mm", "--jobs", "1e3"},
                {"--jobs: '1e3' is not a whole number from 1 to 9999"});
  check_refused({"compare", "uba-mem-small,,uba-mem", "mm"}, {"a name is empty"});
}

TEST_CASE("malformed JSON in a platform file is reported with file and line") {
  const ScratchFolder folder;
  const std::string file =
      folder.write("bad.json", "{\n  \"base\": \"uba-mem-small\",\n  \"llc\": {\"ways\": 8,}\n}\n");
  check_refused({"run", file, "mm"}, {"bad.json:3: malformed JSON"});
}

TEST_CASE("a misspelt parameter in a platform file is reported with file and line") {
  const ScratchFolder folder;
  const std::string file = folder.write(
      "odd.json", "{\n  \"base\": \"uba-mem-small\",\n  \"llc\": {\n    \"wayz\": 8\n  }\n}\n");
  check_refused({"run", file, "mm"}, {"odd.json:4", "llc.wayz", "did you mean 'llc.ways'?"});
}

TEST_CASE("a file that is not there is reported") {
  check_refused({"run", "/nowhere/mine.json", "mm"}, {"/nowhere/mine.json", "cannot be read"});
}

TEST_CASE("an output folder that cannot be written is reported before anything runs") {
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
  for (const char* wrong : {"-1", "1.5e9", "many", "1e", ""}) {
    CAPTURE(wrong);
    check_refused({"run", "nuba-small", "mm", "--detail", wrong},
                  {"--detail: '" + std::string(wrong) + "'", "(250000000, 1e9)"});
  }
  for (const char* wrong :
       {"0", "0e9", "1e19", "1e9999999999999999999999", "99999999999999999999"}) {
    check_refused({"run", "nuba-small", "mm", "--detail", wrong},
                  {"--detail: " + std::string(wrong) + " is outside the range from 1 to 1e18"});
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
  // The option is named before the values mode, which would not help.
  check_refused({"run", "dca-small", "mm", "--threads", "2", "--profile"},
                {"--profile runs without --threads"});
  check_refused({"run", "dca-small", "mm", "--threads", "2", "--series", "500"},
                {"--series runs without --threads"});
  check_refused({"run", "dca-small", "mm", "--threads", "2"}, {"--values carried"});
  check_refused({"run", "dca-small", "mm", "--lookahead", "50"}, {"--lookahead needs --threads"});
  check_refused({"run", "dca-small", "mm", "--threads", "0"}, {"from 1 to 64"});
}

}  // namespace tessera::bad_input_test
