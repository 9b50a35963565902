// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::import_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const char* const kFile =
    "-gpgpu_n_clusters 2\n"
    "-gpgpu_n_cores_per_cluster 1\n"
    "-gpgpu_n_mem 2\n"
    "-gpgpu_clock_domains 1000:1000:1000:1000\n"
    "-gpgpu_cache:dl1 N:16:128:4,L:T:m:N:L,A:32:8,8\n"
    "-gpgpu_l1_latency 20\n"
    "-gpgpu_stack_size_limit 1024\n";

}  // namespace

TEST_CASE("import writes a platform on which a workload runs, and a list of the options") {
  const ScratchFolder folder;
  folder.write("my.config", kFile);
  const CommandResult r = run_tessera({"import", "my.config", "--out", "my.json"}, folder.path());
  CAPTURE(r.error);
  CHECK(r.status == 0);
  CHECK(r.error.empty());
  CHECK_THAT(r.out, StartsWith("my.config: 6 options mapped, 0 as Tessera works, 1 without "
                               "counterpart, 0 unknown\n"));
  CHECK_THAT(r.out, Contains("\nno counterpart: -gpgpu_stack_size_limit 1024 (the suite's kernels "
                             "use no such stack, heap or launch)\n"));
  const CommandResult config = run_tessera({"config", "my.json"}, folder.path());
  CAPTURE(config.error);
  CHECK(config.status == 0);
  CHECK(config.error.empty());
  CHECK(config.document().at("system").at("sms") == 2);
  const CommandResult run = run_tessera(
      {"run", "my.json", "vecadd:n=1000", "--values", "carried", "--json"}, folder.path());
  CAPTURE(run.error);
  CHECK(run.status == 0);
  CHECK(run.document().at("verified") == true);
}

TEST_CASE("without --out, import writes the platform to standard output") {
  const ScratchFolder folder;
  folder.write("my.config", kFile);
  const CommandResult r = run_tessera({"import", "my.config"}, folder.path());
  CHECK(r.status == 0);
  CHECK(r.document().at("base") == "uba-mem");
  CHECK(r.document().at("description") == "imported from the GPGPU-Sim configuration my.config");
  CHECK_THAT(r.error, StartsWith("my.config: 6 options mapped"));
}

TEST_CASE("import --json prints one document, also with --out") {
  const ScratchFolder folder;
  folder.write("my.config", kFile);
  const CommandResult r =
      run_tessera({"import", "my.config", "--json", "--out", "new/my.json"}, folder.path());
  CHECK(r.status == 0);
  CHECK(r.error.empty());
  CHECK(r.document().at("preset") == json::parse(folder.read("new/my.json")));
  CHECK(r.document().at("mapped").size() == 6);
}

TEST_CASE("import refuses malformed files and names of outputs, and writes nothing") {
  const ScratchFolder folder;
  folder.write("my.config", kFile);
  folder.write("bad.config", "-gpgpu_n_clusters 2\nmore\n");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const CommandResult r = run_tessera(arguments, folder.path());
    CAPTURE(arguments, r.error);
    CHECK(r.status == 2);
    CHECK_THAT(r.error, Contains(message));
  };
  refused({"import", "bad.config", "--out", "x.json"},
          "bad.config:2: 'more' is neither an option nor the value of one");
  refused({"import", "my.config", "--out", "my.config"},
          "--out: my.config: expected a name that ends with .json");
  refused({"import", "gone.config"}, "gone.config: cannot be read: no such file");
  refused({"import"}, "FILE is missing");
  CHECK_FALSE(fs::exists(folder.path() / "x.json"));
  CHECK(folder.read("my.config") == kFile);
}

}  // namespace tessera::import_test
